import MarqueeModel
import MarqueePredictor

/// Which cached predictions an event invalidates.
enum PredictionInvalidation: Comparable {
  case nothing
  /// The assignment of predictions to widgets.
  case widgets
  /// The same, and the schedule if the members of stacks now use other kinds of actions.
  case members
  /// The same, since the habits or the context changed.
  case habits
  /// The predicted actions and their schedule, and the assignment to widgets.
  case predictionSchedule
}

extension Device {
  /// The range of the number of steps that predictions are computed ahead.
  ///
  /// Within it, the lookahead equals the number of steps since the last event that predictions depend on. Active
  /// devices therefore compute few predictions in vain, and inactive ones wake about once a day.
  private static var lookaheadStepCounts: ClosedRange<Int64> { 8...256 }

  /// Returns the `count` actions that the user is most likely to perform within half an hour, most likely first.
  ///
  /// Ties are ordered by when the actions were first learned. Probabilities are exact, not quantized as for evidence.
  public func likelyActions(count: Int) -> [LikelyAction] {
    let forecast = forecast(at: stepStart(of: now))
    let numbers = forecast.top(count)
    let actions = numbers.map { donations.actions.actions[Int(habits.learned[$0.number].action)] }
    return zip(zip(numbers, actions), displays(of: actions)).map { found, display in
      LikelyAction(
        action: found.1, probability: forecast.probability(of: found.0), reasons: reasons(found.0), display: display)
    }
  }

  /// The recent mean number of learned donations per day, which rotations cost in proportion to (rule R16).
  public var usesPerDay: Double { habits.predictor.usesPerDay }

  /// The number of learned actions.
  public var learnedActionCount: Int { habits.learned.count }

  /// Returns which cached predictions `event` invalidates.
  func predictionInvalidation(by event: Event) -> PredictionInvalidation {
    switch event {
    case .kindsRegistered, .intentTypesRegistered, .relevantShortcutsSet, .policyChanged, .policyOverridden,
      .timeZoneChanged, .utcOffsetsLearned, .donationsDeleted, .donationsRedacted, .donationsTrimmed, .kindsRemoved,
      .intentTypesRemoved, .appRemoved:
      .predictionSchedule
    case .donated, .reported(.contextChanged): .habits
    case .stackEdited, .reported(.suggestionKept): .members
    case .relevantIntentsSet, .timelinePublished, .reported(.homeWidgetAdded), .reported(.homeWidgetRemoved):
      .widgets
    case .reloadRequested, .reported, .developerModeChanged, .languageChanged, .upcomingMediaSet, .focusFilterSet,
      .focusFilterRemoved, .contentRemoved:
      .nothing
    }
  }

  /// Brings predictions up to date after an event or at a boundary.
  mutating func refreshPredictions(_ invalidation: PredictionInvalidation, _ actions: inout [Action]) {
    var invalidation = invalidation
    // The cost of rotations depends on how many actions were learned (rule R16).
    if invalidation >= .habits, widgets.hasPredictions {
      for position in stacks.indices { stacks[position].evaluationCache.invalidate() }
    }
    let hasNewMembers = invalidation == .members && memberActionKinds != predictionSchedule.members
    if invalidation >= .habits || hasNewMembers || predictionSchedule.isOver(at: now) {
      let old = predictionSchedule.expectations
      let hasNewKinds =
        invalidation == .predictionSchedule
        || (invalidation == .habits && predictionSchedule.actionKinds != habits.actionKinds)
      predictionSchedule = computePredictions(
        configured: hasNewKinds ? nil : predictionSchedule.configured,
        members: hasNewKinds || hasNewMembers ? nil : predictionSchedule.members,
        changeCountMax: invalidation >= .members ? 1 : PredictionSchedule.changeCountMax)
      invalidation =
        predictionSchedule.expectations.isEmpty && old.isEmpty && !widgets.hasPredictions ? .nothing : .widgets
    } else if let change = predictionSchedule.change, change.at <= now {
      applyChange(change)
      invalidation = .widgets
    }
    guard invalidation > .nothing else { return }
    // An app whose use window opened no longer waits for it, so its actions may be irrelevant now.
    if openUseWindows(&actions) {
      predictionSchedule = computePredictions(
        configured: predictionSchedule.configured, members: predictionSchedule.members)
    }
    if !predictionSchedule.expectations.isEmpty || widgets.hasPredictions { predict(&actions) }
  }

  // MARK: Prediction schedule

