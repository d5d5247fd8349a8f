import MarqueeModel
import OrderedCollections

/// One device's whole state as a value: events in, actions out (rules T, R, U).
///
/// The state is a pure function of the events and of ``now``: how often ``advance(to:)`` was called in between
/// changes nothing (rules R8, R9). Events must have passed ``check(_:limits:)``.
public struct Device: Equatable, Sendable {
  /// The device's name.
  public let id: DeviceID
  /// Where the device is.
  public internal(set) var timeZone: TimeZoneID
  /// The numbers of the rules in force: those configured, and the device's own instead of some.
  public internal(set) var policy: Policy
  /// The numbers of the rules that the server is configured with.
  public internal(set) var configuredPolicy: Policy
  /// The device's own numbers, in their fields' units.
  public internal(set) var policyOverrides: [PolicyField: Double] = [:]
  /// Whether dwell, hold and budgets are lifted (rule R7).
  public internal(set) var isDeveloperModeOn = false
  /// The instant up to which everything that was due has happened.
  public internal(set) var now: Instant
  /// Decisions taken so far; the last one has this number.
  public internal(set) var decisionCount: UInt64 = 0
  /// The app that the person is using (rule T9).
  public internal(set) var foregroundApp: AppID?
  /// How far the device's clocks are from UTC; `nil` until that was told of its zone, when wall time is UTC.
  public internal(set) var offsets: UTCOffsets?
  /// The next instant at which anything can change without an event; `nil` when nothing is due (rule R9).
  public internal(set) var nextWake: Instant?

  @Shared var kinds: OrderedDictionary<WidgetKind, WidgetDescriptor> = [:]
  /// What each of ``kinds`` is measured against, at the same index.
  var scores: [KindScores] = []
  var widgets = WidgetTable()
  var stacks = StackTable()
  @Shared var book = SuggestionBook()
  /// The donations that are remembered (rule D1).
  @Shared var donations = DonationLog()
  /// What surfaces are told beside that, and what became of it.
  @Shared var surfaces = SurfaceBook()
  /// What was learned from them.
  @Shared var habits = Habits()
  /// What is expected of the person (rule P1).
  var foresight = Foresight()
  /// When the last event was that what is expected rests on.
  var quietSince: Instant
  /// What surrounded the person lately.
  var trail = ContextTrail()
  /// When the gates that time opens will have opened for a suggestion that waits for nothing else.
  var nextSuggestionCheck: Instant?
  /// What held the best suggestion when it was last counted.
  var suggestionStop = Stop()
  /// Whether nothing is left to suggest until a stack or a widget changes or the next check comes.
  var suggestionRest = Rest()
  /// What is waited for of decisions and predictions, while they are counted.
  var outcomes = OutcomeBook()

  /// A device without stacks or widgets, at `now`.
  public init(id: DeviceID, timeZone: TimeZoneID, policy: Policy = .standard, at now: Instant) {
    self.id = id
    self.timeZone = timeZone
    self.policy = policy
    configuredPolicy = policy
    self.now = now
    quietSince = now
  }

  /// Takes in an event and gives the orders that follow, those that became due before it first.
  ///
  /// The event must have passed ``check(_:limits:)`` at `instant`: call ``advance(to:)`` first, since suggestions
  /// come and go with time.
  ///
  /// - Precondition: `instant` is not before ``now``.
  public mutating func handle(_ event: Event, at instant: Instant) -> [Action] {
    var actions = advance(to: instant)
    judge(event)
    if !event.leavesRest { endRest() }
    let stale = stale(by: event)
    if stale == .foresight { quietSince = now }
    apply(event, &actions)
    expect(stale, &actions)
    settle(&actions)
    return actions
  }

  /// Lets time pass, and gives the orders that became due, each with its own instant.
  ///
  /// - Precondition: `instant` is not before ``now``.
  public mutating func advance(to instant: Instant) -> [Action] {
    precondition(instant >= now, "time runs backwards by \(instant.span(to: now).milliseconds) ms")
    var actions: [Action] = []
    while let due = nextWake, due <= instant {
      now = due
      reachEdges(&actions)
      expect(.nothing, &actions)
      settle(&actions)
    }
    now = instant
    return actions
  }

