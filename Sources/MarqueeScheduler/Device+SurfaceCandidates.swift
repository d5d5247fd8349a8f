import MarqueeModel
import MarqueePredictor
import OrderedCollections

/// The sources of surface suggestions: habits, upcoming media, reservations, messages and relevant shortcuts.
extension Device {
  /// The period over which the shortcuts gallery counts activity.
  static var frequencySpan: TimeSpan { .days(28) }
  /// The minimum number of times that an action must have been done to be listed in the gallery (rule P4).
  private static var frequentCountMin: Int { 3 }
  /// The maximum number of recent donations that are considered: of each recognized type, and in developer mode of all.
  static var recentDonationCountMax: Int { 512 }
  /// The distance from a reservation's place, in meters, within which the user has arrived.
  private static var arrivalDistance: Double { 300 }

  /// Returns everything the surface can suggest now, in tie-breaking order.
  func candidates(on surface: SuggestionSurface) -> [SurfaceCandidate] {
    everyCandidate(on: surface).filter { isDiscoverable($0.subject) }
  }

  private func everyCandidate(on surface: SuggestionSurface) -> [SurfaceCandidate] {
    switch surface {
    case .lockScreen, .search, .suggestionsWidget:
      return errandCandidates() + actionCandidates() + upcomingCandidates(whilePlaying: false)
    case .watchFace:
      return errandCandidates() + shortcutCandidates() + actionCandidates().filter(\.isBackground)
    case .shareSheet: return personCandidates()
    case .nowPlaying:
      return upcomingCandidates(whilePlaying: true) + actionCandidates().filter(\.isMedia)
    case .shortcutsGallery: return frequentCandidates()
    case .notifications: return errandCandidates()
    }
  }

  /// Everything that could be suggested at some time without another event, including in developer mode every donated
  /// action (rule S12).
  var everySubject: [SurfaceSuggestion.Subject] { subjects(withActions: donations.actions.actions) }

  /// Everything that could be suggested at some time without another event, except recent donations.
  var learnedSubjects: [SurfaceSuggestion.Subject] {
    subjects(withActions: habits.learned.map { donations.actions.actions[Int($0.action)] })
  }

  private func subjects(withActions actions: [DonatedAction]) -> [SurfaceSuggestion.Subject] {
    var subjects = actions.map { SurfaceSuggestion.Subject.action($0) }
    for (app, media) in surfaces.upcoming { subjects += media.intents.map { .upcomingMedia(app, $0) } }
    for (app, reservation) in reservations {
      subjects += Errand.allCases.map { .reservation(app, reservation, $0) }
    }
    subjects += correspondents.map { .person($0.app, $0.person) }
    for (app, shortcuts) in suggestionState.shortcuts { subjects += shortcuts.map { .shortcut(app, $0) } }
    return subjects
  }

  // MARK: Habits

  private func actionCandidates() -> [SurfaceCandidate] {
    let forecast = forecast(at: stepStart(of: now))
    let withoutHabits = Set(surfaces.upcoming.filter { $0.value.mode == .onlySuggested }.keys)
    return habits.learned.indices.compactMap { index in
      let number = ActionID(index)
      let probability = forecast.probability(of: number)
      guard probability > 0 else { return nil }
      let candidate = actionCandidate(index, probability, .habit(number))
      return candidate.isMedia && withoutHabits.contains(candidate.subject.app) ? nil : candidate
    }
  }

  private func actionCandidate(
    _ index: Int, _ probability: Double, _ basis: SurfaceCandidate.Basis
  ) -> SurfaceCandidate {
    let action = Int(habits.learned[index].action)
    return SurfaceCandidate(
      subject: .action(donations.actions.actions[action]), probability: probability, basis: basis,
      isBackground: donations.actions.isBackground[action])
  }

