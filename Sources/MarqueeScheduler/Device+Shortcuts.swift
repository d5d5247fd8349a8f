import MarqueeModel
import OrderedCollections

extension Device {
  mutating func register(_ descriptors: [WidgetDescriptor], _ actions: inout [Action]) {
    var changed: AppID?
    for descriptor in descriptors {
      let new = registered(descriptor, over: kinds[descriptor.kind])
      guard let old = kinds.updateValue(new, forKey: descriptor.kind) else {
        scores.append(KindScores())
        continue
      }
      if old.families != descriptor.families { changed = descriptor.kind.app }
    }
    if let changed { setWindows(of: changed, &actions) }
  }

  /// Returns the kind as it is registered in place of `old`: without a name of its app, that name stays.
  func registered(_ descriptor: WidgetDescriptor, over old: WidgetDescriptor?) -> WidgetDescriptor {
    let appName = descriptor.appName ?? old?.appName
    return descriptor.named(appName?.isEmpty ?? true ? nil : appName)
  }

  mutating func register(_ descriptors: [IntentTypeDescriptor], of app: AppID, _ actions: inout [Action]) {
    let changesActions = changesActions(descriptors, of: app)
    for descriptor in descriptors {
      let known = suggestionState.intentTypes[app, default: []].firstIndex { $0.type == descriptor.type }
      if let known {
        suggestionState.intentTypes[app]?[known] = descriptor
      } else {
        suggestionState.intentTypes[app, default: []].append(descriptor)
      }
    }
    removeUnregisteredFocusFilters(of: app, &actions)
    guard changesActions else { return }
    donations.recount(suggestionState.intentTypes)
    habits = Habits(donations)
  }

  /// Applies the app's current shortcuts and intents; windows that are no longer named end at once (rules S1, S7).
  mutating func setWindows(of app: AppID, _ actions: inout [Action]) {
    setWindows([app: suggestionState.spans(of: app, pointLength: policy.pointLength)], &actions)
  }

  /// Applies the current shortcuts and intents of apps.
  mutating func setWindows(_ spans: OrderedDictionary<AppID, NamedSpans>, _ actions: inout [Action]) {
    let stackFamilies = stackFamilies
    var changed: [Int] = []
    for spans in spans.values { changed += nameInstances(spans, stackFamilies) }
    for slot in widgets.occupiedSlots where widgets[slot].isNamed {
      guard let spans = spans[widgets[slot].widget.kind.app],
        spans[widgets[slot].widget] == nil || !hasEvidenceFamily(slot, stackFamilies)
      else { continue }
      widgets[slot].isNamed = false
      widgets[slot].setWindows([], at: now)
      changed.append(slot)
    }
    withdrawSuggestions(&actions)
    removeUnreferenced(changed)
    let kinds = kinds.keys.map { spans[$0.app] != nil }
    recomputeScoreReferences { kinds[$0] }
  }

  /// Gives the instances to which shortcuts and intents apply their windows, and returns the slots of those that had
  /// none before.
  private mutating func nameInstances(_ spans: NamedSpans, _ stackFamilies: FamilySet) -> [Int] {
    var named: [Int] = []
    for (widget, spans) in spans {
      let first = widgets.firstSlot(of: widget)
      let kind = first.map { widgets[$0].kind } ?? kindIndex(of: widget)
      for family in evidenceFamilies(of: kind, stackFamilies) {
        let known = first.flatMap { widgets.slot(of: family, inRingOf: $0) }
        let slot = known ?? slot(making: WidgetInstance(widget, in: family))
        if !widgets[slot].isNamed {
          adoptWindows(slot)
          named.append(slot)
        }
        widgets[slot].isNamed = true
        widgets[slot].setWindows(spans, at: now)
      }
    }
    return named
  }

  /// Applies a configured policy and the device's overrides, which have been validated together.
  mutating func apply(_ configured: Policy, overrides: [PolicyField: Double], _ actions: inout [Action]) {
    let oldLength = policy.pointLength
    do {
      policy = try configured.overridden(by: overrides)
    } catch {
      preconditionFailure("the policy was not validated: \(error)")
    }
    configuredPolicy = configured
    policyOverrides = overrides
    recomputeEngagementFactors()
    recomputeScoreReferences { _ in true }
    guard policy.pointLength != oldLength else { return }
    for app in appsNamingWidgets { setWindows(of: app, &actions) }
  }

  /// The apps that have set relevant shortcuts or intents, in the order of the first call.
  var appsNamingWidgets: OrderedSet<AppID> {
    OrderedSet(suggestionState.shortcuts.keys).union(suggestionState.intents.keys)
  }

  private func kindIndex(of widget: Widget) -> Int {
    guard let kind = kinds.index(forKey: widget.kind) else { preconditionFailure("the kind was not validated") }
    return kind
  }

  /// Recomputes the engagement factor of every instance (rule R11).
  mutating func recomputeEngagementFactors() {
    for slot in widgets.occupiedSlots { recomputeEngagementFactor(slot) }
  }

  mutating func recomputeEngagementFactor(_ slot: Int) {
    let factor = suggestionState.engagements[widgets[slot].instance]?.factor(policy) ?? 1
    if widgets[slot].engagementFactor != factor { widgets[slot].engagementFactor = factor }
  }
}

// MARK: User actions

extension Device {
  func isSuggestion(_ widget: Widget, at position: Int) -> Bool {
    guard let slot = stacks.suggestedSlot(position) else { return false }
    return widgets[slot].widget == widget
  }