  private mutating func apply(_ event: Event, _ actions: inout [Action]) {
    switch event {
    case .kindsRegistered(_, let descriptors):
      for descriptor in descriptors where kinds.updateValue(descriptor, forKey: descriptor.kind) == nil {
        scores.append(KindScores())
      }
    case .intentTypesRegistered(let app, let descriptors): register(descriptors, of: app)
    case .relevantShortcutsSet(let app, let shortcuts):
      book.shortcuts[app] = shortcuts.isEmpty ? nil : shortcuts
      book.useFound[app] = nil
      // What is suggested stays when use is found anew at once.
      foresight = foreseen()
      _ = noteUse()
      setWindows(of: app, &actions)
    case .relevantIntentsSet(let app, let intents):
      book.intents[app] = intents.isEmpty ? nil : intents
      setWindows(of: app, &actions)
    case .timelinePublished(let widget, let timeline):
      publish(timeline, for: widget, &actions)
    case .reloadAsked(let app, let kind):
      let isCounted = foregroundApp != app
      for slot in widgets.taken {
        let asked = widgets[slot].widget.kind
        guard asked.app == app, asked.name == kind ?? asked.name else { continue }
        ask(.app, slot, isCounted: isCounted, &actions)
      }
    case .stackEdited(let stack, let edit):
      self.edit(stack, edit, &actions)
    case .reported(let report):
      take(report, &actions)
    case .policyChanged(let policy):
      takePolicy(policy, overrides: policyOverrides, &actions)
    case .policyOverridden(let change):
      takePolicy(configuredPolicy, overrides: change.applied(to: policyOverrides), &actions)
    case .developerModeChanged(let isOn):
      isDeveloperModeOn = isOn
    case .timeZoneChanged(let zone):
      if zone != timeZone { offsets = nil }
      timeZone = zone
    case .utcOffsetsLearned(let offsets): self.offsets = offsets
    case .donated(let app, let donations): take(donations, of: app)
    case .donationsDeleted(let app, let selection): delete(selection, of: app)
    case .donationsTrimmed(let app, let count): trim(app, to: count)
    case .donationsErased: forgetFeedback()
    case .upcomingMediaSet(let app, let media):
      let saysNothing = media.intents.isEmpty && media.mode == .predictive
      surfaces.upcoming[app] = saysNothing ? nil : media
    }
  }

  /// Does what follows from the present state: reload requests, rotations, the next wake.
  mutating func settle(_ actions: inout [Action]) {
    for slot in widgets.outlooks.indices where widgets.outlooks[slot].reloadDue.map({ $0 <= now }) ?? false {
      requestReloadIfDue(slot, &actions)
    }
    withdrawSuggestions(&actions)
    var isAtRest = isAtRest(suggestionRest, nextSuggestionCheck)
    for position in stacks.indices where !self.isAtRest(position) {
      isAtRest = false
      rotateIfDue(position, &actions)
    }
    if !isAtRest { suggestIfDue(&actions) }
    nextWake = earliestEdge()
    precondition(nextWake.map { $0 > now } ?? true, "a wake-up that is already due")
  }

  /// Finds anew, after decoding, what follows from the rest of the state.
  mutating func restoreConclusions() {
    for stack in stacks.all {
      for slot in stack.members { widgets[slot].membershipCount += 1 }
    }
    weighEngagements()
    measure { _ in true }
    habits = Habits(donations)
    foresight = foreseen()
    nextSuggestionCheck = suggestionVerdict().nextCheck
    for index in stacks.indices { stacks[index].nextCheck = nextCheck(at: index) }
    nextWake = earliestEdge()
  }

  private func earliestEdge() -> Instant? {
    var earliest: Instant?
    func offer(_ instant: Instant?) {
      // At the end of time nothing is due any more.
      guard let instant, instant < .max else { return }
      if earliest.map({ instant < $0 }) ?? true { earliest = instant }
    }
    for slot in widgets.outlooks.indices {
      offer(widgets.outlooks[slot].nextEdge)
      if let due = widgets.outlooks[slot].reloadDue { offer(due > now ? due : nextReloadCheck(slot)) }
    }
    for kind in scores { offer(kind.history.nextExpiry(memory: policy.scoreMemory)) }
    for position in stacks.indices { offer(stacks[position].nextCheck) }
    offer(nextSuggestionCheck)
    offer(foresight.nextEdge)
    return earliest
  }
}