  /// Returns the actions that were done on many of the recent active days and are discoverable (rule D3).
  private func frequentCandidates() -> [SurfaceCandidate] {
    var days: Set<Int> = []
    var counts = Array(repeating: (times: 0, days: 0, last: Int.max), count: habits.learned.count)
    for record in donations.records.newestFirst {
      guard record.date.span(to: now) <= Self.frequencySpan else { break }
      // Receiving a message is no activity of the user (rule D9).
      guard !donations.isReceived(record) else { continue }
      let day = record.wallTime.day
      days.insert(day)
      for entry in donations.actions.entries[Int(record.content)] {
        guard let number = habits.number(of: entry.action)?.number else { continue }
        counts[number].times += 1
        if counts[number].last != day { counts[number].days += 1 }
        counts[number].last = day
      }
    }
    return counts.enumerated().compactMap { index, count in
      guard count.times >= Self.frequentCountMin else { return nil }
      // Local days can repeat when the user travels.
      let doneCount = min(count.days, days.count)
      let basis = SurfaceSuggestion.Reason.frequent(doneDayCount: doneCount, dayCount: days.count)
      let candidate = actionCandidate(index, Double(doneCount) / Double(days.count), .known(basis))
      // The gallery lists shortcuts, not apps, and no intents of unregistered types.
      guard !candidate.isAppOpening else { return nil }
      return isDiscoverable(candidate.subject, ifUnknown: false) ? candidate : nil
    }
  }

  /// Whether surfaces may show the suggestion. Intents of a type registered as not discoverable are never shown.
  ///
  /// - Parameter isKnown: The result for an intent whose type is not registered.
  func isDiscoverable(_ subject: SurfaceSuggestion.Subject, ifUnknown isKnown: Bool = true) -> Bool {
    let (app, type): (AppID, IntentType)
    switch subject {
    case .action(.intent(let owner, let intent)), .upcomingMedia(let owner, let intent):
      (app, type) = (owner, intent.type)
    case .shortcut(let owner, let shortcut):
      guard let intent = shortcut.intent else { return true }
      (app, type) = (owner, intent.type)
    case .action(.userActivity), .reservation, .person: return true
    }
    return intentTypes(of: app).first { $0.type == type }?.isDiscoverable ?? isKnown
  }

  private func shortcutCandidates() -> [SurfaceCandidate] {
    watchFace(count: .max).filter(\.isRelevantNow).map {
      SurfaceCandidate(
        subject: .shortcut($0.app, $0.shortcut), probability: 1, basis: .known(.relevance($0.reason)), until: $0.until)
    }
  }

  // MARK: Known types

  /// Returns the latest donations of one recognized type, newest first, except those of an app that registered the type
  /// as not eligible for suggestions (rule D3).
  func recentDonations<Known>(
    _ part: (RecognizedActivity) -> Known?
  ) -> some Sequence<(app: AppID, record: DonationRecord, known: Known)> {
    let parts = donations.recognizedActivities.enumerated().map { index, activity -> Known? in
      guard let activity, let known = part(activity) else { return nil }
      let type = intentTypes(of: donations.contents.values[index].app).first { $0.type == activity.type }
      return type?.isEligibleForSuggestions ?? true ? known : nil
    }
    return donations.records.newestFirst.lazy.compactMap { [donations] record in
      parts[Int(record.content)].map { (donations.app(of: record), record, $0) }
    }.prefix(Self.recentDonationCountMax)
  }

  /// The reservations in the latest donations. The latest donation of an item wins.
  private var reservations: [(app: AppID, reservation: Reservation)] {
    var found: OrderedDictionary<SuggestionID, (app: AppID, reservation: Reservation)> = [:]
    let donated = recentDonations { if case .reservations(let reservations) = $0 { reservations } else { nil } }
    for (app, _, reservations) in donated {
      for reservation in reservations {
        let id = SurfaceSuggestion.Subject.reservation(app, reservation, .leave).id
        if found[id] == nil { found[id] = (app, reservation) }
      }
    }
    return Array(found.values)
  }

  /// Returns the reservation errands whose time is now, the earliest deadline first.
  private func errandCandidates() -> [SurfaceCandidate] {
    errands.filter { $0.window.start <= now && now < $0.window.end }.map { errand in
      SurfaceCandidate(
        subject: .reservation(errand.app, errand.reservation, errand.errand), probability: 1,
        basis: .known(.reservation(start: errand.reservation.start)), until: errand.window.end)
    }.sorted { $0.until ?? .max < $1.until ?? .max }
  }