  /// Removes a suggestion that the user rejected: records bad engagement, spends its windows, and touches the stack.
  mutating func dismiss(_ position: Int, _ reason: SuggestionRemovalReason, _ actions: inout [Action]) {
    guard let slot = stacks[position].suggestion?.slot else { preconditionFailure("the stack has no suggestion") }
    spendSuggestionEpisodes(slot)
    record(slot, isGood: false)
    widgets.counters[slot].count(.dismissal, at: now)
    stacks[position].lastTouch = now
    withdraw(position, reason, &actions)
  }

  /// Makes the suggestion a member at an index of the shown widgets, or the last member. A front suggestion stays in
  /// front.
  mutating func keep(_ position: Int, at index: Int?, _ actions: inout [Action]) {
    guard let suggestion = stacks[position].suggestion else { preconditionFailure("the stack has no suggestion") }
    stacks[position].lastTouch = now
    let target = index.map(stacks[position].memberIndex(shown:)) ?? stacks[position].members.count
    widgets[suggestion.slot].membershipCount += 1
    widgets.counters[suggestion.slot].count(.kept, at: now)
    change(position) {
      $0.suggestion = nil
      $0.insert(suggestion.slot, at: target)
      guard suggestion.isInFront else { return }
      $0.front = target
      $0.noteChoice()
    }
    let widget = widgets[suggestion.slot].widget
    actions.append(Action(at: now, .withdraw(snapshot(stacks[position]), widget, .kept)))
  }

  /// Applies the reports that do not concern a stack.
  mutating func note(_ report: UserReport, _ actions: inout [Action]) {
    switch report {
    case .widgetSuggestionBlocked(let widget, let isBlocked):
      suggestionState.snoozedWidgets[widget] = nil
      if isBlocked {
        suggestionState.blockedWidgets.append(widget)
      } else {
        suggestionState.blockedWidgets.remove(widget)
      }
      dismissBlocked(&actions)
    case .appSuggestionBlocked(let app, let isBlocked):
      suggestionState.snoozedApps[app] = nil
      if isBlocked { suggestionState.blockedApps.append(app) } else { suggestionState.blockedApps.remove(app) }
      dismissBlocked(&actions)
    case .widgetSuggestionSnoozed(let widget, let end):
      suggestionState.blockedWidgets.remove(widget)
      suggestionState.snoozedWidgets[widget] = end
      dismissBlocked(&actions)
    case .appSuggestionSnoozed(let app, let end):
      suggestionState.blockedApps.remove(app)
      suggestionState.snoozedApps[app] = end
      dismissBlocked(&actions)
    case .homeWidgetAdded(let widget, let family):
      addHomeWidget(WidgetInstance(widget, in: family ?? firstFamily(of: widget)), &actions)
    case .homeWidgetRemoved(let widget, let family):
      for instance in suggestionState.homeWidgets.elements
      where instance.widget == widget && instance.family == family ?? instance.family {
        removeHomeWidget(instance, &actions)
      }
    case .contextChanged(let change):
      switch change {
      case .place(let place):
        if !Habits.isSamePlace(place, suggestionState.context.place) { suggestionState.context.placeSince = now }
        suggestionState.context.place = place
      case .focus(let focus): setFocus(focus, &actions)
      case .routine(let situation): suggestionState.context.routine = RoutineEvent(situation, at: now)
      }
      contextHistory.note(suggestionState.context, at: now)
    case .shown, .hidden, .scrolled, .tapped, .reload, .appOpened, .appClosed, .suggestionDismissed, .suggestionKept,
      .surfaceSuggestion, .widgetSizeChanged:
      preconditionFailure("report is handled elsewhere")
    }
  }
}

// MARK: Outside stacks

extension Device {
  private mutating func addHomeWidget(_ instance: WidgetInstance, _ actions: inout [Action]) {
    suggestionState.homeWidgets.append(instance)
    let slot = slot(making: instance)
    widgets[slot].isOutsideStacks = true
    removeUnreferenced(slot)
    actions.append(Action(at: now, .addHomeWidget(instance)))
    refreshNewcomer(slot, &actions)
  }

  private mutating func removeHomeWidget(_ instance: WidgetInstance, _ actions: inout [Action]) {
    suggestionState.homeWidgets.remove(instance)
    guard let slot = widgets.slot(of: instance.widget, in: instance.family) else {
      preconditionFailure("the widget was not validated")
    }
    spendSuggestionEpisodes(slot)
    widgets[slot].isOutsideStacks = false
    removeUnreferenced(slot)
    actions.append(Action(at: now, .removeHomeWidget(instance)))
  }
}

// MARK: Engagement

extension Device {
  /// Whether opening `app` now counts as use of the widget that the engine brought to the front of the stack.
  func isOpened(_ position: Int, _ app: AppID) -> Bool {
    guard let promotion = stacks[position].promotion else { return false }
    return widgets[promotion.slot].widget.kind.app == app && promotion.since.span(to: now) <= Engagement.openingSpan
  }

  /// Whether scrolling away now counts as rejection of the widget that the engine brought to the front.
  func isRejected(_ position: Int) -> Bool {
    stacks[position].promotion.map { $0.since.span(to: now) <= Engagement.rejectionSpan } ?? false
  }

  /// Records the outcome of the widget that the engine brought to the front of the stack, at most once.
  mutating func recordEngagement(_ position: Int, isGood: Bool) {
    guard let promotion = stacks[position].promotion else { return }
    stacks[position].promotion = nil
    record(promotion.slot, isGood: isGood)
  }

  private mutating func record(_ slot: Int, isGood: Bool) {
    let isFull = suggestionState.engagements.count == SuggestionState.engagementCountMax
    suggestionState.record(isGood: isGood, of: widgets[slot].instance)
    guard isFull else {
      recomputeEngagementFactor(slot)
      return recomputeEvidence(slot)
    }
    // Recording may have evicted another instance's engagement.
    recomputeEngagementFactors()
    recomputeScoreReferences { _ in true }
  }
}