  /// Computes the predicted actions now (or after `reached`) and their next changes.
  ///
  /// - Parameters:
  ///   - reached: The change that has just taken effect, if any.
  ///   - configured: The value of ``PredictionSchedule/configured``, if known.
  ///   - members: The value of ``PredictionSchedule/members``, if known.
  ///   - changeCountMax: The maximum number of changes to compute. After an event, another one is likely before the
  ///     second change.
  func computePredictions(
    after reached: PredictionSchedule.Change? = nil, configured: [Bool]? = nil, members: [Bool]? = nil,
    changeCountMax: Int = 1
  ) -> PredictionSchedule {
    let configured = configured ?? configuredActionKinds
    let matters = relevantActionKinds(configured)
    let members = members ?? memberActionKinds
    guard matters.contains(true), canExpect(leastProbability(members)) else {
      return PredictionSchedule(actionKinds: habits.actionKinds, configured: configured, members: members)
    }
    let end = lookaheadEnd
    var present = reached?.expectations
    var changes: [PredictionSchedule.Change] = []
    var step = reached.map { nextStep(after: $0.at) } ?? stepStart(of: now)
    if step < end || present == nil {
      // No UTC offset changes before the end.
      let (context, offset) = (habits.knownContext(suggestionState.context), offset(at: step))
      let (learned, least) = (habits.learned, memberProbabilityMin)
      habits.predictor.likelyActions(
        .everything, from: context.moment(at: step, offset: offset), atLeast: least,
        where: { matters[learned[$0.number].kind] }
      ) { likely in
        let next = expectations(likely, members)
        if let last = changes.last?.expectations ?? present {
          if next != last { changes.append(.init(at: step, expectations: next)) }
        } else {
          present = next
        }
        step = nextStep(after: step)
        return changes.count < changeCountMax && step < end ? context.moment(at: step, offset: offset) : nil
      }
    }
    return PredictionSchedule(
      present ?? [], then: changes, isComplete: step >= end, end: end, actionKinds: habits.actionKinds,
      configured: configured, members: members)
  }

  /// Applies the next change of the schedule, which is due, and computes those after it unless they are known.
  private mutating func applyChange(_ change: PredictionSchedule.Change) {
    if canExpect(leastProbability(predictionSchedule.members)), predictionSchedule.applyChange() { return }
    predictionSchedule = computePredictions(
      after: change, configured: predictionSchedule.configured, members: predictionSchedule.members,
      changeCountMax: PredictionSchedule.changeCountMax)
  }

  /// The minimum probability of a relevant action, given for each learned action kind whether it configures a member.
  private func leastProbability(_ members: [Bool]) -> Double {
    members.contains(true) ? memberProbabilityMin : policy.predictionMin
  }

  /// Returns the expectations of a forecast's relevant actions, given for each learned action kind whether it
  /// configures a member of a stack.
  private func expectations(_ likely: [ActionProbability], _ members: [Bool]) -> [PredictionSchedule.Expectation] {
    var found: [PredictionSchedule.Expectation] = []
    for entry in likely {
      let learned = habits.learned[entry.action.number]
      let isLikely = entry.probability >= policy.predictionMin
      guard isLikely || members[learned.kind] else { continue }
      let parts = PredictionSchedule.parts(of: entry.probability)
      found.append(.init(action: learned.action, parts: parts, isLikely: isLikely))
    }
    return found
  }

  /// The minimum probability of an action for the rotations of stacks.
  var memberProbabilityMin: Double { min(policy.predictionMin, PredictionSchedule.memberProbabilityMin) }

  func forecast(at instant: Instant) -> Forecast {
    habits.predictor.soon(.everything, at: moment(at: instant))
  }

  func moment(at instant: Instant) -> Moment {
    habits.moment(at: instant, offset: offset(at: instant), suggestionState.context)
  }

  /// Returns the offset from UTC at `instant` in seconds, or 0 if the UTC offsets are unknown.
  func offset(at instant: Instant) -> Int { offsets?.seconds(at: instant) ?? 0 }

  /// Returns the milliseconds of local time since the last multiple of `seconds`.
  private func excess(_ seconds: Int64, at instant: Instant) -> Int64 {
    let local = instant.milliseconds + Int64(offset(at: instant)) * 1_000
    let size = seconds * 1_000
    return (local % size + size) % size
  }

  /// Returns the start of the five-minute step of local time that contains `instant`, or the last UTC offset change if
  /// that is later.
  func stepStart(of instant: Instant) -> Instant {
    let excess = excess(Int64(Predictor.stepSeconds), at: instant)
    let start = instant.advanced(by: TimeSpan(milliseconds: -excess))
    return offsets.flatMap { $0.steps.last { $0.start <= instant } }.map { max(start, $0.start) } ?? start
  }

