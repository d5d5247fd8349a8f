import MarqueeModel

extension Device {
  /// The device's stacks, in order of creation.
  public var allStacks: [Stack] { stacks.all.map(snapshot) }

  /// Returns the stack with the given name, or `nil`.
  public func stack(_ id: StackID) -> Stack? { stacks[id].map(snapshot) }

  /// The widget kinds that apps have registered, in order of first registration.
  public var registeredKinds: [WidgetDescriptor] { Array(kinds.values) }

  /// The widgets that have a timeline, are placed or predicted, or are named by a relevant shortcut or intent.
  public var knownWidgets: [Widget] {
    widgets.occupiedSlots.filter { isLowestSlot($0) }.map { widgets[$0].widget }
  }

  /// The instances of ``knownWidgets``.
  public var knownInstances: [WidgetInstance] { widgets.occupiedSlots.map { widgets[$0].instance } }

  /// Whether no other instance of the slot's widget has a lower slot.
  private func isLowestSlot(_ slot: Int) -> Bool {
    var other = widgets.nextSlot(after: slot)
    while other > slot { other = widgets.nextSlot(after: other) }
    return other == slot
  }

  /// The number of instances that have a timeline.
  public var timelineCount: Int { widgets.occupiedSlots.count { widgets[$0].timeline != nil } }

  /// Returns the stored timeline of the widget's instance in a family, or `nil`.
  ///
  /// Without a family, this and the other lookups refer to one of the widget's instances: a placed one before others,
  /// then the one whose timeline was published last, then the one in the first family.
  public func timeline(of widget: Widget, in family: WidgetFamily? = nil) -> Timeline? {
    slot(of: widget, in: family).flatMap { widgets[$0].timeline }
  }

  /// Returns when the timeline of the widget's instance in a family was published, or `nil` if it has none, or if the
  /// instant is unknown.
  public func timelinePublication(of widget: Widget, in family: WidgetFamily) -> Instant? {
    slot(of: widget, in: family).flatMap { widgets[$0].publishedAt }
  }

  /// Returns the family of the instance to which lookups without a family refer, or `nil` if the widget is not among
  /// ``knownWidgets``.
  public func preferredFamily(of widget: Widget) -> WidgetFamily? {
    slot(of: widget, in: nil).map { widgets[$0].family }
  }

  /// Returns what the widget's instance in a family shows now, or `nil`: its current entry or, if it has expired, the
  /// fallback (rule W4).
  public func shownEntry(of widget: Widget, in family: WidgetFamily? = nil) -> ShownEntry? {
    slot(of: widget, in: family).flatMap { widgets[$0].shown }
  }

  /// Returns the current timeline entry of the widget's instance in a family, or `nil`.
  public func currentEntry(of widget: Widget, in family: WidgetFamily? = nil) -> TimelineEntry? {
    slot(of: widget, in: family).flatMap { widgets[$0].current }
  }

  /// Returns the highest score of a kind, against which the scores of its widgets are normalized.
  ///
  /// - Returns: The reference, or 0 if no score is positive or the kind is not registered.
  public func scoreReference(of kind: WidgetKind) -> Double {
    kinds.index(forKey: kind).map { scores[$0].best } ?? 0
  }

  /// Returns the relevance, timeline and reload status of the widget's instance in a family, or `nil` if it is not
  /// among ``knownInstances``.
  public func memberStatus(of widget: Widget, in family: WidgetFamily? = nil) -> MemberStatus? {
    guard let slot = slot(of: widget, in: family) else { return nil }
    let state = widgets[slot]
    let relevance = state.relevance.map {
      RelevanceStatus(
        inForce: $0.inForce, effectiveScore: $0.inForce.effectiveScore(at: now),
        reference: scores[state.kind].best)
    }
    return MemberStatus(
      widget: widget, relevance: relevance, current: state.current, expiry: state.expiry,
      entryCount: state.timeline?.entries.count, reachedCount: state.reachedCount,
      reload: reloadStatus(slot))
  }

