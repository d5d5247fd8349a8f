import MarqueeModel
import OrderedCollections

/// The complete state of one device, as a value: events in, actions out.
///
/// The state is a pure function of the events, their instants, and ``now``; the number of intermediate calls to
/// ``advance(to:)`` has no effect. Validate events with ``check(_:limits:)`` before handling them.
public struct Device: Equatable, Sendable {
  /// The device's identifier.
  public let id: DeviceID
  /// The device's time zone.
  public internal(set) var timeZone: TimeZoneID
  /// The language of the device's user, in which apps register their texts.
  public internal(set) var language = LanguageTag.english
  /// The policy in effect: the configured policy with the device's overrides applied.
  public internal(set) var policy: Policy
  /// The policy that the server is configured with.
  public internal(set) var configuredPolicy: Policy
  /// The device's policy overrides, in the units of their fields.
  public internal(set) var policyOverrides: [PolicyField: Double] = [:]
  /// Whether developer mode is on, which lifts the dwell and hold gates and all budgets.
  public internal(set) var isDeveloperModeOn = false
  /// The device's time. All changes due by this instant have been applied.
  public internal(set) var now: Instant
  /// The number of decisions made so far, which is also the number of the last decision.
  public internal(set) var decisionCount: UInt64 = 0
  /// The app that the user is using, if any.
  public internal(set) var foregroundApp: AppID?
  /// The UTC offsets of the device's time zone, or `nil` until they are known. Wall time is UTC without them.
  public internal(set) var offsets: UTCOffsets?
  /// The sizes at which the display shows the widgets of each family, as far as it has reported them (rule W8).
  public internal(set) var widgetSizes: [WidgetFamily: WidgetSize] = [:]
  /// The next instant at which the state can change without an event, or `nil` if nothing is scheduled.
  public internal(set) var nextWake: Instant?

  @CopyOnWrite var kinds: OrderedDictionary<WidgetKind, WidgetDescriptor> = [:]
  /// The score reference of each of ``kinds``, at the same index.
  var scores: [KindScores] = []
  var widgets = WidgetTable()
  var stacks = StackTable()
  @CopyOnWrite var suggestionState = SuggestionState()
  /// The stored donations (rule D1).
  @CopyOnWrite var donations = DonationLog()
  /// Upcoming media, and feedback on the suggestions of surfaces.
  @CopyOnWrite var surfaces = SurfaceState()
  /// The Focus filters that displays have set (rule S11).
  @CopyOnWrite var focusFilterTable = FocusFilterTable()
  /// The habits learned from ``donations``.
  @CopyOnWrite var habits = Habits()
  /// The cached predictions (rule P1).
  var predictionSchedule = PredictionSchedule()
  /// When the last event occurred that predictions depend on.
  var lastContextChange: Instant
  /// The recent changes of the context, for late donations.
  var contextHistory = ContextHistory()
  /// When the time-based gates open for the suggestion candidate that only they block, or `nil` if there is none.
  var nextSuggestionCheck: Instant?
  /// The gate that blocked the best suggestion when blocked decisions were last counted.
  @Uncompared var suggestionBlockingGate = BlockingGate()
  /// Whether the last evaluation of suggestions is still valid.
  @Uncompared var suggestionEvaluationCache = EvaluationCache()
  /// The stored size of everything that apps have set, in bytes.
  var settingsSize = 0
  /// Decisions and predictions whose outcome is pending, while outcomes are counted.
  @Uncompared var outcomes = OutcomeTracker()

  /// Creates a device without stacks or widgets.
  public init(id: DeviceID, timeZone: TimeZoneID, policy: Policy = .default, at now: Instant) {
    self.id = id
    self.timeZone = timeZone
    self.policy = policy
    configuredPolicy = policy
    self.now = now
    lastContextChange = now
  }

  /// Applies an event and returns the actions that follow, after those that became due before it.
  ///
  /// The event must have passed ``check(_:limits:)`` at `instant`, after a call to ``advance(to:)``: validity
  /// depends on the suggestions shown, which change with time.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - instant: The time of the event.
  ///   - sequence: The sequence of the event in the device's journal, if it has one: see ``TimelineStorage``.
  /// - Precondition: `instant` is not before ``now``.
  public mutating func handle(_ event: Event, at instant: Instant, sequence: UInt64? = nil) -> [Action] {
    var actions = advance(to: instant)
    recordOutcomes(of: event)
    if !event.invalidatesOnlyItsTargets { invalidateAll() }
    let invalidation = predictionInvalidation(by: event)
    if invalidation >= .habits { lastContextChange = now }
    let (app, oldSize) = (event.settingApp, event.settingApp.map(settingsSize) ?? 0)
    apply(event, sequence: sequence, &actions)
    if let app { settingsSize += settingsSize(of: app) - oldSize }
    refreshPredictions(invalidation, &actions)
    evaluate(&actions)
    removeOrphanedCounts(after: event)
    return actions
  }

  /// Advances time and returns the actions that became due, each with the instant at which it became due.
  ///
  /// - Precondition: `instant` is not before ``now``.
  public mutating func advance(to instant: Instant) -> [Action] {
    precondition(instant >= now, "time moves backwards by \(instant.span(to: now).milliseconds) ms")
    var actions: [Action] = []
    while let due = nextWake, due <= instant {
      now = due
      advanceToDueBoundaries(&actions)
      endSnoozes()
      refreshPredictions(.nothing, &actions)
      evaluate(&actions)
    }
    now = instant
    return actions
  }

