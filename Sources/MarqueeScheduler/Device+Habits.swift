import MarqueeModel
import MarqueePredictor

/// What is to be found anew about predictions after an event.
enum Stale: Comparable {
  case nothing
  /// Which widgets are meant.
  case widgets
  /// What is expected, and when.
  case foresight
}

extension Device {
  /// How many steps ahead probabilities are looked at: as many as passed since something happened that they rest on,
  /// within these limits. So one who does much is seldom foreseen in vain, and the device of one who does nothing wakes
  /// about once a day.
  private static var aheadCounts: ClosedRange<Int64> { 8...256 }

  /// The `count` actions that the person most probably does within half an hour, most probable first; of two alike,
  /// the one that was learned first. Probabilities are whole, as they are before they count for evidence.
  public func likelyActions(count: Int) -> [LikelyAction] {
    let forecast = forecast(at: stepStart(of: now))
    return forecast.top(count).map { number in
      LikelyAction(
        action: donations.actions.actions[Int(habits.learned[number.number].action)],
        probability: forecast.probability(of: number), reasons: reasons(number))
    }
  }

  /// Actions that are learned.
  public var learnedActionCount: Int { habits.learned.count }

  /// What becomes stale by an event.
  func stale(by event: Event) -> Stale {
    switch event {
    case .kindsRegistered, .intentTypesRegistered, .relevantShortcutsSet, .policyChanged, .policyOverridden,
      .timeZoneChanged, .utcOffsetsLearned, .donated, .donationsDeleted, .donationsErased,
      .donationsTrimmed, .reported(.contextChanged):
      .foresight
    case .relevantIntentsSet, .stackEdited, .timelinePublished,
      .reported(.suggestionKept), .reported(.homeWidgetAdded), .reported(.homeWidgetRemoved):
      .widgets
    case .reloadAsked, .reported, .developerModeChanged, .upcomingMediaSet: .nothing
    }
  }

  /// Takes in what is expected now, after an event or at an edge.
  mutating func expect(_ stale: Stale, _ actions: inout [Action]) {
    var stale = stale
    if stale == .foresight || foresight.isOver(at: now) {
      let old = foresight.expectations
      foresight = foreseen(configured: stale == .foresight ? nil : foresight.configured)
      stale = foresight.expectations.isEmpty && old.isEmpty && !widgets.hasPredictions ? .nothing : .widgets
    } else if let change = foresight.change, change.at <= now {
      foresight = foreseen(after: change, configured: foresight.configured)
      stale = .widgets
    }
    guard stale > .nothing else { return }
    // Who waits for no use any more may matter no more.
    if findUse(&actions) { foresight = foreseen(configured: foresight.configured) }
    if !foresight.expectations.isEmpty || widgets.hasPredictions { predict(&actions) }
  }

  // MARK: Looking ahead

  /// What is expected now, or after `reached`, and what next.
  ///
  /// - Parameter configured: What ``Foresight/configured`` is, if that is known.
  func foreseen(after reached: Foresight.Change? = nil, configured: [Bool]? = nil) -> Foresight {
    let configured = configured ?? configuredSorts
    let matters = sortsThatMatter(configured)
    guard matters.contains(true), canExpect else { return Foresight(configured: configured) }
    let end = foresightEnd
    var present = reached?.expectations
    var change: Foresight.Change?
    var step = reached.map { nextStep(after: $0.at) } ?? stepStart(of: now)
    if step < end || present == nil {
      habits.predictor.soon(.everything, from: moment(at: step)) { forecast in
        let next = expectations(forecast, matters)
        if let present, next != present { change = Foresight.Change(at: step, expectations: next) }
        present = present ?? next
        step = nextStep(after: step)
        return change == nil && step < end ? moment(at: step) : nil
      }
    }
    return Foresight(present ?? [], then: change, end: end, configured: configured)
  }

  private func expectations(_ forecast: Forecast, _ matters: [Bool]) -> [Foresight.Expectation] {
    forecast.actions(atLeast: policy.predictionMin).compactMap { number in
      let learned = habits.learned[number.number]
      guard matters[learned.sort] else { return nil }
      return .init(action: learned.action, parts: Foresight.parts(of: forecast.probability(of: number)))
    }
  }

  func forecast(at instant: Instant) -> Forecast {
    habits.predictor.soon(.everything, at: moment(at: instant))
  }