  /// Returns the start of the step after the one that contains `instant`, as ``stepStart(of:)`` defines it.
  func stepStart(after instant: Instant) -> Instant {
    let size = Int64(Predictor.stepSeconds)
    let span = size * 1_000 - excess(size, at: instant)
    let next = instant.advanced(by: TimeSpan(milliseconds: span))
    return min(next, nextOffsetChange(after: instant))
  }

  /// Returns the next known change of the UTC offset after `instant`, or ``Instant/max``.
  private func nextOffsetChange(after instant: Instant) -> Instant {
    offsets?.steps.first { $0.start > instant }?.start ?? .max
  }

  /// Returns the instant one step after `start`.
  func nextStep(after start: Instant) -> Instant { start.advanced(by: .seconds(Int64(Predictor.stepSeconds))) }

  /// The end of the interval for which predictions are computed.
  ///
  /// The lookahead doubles with the time since ``lastContextChange``, and stops at the next UTC offset change. The
  /// value is the same for every evaluation before that end.
  private var lookaheadEnd: Instant {
    let size = TimeSpan.seconds(Int64(Predictor.stepSeconds)).milliseconds
    let start = stepStart(of: lastContextChange)
    let passed = start.span(to: now).milliseconds / size
    var count = Self.lookaheadStepCounts.lowerBound
    while 2 * count <= min(passed, Self.lookaheadStepCounts.upperBound) { count *= 2 }
    let end = start.advanced(by: TimeSpan(milliseconds: (passed / count + 1) * count * size))
    return min(end, nextOffsetChange(after: now))
  }

  /// Whether any prediction can reach the given minimum probability.
  ///
  /// After a day without donations, all probabilities decay with a half-life of 14 days (rule P4), so eventually none
  /// can.
  private func canExpect(_ least: Double) -> Bool {
    guard let last = habits.lastDate else { return false }
    var (halvings, probability) = (0 as Int64, 1.0)
    while probability >= least {
      probability /= 2
      halvings += 1
    }
    // Local time can be off by up to a day.
    return last.span(to: now) <= .days(3 + 14 * halvings)
  }

  /// Returns, for each learned action kind, whether it configures a widget kind or a shortcut of its app waits for use.
  private func relevantActionKinds(_ configured: [Bool]) -> [Bool] {
    let waiting = SuggestionState.appsAwaitingUse(suggestionState.shortcuts, suggestionState.useFound)
    guard !waiting.isEmpty else { return configured }
    return zip(configured, habits.actionKinds).map { $0 || waiting.contains($1.app) }
  }

  /// For each learned action kind, whether it configures a widget kind.
  private var configuredActionKinds: [Bool] {
    habits.actionKinds.map { kind in
      guard case .intent(let app, let type) = kind else { return false }
      return kinds.values.indices.contains { isConfigured($0, by: type, of: app) }
    }
  }

  /// For each learned action kind, whether it configures a member of a stack.
  private var memberActionKinds: [Bool] {
    var isOfMember = [Bool](repeating: false, count: habits.actionKinds.count)
    guard !isOfMember.isEmpty else { return isOfMember }
    let table = habits.actionKindTable
    for slot in widgets.occupiedSlots where widgets[slot].membershipCount > 0 {
      guard let type = widgets[slot].widget.configuration?.type else { continue }
      let kind = table.index(of: .intent(widgets[slot].widget.kind.app, type))
      if let kind { isOfMember[Int(kind)] = true }
    }
    return isOfMember
  }

  /// Whether the app's intents of a type configure a widget kind. Avoids copying descriptors on a hot path.
  func isConfigured(_ kind: Int, by type: IntentType, of app: AppID) -> Bool {
    guard case .intent(let own) = kinds.values[kind].configuration else { return false }
    return own == type && kinds.values[kind].kind.app == app
  }

  // MARK: Use of apps

  /// Opens the windows of shortcuts without providers whose app is now likely to be used (rule S4).
  ///
  /// - Returns: Whether any window opened.
  private mutating func openUseWindows(_ actions: inout [Action]) -> Bool {
    let found = recordLikelyUse()
    for app in found { setWindows(of: app, &actions) }
    return !found.isEmpty
  }

  /// Records the present as the likely time of use for each waiting app that is predicted, and returns those apps.
  mutating func recordLikelyUse() -> [AppID] {
    let waiting = SuggestionState.appsAwaitingUse(suggestionState.shortcuts, suggestionState.useFound)
    guard !waiting.isEmpty, !predictionSchedule.expectations.isEmpty else { return [] }
    var found: [AppID] = []
    for expectation in predictionSchedule.expectations where expectation.isLikely {
      let app = donations.actions.actions[Int(expectation.action)].app
      if waiting.contains(app), !found.contains(app) { found.append(app) }
    }
    for app in found { suggestionState.useFound[app] = now }
    return found
  }
}