  private func reloadStatus(_ slot: Int) -> ReloadStatus {
    let reload = widgets[slot].reload
    let (phase, reason): (ReloadStatus.Phase, ReloadRequest.Reason?) =
      switch reload.phase {
      case .none: (.none, nil)
      case .scheduled(let date, let reason): (.scheduled(date), reason)
      case .waiting(let reason): (.waiting(until: nextReloadCheck(slot) ?? now), reason)
      case .requested(let date, let reason): (.requested(date), reason)
      }
    return ReloadStatus(
      countedCount: reload.countedCount(at: now), budget: reloadBudget(slot), phase: phase, reason: reason)
  }

  /// The apps that have set relevant shortcuts or intents or registered intent types, sorted.
  public var appsWithShortcuts: [AppID] {
    Set(suggestionState.shortcuts.keys).union(suggestionState.intents.keys).union(suggestionState.intentTypes.keys)
      .sorted()
  }

  /// Returns the relevant shortcuts that the app has set.
  public func relevantShortcuts(of app: AppID) -> [RelevantShortcut] { suggestionState.shortcuts[app] ?? [] }

  /// Returns the relevant intents that the app has set.
  public func relevantIntents(of app: AppID) -> [RelevantIntent] { suggestionState.intents[app] ?? [] }

  /// Returns the intent types that the app has registered, in order of first registration.
  public func intentTypes(of app: AppID) -> [IntentTypeDescriptor] { suggestionState.intentTypes[app] ?? [] }

  /// The instances on the Home Screen outside stacks.
  public var homeWidgets: [WidgetInstance] { Array(suggestionState.homeWidgets) }

  /// Returns the instances of the app's widgets that are on the Home Screen, each once: those in stacks, stack by
  /// stack, then those outside stacks.
  public func placedWidgets(of app: AppID) -> [PlacedWidget] {
    let outside = suggestionState.homeWidgets.filter { $0.widget.kind.app == app }.map {
      PlacedWidget(widget: $0.widget, family: $0.family)
    }
    var known: Set<WidgetInstance> = []
    return (allStacks.flatMap { $0.widgets(of: app) } + outside).filter {
      known.insert(WidgetInstance($0.widget, in: $0.family)).inserted
    }.map {
      PlacedWidget(widget: $0.widget, family: $0.family, isSuggested: $0.isSuggested, size: widgetSizes[$0.family])
    }
  }

  /// Returns how often the user accepted or rejected the widget's instance in a family after the engine brought it to
  /// the front.
  ///
  /// - Parameters:
  ///   - widget: The widget.
  ///   - family: The family, or `nil` for the instance that ``timeline(of:in:)`` prefers or, if there is none, for the
  ///     first one with engagement.
  public func engagement(of widget: Widget, in family: WidgetFamily? = nil) -> Engagement {
    let engagements = suggestionState.engagements
    if let family = family ?? slot(of: widget, in: nil).map({ widgets[$0].family }) {
      return engagements[WidgetInstance(widget, in: family)] ?? Engagement()
    }
    return engagements.first { $0.key.widget == widget }?.value ?? Engagement()
  }

  /// The current context: place, Focus and daily routine.
  public var context: DeviceContext { suggestionState.context }

  func snapshot(_ stack: StackState) -> Stack {
    let settings = stack.settings.map { (widgets[$0.key].widget, $0.value) }
    return Stack(
      id: stack.id, family: stack.family,
      members: (0..<stack.shownCount).map { widgets[stack.slot(at: $0)].widget }, front: stack.shownFront,
      isSmartRotateOn: stack.isSmartRotateOn, isWidgetSuggestionsOn: stack.isWidgetSuggestionsOn,
      hasSuggestion: stack.suggestion != nil, settings: Dictionary(uniqueKeysWithValues: settings))
  }
}
