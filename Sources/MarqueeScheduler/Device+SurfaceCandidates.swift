import MarqueeModel
import MarqueePredictor
import OrderedCollections

/// Where suggestions come from: habits, what apps have next, reservations, messages and relevant shortcuts.
extension Device {
  /// How long what the person does often is counted for the shortcuts gallery.
  static var frequencySpan: TimeSpan { .days(28) }
  /// Times that something was done from which on the gallery lists it, as a habit is noticed (rule P4).
  private static var frequentCountMin: Int { 3 }
  /// The latest donations of each known type that are looked at.
  private static var tallyCountMax: Int { 512 }
  /// How near its place, in metres, the person need not leave for a reservation any more.
  private static var arrivalDistance: Double { 300 }

  /// What the surface can suggest now, in the order in which alike ones are ranked.
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
    }
  }

  /// Everything on the device that can ever be suggested without another event than the passing of time.
  var everySubject: [SurfaceSuggestion.Subject] {
    habits.learned.map { .action(donations.actions.actions[Int($0.action)]) }
      + surfaces.upcoming.flatMap { app, media in media.intents.map { .upcomingMedia(app, $0) } }
      + reservations.flatMap { app, reservation in
        Errand.allCases.map { .reservation(app, reservation, $0) }
      }
      + messages.flatMap { message in message.recipients.map { .person(message.app, $0) } }
      + book.shortcuts.flatMap { app, shortcuts in shortcuts.map { .shortcut(app, $0) } }
  }

  /// The persons whom messages went to while the focus was on, often enough to let them through in it (rule D8): those
  /// with the most messages first, and of two alike the one of the latest message.
  public func people(allowedIn focus: FocusID) -> [AssociatedPerson] {
    let sent = messages.filter { $0.focus == focus && !book.blockedApps.contains($0.app) }
    var counts: OrderedDictionary<DisplayIdentity, Int> = [:]
    for person in sent.flatMap(\.recipients) { counts[person, default: 0] += 1 }
    return counts.map { AssociatedPerson(person: $0.key, sentCount: $0.value, messageCount: sent.count) }
      .filter(\.isStrong).enumerated().sorted {
        ($1.element.sentCount, $0.offset) < ($0.element.sentCount, $1.offset)
      }.map(\.element)
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

  /// What was done on many of the latest days on which anything was, unless its type is not discoverable (rule D3).
  private func frequentCandidates() -> [SurfaceCandidate] {
    var days: Set<Int> = []
    var counts = Array(repeating: (times: 0, days: 0, last: Int.max), count: habits.learned.count)
    for record in donations.records.newestFirst {
      guard record.date.span(to: now) <= Self.frequencySpan else { break }
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
      // Who travels may come to a day twice.
      let doneCount = min(count.days, days.count)
      let basis = SurfaceSuggestion.Reason.frequent(doneDayCount: doneCount, dayCount: days.count)
      let candidate = actionCandidate(index, Double(doneCount) / Double(days.count), .known(basis))
      // The gallery lists what apps have described.
      return isDiscoverable(candidate.subject, ifUnknown: false) ? candidate : nil
    }
  }

  /// Whether surfaces may show it: intents of a type that its app has registered as not discoverable are nowhere to be
  /// found, however likely they are.
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

  /// The latest donations of one known type, newest first; none of an app that has registered the type as not eligible
  /// for suggestions (rule D3).
  private func known<Known>(
    _ part: (KnownDeed) -> Known?
  ) -> some Sequence<(app: AppID, record: DonationRecord, known: Known)> {
    let parts = donations.knownDeeds.enumerated().map { index, deed -> Known? in
      guard let deed, let known = part(deed) else { return nil }
      let type = intentTypes(of: donations.contents.values[index].app).first { $0.type == deed.type }
      return type?.isEligibleForSuggestions ?? true ? known : nil
    }
    return donations.records.newestFirst.lazy.compactMap { [donations] record in
      parts[Int(record.content)].map { (donations.app(of: record), record, $0) }
    }.prefix(Self.tallyCountMax)
  }

  /// What the latest donations say of reservations: of two of one app for one item, the latest.
  private var reservations: [(app: AppID, reservation: Reservation)] {
    var found: OrderedDictionary<SuggestionID, (app: AppID, reservation: Reservation)> = [:]
    let told = known { if case .reservations(let reservations) = $0 { reservations } else { nil } }
    for (app, _, reservations) in told {
      for reservation in reservations {
        let id = SurfaceSuggestion.Subject.reservation(app, reservation, .leave).id
        if found[id] == nil { found[id] = (app, reservation) }
      }
    }
    return Array(found.values)
  }

  /// What there is to do about reservations now, the soonest to begin first.
  private func errandCandidates() -> [SurfaceCandidate] {
    let windows = reservations.flatMap { app, reservation in
      Errand.allCases.compactMap { errand in window(of: errand, reservation).map { (app, reservation, errand, $0) } }
    }.filter { $0.3.start <= now && now < $0.3.end }
    return windows.map { app, reservation, errand, window in
      SurfaceCandidate(
        subject: .reservation(app, reservation, errand), probability: 1,
        basis: .known(.reservation(start: reservation.start)), until: window.end)
    }.sorted { $0.until ?? .max < $1.until ?? .max }
  }

  /// When there is something to do about the reservation: before it begins, and not afterwards.
  private func window(of errand: Errand, _ reservation: Reservation) -> (start: Instant, end: Instant)? {
    switch errand {
    case .leave:
      guard let place = reservation.place,
        context.place.map({ $0.distance(to: place) > Self.arrivalDistance }) ?? true
      else { return nil }
      return (reservation.start.advanced(by: TimeSpan(milliseconds: -policy.leaveLead.milliseconds)), reservation.start)
    case .checkIn:
      return reservation.checkIn.map { ($0.start, min($0.end ?? .max, reservation.start)) }
    }
  }

  /// The latest messages, newest first.
  private var messages: [(app: AppID, recipients: [DisplayIdentity], focus: FocusID?)] {
    known { if case .message(let recipients) = $0 { recipients } else { nil } }
      .map { ($0.app, $0.known, donations.context(of: $0.record).focus) }
  }

  /// Whom messages go to: while a focus is on in which some were sent, whom those went to.
  private func personCandidates() -> [SurfaceCandidate] {
    var meant = messages.filter { !book.blockedApps.contains($0.app) }
    let inFocus = meant.filter { $0.focus == context.focus }
    let focus = inFocus.isEmpty ? nil : context.focus
    if focus != nil { meant = inFocus }
    var counts: OrderedDictionary<SuggestionID, (subject: SurfaceSuggestion.Subject, count: Int)> = [:]
    for message in meant {
      for person in message.recipients {
        let subject = SurfaceSuggestion.Subject.person(message.app, person)
        counts[subject.id, default: (subject, 0)].count += 1
      }
    }
    return counts.values.map { subject, count in
      SurfaceCandidate(
        subject: subject, probability: Double(count) / Double(meant.count + 1),
        basis: .known(.messages(sentCount: count, messageCount: meant.count, focus: focus)))
    }
  }

  // MARK: Upcoming media

  /// What apps have next and the person has not played (rule D7).
  ///
  /// Its probability is the part of the app's plays that were of the same container, each container that is listed
  /// counting as played once more; of several items of one container, the second gets half as much, and so on. Where
  /// nothing is played yet, it is as probable as it is that the app plays anything soon.
  private func upcomingCandidates(whilePlaying: Bool) -> [SurfaceCandidate] {
    guard !surfaces.upcoming.isEmpty else { return [] }
    let plays = known { if case .media(let intent) = $0 { intent } else { nil } }.map { ($0.app, $0.known) }
    return surfaces.upcoming.flatMap { app, media -> [SurfaceCandidate] in
      let soon = whilePlaying ? 1 : probabilityOfPlaying(app)
      guard soon > 0 else { return [] }
      let (played, everPlayed) = (plays.filter { $0.0 == app }.map(\.1), everPlayed(app))
      let containers = Set(media.intents.map(\.mediaContainer)).count
      var listedCounts: [DisplayIdentity?: Int] = [:]
      return media.intents.enumerated().compactMap { index, item in
        let container = item.mediaContainer
        // What names nothing but its container is never played to the end.
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

  /// What remembered donations of the app, however old, played, by its container.
  private func everPlayed(_ app: AppID) -> [DisplayIdentity?: [Intent]] {
    var played: [DisplayIdentity?: [Intent]] = [:]
    for case (.media(let intent)?, let content) in zip(donations.knownDeeds, donations.contents.values)
    where content.app == app {
      played[intent.mediaContainer, default: []].append(intent)
    }
    return played
  }

  /// The highest probability now of what the app donated as playing media.
  private func probabilityOfPlaying(_ app: AppID) -> Double {
    let forecast = forecast(at: stepStart(of: now))
    return habits.learned.indices.filter { habits.sorts[habits.learned[$0].sort] == .intent(app, .playMedia) }
      .map { forecast.probability(of: ActionID($0)) }.max() ?? 0
  }
}

extension SurfaceCandidate {
  fileprivate var isMedia: Bool {
    guard case .action(.intent(_, let intent)) = subject else { return false }
    return intent.type == .playMedia
  }
}