  private mutating func apply(_ event: Event, sequence: UInt64?, _ actions: inout [Action]) {
    switch event {
    case .kindsRegistered(_, let descriptors):
      register(descriptors, &actions)
    case .intentTypesRegistered(let app, let descriptors): register(descriptors, of: app, &actions)
    case .relevantShortcutsSet(let app, let shortcuts):
      suggestionState.shortcuts[app] = shortcuts.isEmpty ? nil : shortcuts
      suggestionState.useFound[app] = nil
      // Recompute the likely use first, so that an unchanged suggestion is not withdrawn and suggested again.
      predictionSchedule = computePredictions()
      _ = recordLikelyUse()
      setWindows(of: app, &actions)
    case .relevantIntentsSet(let app, let intents):
      suggestionState.intents[app] = intents.isEmpty ? nil : intents
      setWindows(of: app, &actions)
    case .timelinePublished(let widget, let timeline):
      publish(timeline, sequence: sequence, for: widget, &actions)
    case .reloadRequested(let app, let kind):
      let isCounted = foregroundApp != app
      for slot in widgets.occupiedSlots {
        let asked = widgets[slot].widget.kind
        guard asked.app == app, asked.name == kind ?? asked.name else { continue }
        enqueueReload(.app, slot, isCounted: isCounted, &actions)
      }
    case .stackEdited(let stack, let edit):
      self.edit(stack, edit, &actions)
    case .reported(let report):
      apply(report, &actions)
    case .policyChanged(let policy):
      apply(policy, overrides: policyOverrides, &actions)
    case .policyOverridden(let change):
      apply(configuredPolicy, overrides: change.applied(to: policyOverrides), &actions)
    case .developerModeChanged(let isOn):
      isDeveloperModeOn = isOn
    case .timeZoneChanged(let zone):
      if zone != timeZone { offsets = nil }
      timeZone = zone
    case .languageChanged(let language): self.language = language
    case .utcOffsetsLearned(let offsets): self.offsets = offsets
    case .donated(let app, let donations): apply(donations, of: app)
    case .donationsDeleted(let app, let selection): delete(selection, of: app)
    case .donationsTrimmed(let app, let count, let onlyReceived): trim(app, to: count, onlyReceived: onlyReceived)
    case .donationsRedacted: removeOrphanedFeedback()
    case .upcomingMediaSet(let app, let media):
      surfaces.upcoming[app] = media.isDefault ? nil : media
    case .focusFilterSet(let app, let focus, let intent):
      setFocusFilter(FocusFilter.Key(app: app, intentType: intent.type, focus: focus), to: intent, &actions)
    case .focusFilterRemoved(let key): setFocusFilter(key, to: nil, &actions)
    case .kindsRemoved(let app, let names): removeKinds(names, of: app, &actions)
    case .intentTypesRemoved(let app, let types): removeIntentTypes(types, of: app, &actions)
    case .appRemoved(let app): removeApp(app, &actions)
    case .contentRemoved: break
    }
  }

  /// Performs everything that follows from the present state: reload requests, rotations and suggestions, and computes
  /// the next wake.
  mutating func evaluate(_ actions: inout [Action]) {
    for slot in widgets.summaries.indices where widgets.summaries[slot].reloadDue.map({ $0 <= now }) ?? false {
      requestReloadIfDue(slot, &actions)
    }
    withdrawSuggestions(&actions)
    var isUpToDate = isUpToDate(suggestionEvaluationCache, nextSuggestionCheck)
    for position in stacks.indices where !self.isUpToDate(position) {
      isUpToDate = false
      rotateIfDue(position, &actions)
    }
    if !isUpToDate { suggestIfDue(&actions) }
    nextWake = earliestBoundary()
    precondition(nextWake.map { $0 > now } ?? true, "the next wake is already due")
  }

  /// Recomputes the derived parts of the state after decoding.
  mutating func recomputeDerivedState() {
    for slot in widgets.occupiedSlots where widgets[slot].current?.expiry != nil {
      widgets[slot].restoreExpiry(at: now)
    }
    for stack in stacks.all {
      for slot in stack.members { widgets[slot].membershipCount += 1 }
    }
    // Before version 8, a widget outside stacks had no slot unless something else referred to it.
    for instance in suggestionState.homeWidgets { widgets[slot(making: instance)].isOutsideStacks = true }
    recomputeEngagementFactors()
    recomputeScoreReferences { _ in true }
    settingsSize = allSettingsSize()
    habits = Habits(donations)
    predictionSchedule = computePredictions()
    nextSuggestionCheck = suggestionVerdict(groupLeaders()).nextCheck
    for index in stacks.indices {
      noteQuiet(index)
      stacks[index].nextCheck = nextCheck(at: index)
    }
    nextWake = earliestBoundary()
  }

  private func earliestBoundary() -> Instant? {
    // `Instant.max` means never.
    let never = Instant.max
    var earliest = never
    func offer(_ instant: Instant?) {
      if let instant, instant < earliest { earliest = instant }
    }
    for slot in widgets.summaries.indices {
      offer(widgets.summaries[slot].nextBoundary)
      if let due = widgets.summaries[slot].reloadDue { offer(due > now ? due : nextReloadCheck(slot)) }
    }
    for kind in scores { offer(kind.history.nextExpiry(retention: policy.scoreRetention)) }
    for position in stacks.indices { offer(stacks[position].nextCheck) }
    offer(nextSuggestionCheck)
    offer(suggestionState.nextSnoozeEnd)
    offer(predictionSchedule.nextBoundary)
    return earliest == never ? nil : earliest
  }
}