  /// The errands of all reservations, past, present and future.
  var errands: [ReservationErrand] {
    reservations.flatMap { app, reservation in
      Errand.allCases.compactMap { errand in
        window(of: errand, reservation).map {
          ReservationErrand(app: app, reservation: reservation, errand: errand, window: $0)
        }
      }
    }
  }

  /// Returns the window in which an errand of the reservation is due, or `nil`. It ends no later than the reservation's
  /// start; the window for leaving begins by the travel time before it (rule S9), and is `nil` if that is zero.
  private func window(of errand: Errand, _ reservation: Reservation) -> (start: Instant, end: Instant)? {
    switch errand {
    case .leave:
      let defaultTime = reservation.place == nil ? .zero : policy.leaveLead
      let travelTime = reservation.travelTime ?? defaultTime
      guard travelTime > .zero, !hasArrived(at: reservation.place) else { return nil }
      return (reservation.start.advanced(by: TimeSpan(milliseconds: -travelTime.milliseconds)), reservation.start)
    case .checkIn:
      return reservation.checkIn.map { ($0.start, min($0.end ?? .max, reservation.start)) }
    }
  }

  /// Whether the user is near the place of a reservation; `false` without a place, or while the user's is unknown.
  private func hasArrived(at place: Place?) -> Bool {
    guard let place, let current = context.place else { return false }
    return current.distance(to: place) <= Self.arrivalDistance
  }

  // MARK: Upcoming media

  /// Returns the upcoming media that the user has not played (rule D7).
  ///
  /// The probability of an item is its container's share of the app's plays, with one play added per listed container;
  /// the *n*-th item of a container gets 1/*n* of it. Except while playing, it is multiplied by the probability that
  /// the app plays anything soon.
  private func upcomingCandidates(whilePlaying: Bool) -> [SurfaceCandidate] {
    guard !surfaces.upcoming.isEmpty else { return [] }
    let plays = recentDonations { if case .media(let intent) = $0 { intent } else { nil } }.map { ($0.app, $0.known) }
    return surfaces.upcoming.flatMap { app, media -> [SurfaceCandidate] in
      let soon = whilePlaying ? 1 : probabilityOfPlaying(app)
      guard soon > 0 else { return [] }
      let (played, everPlayed) = (plays.filter { $0.0 == app }.map(\.1), everPlayed(app))
      let containers = Set(media.intents.map(\.mediaContainer)).count
      var listedCounts: [DisplayIdentity?: Int] = [:]
      return media.intents.enumerated().compactMap { index, item in
        let container = item.mediaContainer
        // An item that names only its container never counts as played.
        let isMore = item.parameters.count > (container == nil ? 0 : 1)
        let kin = container.map { everPlayed[$0] ?? [] } ?? Array(everPlayed.values.joined())
        guard !isMore || !kin.contains(where: item.isPart) else { return nil }
        listedCounts[container, default: 0] += 1
        let count = container == nil ? 0 : played.count { $0.mediaContainer == container }
        let share = Double(count + 1) / Double(played.count + containers)
        return SurfaceCandidate(
          subject: .upcomingMedia(app, item), probability: soon * share / Double(listedCounts[container] ?? 1),
          basis: .known(.upcoming(place: index + 1, playedCount: count, playCount: played.count)))
      }
    }
  }

  /// Returns everything that stored donations of the app played, grouped by container.
  private func everPlayed(_ app: AppID) -> [DisplayIdentity?: [Intent]] {
    var played: [DisplayIdentity?: [Intent]] = [:]
    for case (.media(let intent)?, let content) in zip(donations.recognizedActivities, donations.contents.values)
    where content.app == app {
      played[intent.mediaContainer, default: []].append(intent)
    }
    return played
  }

  /// Returns the highest current probability of the app's donated media playback.
  private func probabilityOfPlaying(_ app: AppID) -> Double {
    let forecast = forecast(at: stepStart(of: now))
    return habits.learned.indices.filter { habits.actionKinds[habits.learned[$0].kind] == .intent(app, .playMedia) }
      .map { forecast.probability(of: ActionID($0)) }.max() ?? 0
  }
}

extension SurfaceCandidate {
  fileprivate var isMedia: Bool {
    guard case .action(.intent(_, let intent)) = subject else { return false }
    return intent.type == .playMedia
  }
}
