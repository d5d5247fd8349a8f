import MarqueeModel
import OrderedCollections

extension Device {
  mutating func register(_ descriptors: [IntentTypeDescriptor], of app: AppID) {
    let old = book.intentTypes[app]
    for descriptor in descriptors {
      let known = book.intentTypes[app, default: []].firstIndex { $0.type == descriptor.type }
      if let known {
        book.intentTypes[app]?[known] = descriptor
      } else {
        book.intentTypes[app, default: []].append(descriptor)
      }
    }
    guard donations.count(of: app) > 0, book.intentTypes[app] != old else { return }
    donations.recount(book.intentTypes)
    habits = Habits(donations)
  }

  /// Takes over what the app's two sets now say: windows that are no longer named end at once (rules S1, S7).
  mutating func setWindows(of app: AppID, _ actions: inout [Action]) {
    let spans = book.spans(of: app, pointLength: policy.pointLength)
    for (widget, spans) in spans {
      let slot = slot(making: widget)
      widgets[slot].isNamed = true
      widgets[slot].setWindows(spans, at: now)
    }
    var omitted: [Int] = []
    for slot in widgets.taken
    where widgets[slot].isNamed && widgets[slot].widget.kind.app == app && spans[widgets[slot].widget] == nil {
      widgets[slot].isNamed = false
      widgets[slot].setWindows([], at: now)
      omitted.append(slot)
    }
    withdrawSuggestions(&actions)
    for slot in omitted where widgets[slot].isForgettable { widgets.remove(slot) }
    let kinds = kinds.keys.map { $0.app == app }
    measure { kinds[$0] }
  }

  /// Takes over a configured policy and the device's own numbers, which have been checked together.
  mutating func takePolicy(
    _ configured: Policy, overrides: [PolicyField: Double], _ actions: inout [Action]
  ) {
    let oldLength = policy.pointLength
    do {
      policy = try configured.overridden(by: overrides)
    } catch {
      preconditionFailure("a policy that was not checked: \(error)")
    }
    configuredPolicy = configured
    policyOverrides = overrides
    weighEngagements()
    measure { _ in true }
    guard policy.pointLength != oldLength else { return }
    for app in OrderedSet(book.shortcuts.keys).union(book.intents.keys) { setWindows(of: app, &actions) }
  }

  /// Finds anew what every widget's engagement makes of its signals (rule R11).
  mutating func weighEngagements() {
    for slot in widgets.taken { weighEngagement(slot) }
  }

  private mutating func weighEngagement(_ slot: Int) {
    let factor = book.engagements[widgets[slot].widget]?.factor(policy) ?? 1
    if widgets[slot].engagementFactor != factor { widgets[slot].engagementFactor = factor }
  }
}

// MARK: The person's hand

extension Device {
  func isSuggestion(_ widget: Widget, at position: Int) -> Bool {
    guard let slot = stacks.suggestedSlot(position) else { return false }
    return widgets[slot].widget == widget
  }

  /// Takes the suggestion off: it counts against the widget, spends its windows, and touches the stack.
  mutating func dismiss(_ position: Int, _ reason: SuggestionEnd, _ actions: inout [Action]) {
    guard let slot = stacks[position].suggestion?.slot else { preconditionFailure("no suggestion") }
    widgets[slot].spendSuggestionEpisodes()
    record(slot, isGood: false)
    stacks[position].lastTouch = now
    withdraw(position, reason, &actions)
  }

  /// Makes the suggestion a member at an index among what is shown, or the last; it stays in front if it is.
  mutating func keep(_ position: Int, at index: Int?, _ actions: inout [Action]) {
    guard let suggestion = stacks[position].suggestion else { preconditionFailure("no suggestion") }
    stacks[position].lastTouch = now
    let target = index.map(stacks[position].memberIndex(shown:)) ?? stacks[position].members.count
    widgets[suggestion.slot].membershipCount += 1
    change(position) {
      $0.suggestion = nil
      $0.insert(suggestion.slot, at: target)
      if suggestion.isInFront { $0.front = target }
    }
    let widget = widgets[suggestion.slot].widget
    actions.append(Action(at: now, .withdraw(reading(stacks[position]), widget, .kept)))
  }

  /// Takes in the reports that are about no stack.
  mutating func note(_ report: PersonReport, _ actions: inout [Action]) {
    switch report {
    case .widgetSuggestionBlocked(let widget, let isBlocked):
      if isBlocked { book.blockedWidgets.append(widget) } else { book.blockedWidgets.remove(widget) }
      dismissBlocked(&actions)
    case .appSuggestionBlocked(let app, let isBlocked):
      if isBlocked { book.blockedApps.append(app) } else { book.blockedApps.remove(app) }
      dismissBlocked(&actions)
    case .homeWidgetAdded(let widget): book.homeWidgets.append(widget)
    case .homeWidgetRemoved(let widget):
      book.homeWidgets.remove(widget)
      if let slot = widgets.slot(of: widget) { widgets[slot].spendSuggestionEpisodes() }
    case .contextChanged(let change):
      switch change {
      case .place(let place): book.context.place = place
      case .focus(let focus): book.context.focus = focus
      case .routine(let situation): book.context.routine = RoutineEvent(situation, at: now)
      }
      trail.note(book.context, at: now)
    case .shown, .hidden, .scrolled, .tapped, .reload, .appOpened, .appClosed, .suggestionDismissed, .suggestionKept,
      .surfaceSuggestion:
      preconditionFailure("a report about a stack or the app in use")
    }
  }

  private mutating func dismissBlocked(_ actions: inout [Action]) {
    for position in stacks.indices {
      guard let slot = stacks[position].suggestion?.slot, isBlocked(widgets[slot].widget) else { continue }
      dismiss(position, .blocked, &actions)
    }
  }
}

// MARK: Engagement

extension Device {
  /// Whether opening `app` now is an outcome of what the stack was brought to.
  func isOpened(_ position: Int, _ app: AppID) -> Bool {
    guard let brought = stacks[position].brought else { return false }
    return widgets[brought.slot].widget.kind.app == app && brought.since.span(to: now) <= Engagement.openingSpan
  }

  /// Whether scrolling the stack away now rejects what was brought.
  func isRejected(_ position: Int) -> Bool {
    stacks[position].brought.map { $0.since.span(to: now) <= Engagement.rejectionSpan } ?? false
  }

  /// Counts the outcome of what the stack was brought to, once.
  mutating func judge(_ position: Int, isGood: Bool) {
    guard let brought = stacks[position].brought else { return }
    stacks[position].brought = nil
    record(brought.slot, isGood: isGood)
  }

  private mutating func record(_ slot: Int, isGood: Bool) {
    let isForgetting = book.engagements.count == SuggestionBook.engagementCountMax
    book.record(isGood: isGood, of: widgets[slot].widget)
    guard isForgetting else {
      weighEngagement(slot)
      return weigh(slot)
    }
    // Another widget's engagement may have been forgotten for this one's.
    weighEngagements()
    measure { _ in true }
  }
}