  private func moment(at instant: Instant) -> Moment {
    habits.moment(at: instant, offset: offset(at: instant), book.context)
  }

  private func offset(at instant: Instant) -> Int { offsets?.seconds(at: instant) ?? 0 }

  /// Milliseconds of local time since a multiple of `seconds`.
  private func excess(_ seconds: Int64, at instant: Instant) -> Int64 {
    let local = instant.milliseconds + Int64(offset(at: instant)) * 1_000
    let size = seconds * 1_000
    return (local % size + size) % size
  }

  /// The start of the five minutes of local time around an instant, or of the time since the clocks were set.
  func stepStart(of instant: Instant) -> Instant {
    let excess = excess(Int64(Predictor.stepSeconds), at: instant)
    let start = instant.advanced(by: TimeSpan(milliseconds: -excess))
    return offsets.flatMap { $0.steps.last { $0.start <= instant } }.map { max(start, $0.start) } ?? start
  }

  /// Five minutes after the start of a step.
  func nextStep(after start: Instant) -> Instant { start.advanced(by: .seconds(Int64(Predictor.stepSeconds))) }

  /// Until when is looked ahead: to where twice as much time has passed since ``quietSince`` as at the last look, but
  /// not past when the clocks are set. It is the same whenever it is asked for before then.
  private var foresightEnd: Instant {
    let size = TimeSpan.seconds(Int64(Predictor.stepSeconds)).milliseconds
    let start = stepStart(of: quietSince)
    let passed = start.span(to: now).milliseconds / size
    var count = Self.aheadCounts.lowerBound
    while 2 * count <= min(passed, Self.aheadCounts.upperBound) { count *= 2 }
    let end = start.advanced(by: TimeSpan(milliseconds: (passed / count + 1) * count * size))
    return offsets.flatMap { $0.steps.first { $0.start > now } }.map { min(end, $0.start) } ?? end
  }

  /// Whether anything can be expected at all: after a day without donations everything fades with a half-life of 14
  /// days (rule P4), so that what is certain falls below the least probability that counts after so many.
  private var canExpect: Bool {
    guard let last = habits.lastDate else { return false }
    var (halvings, probability) = (0 as Int64, 1.0)
    while probability >= policy.predictionMin {
      probability /= 2
      halvings += 1
    }
    // Local time can be off by a day more.
    return last.span(to: now) <= .days(3 + 14 * halvings)
  }

  /// For each sort of learned actions, whether a kind is configured by it, or a shortcut of its app waits for use.
  private func sortsThatMatter(_ configured: [Bool]) -> [Bool] {
    let waiting = SuggestionBook.appsAwaitingUse(book.shortcuts, book.useFound)
    guard !waiting.isEmpty else { return configured }
    return zip(configured, habits.sorts).map { $0 || waiting.contains($1.app) }
  }

  /// For each sort of learned actions, whether a kind is configured by it.
  private var configuredSorts: [Bool] {
    habits.sorts.map { sort in
      guard case .intent(let app, let type) = sort else { return false }
      return kinds.values.indices.contains { isConfigured($0, by: type, of: app) }
    }
  }

  /// Whether the app's intents of a type configure a kind. Descriptors are much to copy, and this is asked of many.
  func isConfigured(_ kind: Int, by type: IntentType, of app: AppID) -> Bool {
    guard case .intent(let own) = kinds.values[kind].configuration else { return false }
    return own == type && kinds.values[kind].kind.app == app
  }

  // MARK: Use of apps

  /// Opens the window of shortcuts that leave the time to the system, when their app is likely to be used (rule S4);
  /// says whether it did.
  private mutating func findUse(_ actions: inout [Action]) -> Bool {
    let found = noteUse()
    for app in found { setWindows(of: app, &actions) }
    return !found.isEmpty
  }

  /// Notes for each app that waits for use, and is likely to be used, that it was found now; gives those apps.
  mutating func noteUse() -> [AppID] {
    let waiting = SuggestionBook.appsAwaitingUse(book.shortcuts, book.useFound)
    guard !waiting.isEmpty, !foresight.expectations.isEmpty else { return [] }
    var found: [AppID] = []
    for expectation in foresight.expectations {
      let app = donations.actions.actions[Int(expectation.action)].app
      if waiting.contains(app), !found.contains(app) { found.append(app) }
    }
    for app in found { book.useFound[app] = now }
    return found
  }
}
