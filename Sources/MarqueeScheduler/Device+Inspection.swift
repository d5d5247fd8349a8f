import MarqueeModel

extension Device {
  /// The device's stacks, in the order in which they were created.
  public var allStacks: [Stack] { stacks.all.map(reading) }

  /// The stack of that name.
  public func stack(_ id: StackID) -> Stack? { stacks[id].map(reading) }

  /// The kinds that apps have registered, in the order of their first registration.
  public var registeredKinds: [WidgetDescriptor] { Array(kinds.values) }

  /// The widgets that have a timeline, are in a stack, or are named by a relevant shortcut or intent.
  public var knownWidgets: [Widget] { widgets.taken.map { widgets[$0].widget } }

  /// How many widgets have a timeline.
  public var timelineCount: Int { widgets.taken.count { widgets[$0].timeline != nil } }

  /// The widget's stored timeline.
  public func timeline(of widget: Widget) -> Timeline? {
    widgets.slot(of: widget).flatMap { widgets[$0].timeline }
  }

  /// The entry that the widget shows now.
  public func currentEntry(of widget: Widget) -> TimelineEntry? {
    widgets.slot(of: widget).flatMap { widgets[$0].current }
  }

  /// The highest score of a kind, which its widgets' scores are measured against (rule T6); 0 when no score is positive
  /// or the kind is not registered.
  public func scoreReference(of kind: WidgetKind) -> Double {
    kinds.index(forKey: kind).map { scores[$0].best } ?? 0
  }

  /// What an operator sees of a widget; `nil` when it is none of ``knownWidgets``.
  public func memberReading(of widget: Widget) -> MemberReading? {
    guard let slot = widgets.slot(of: widget) else { return nil }
    let state = widgets[slot]
    let relevance = state.relevance.map {
      RelevanceReading(
        inForce: $0.inForce, effectiveScore: $0.inForce.effectiveScore(at: now),
        reference: scores[state.kind].best)
    }
    return MemberReading(
      widget: widget, relevance: relevance, current: state.current, entryCount: state.timeline?.entries.count,
      reachedCount: state.reachedCount, reload: reloadReading(slot))
  }

  private func reloadReading(_ slot: Int) -> ReloadReading {
    let reload = widgets[slot].reload
    let (phase, reason): (ReloadReading.Phase, ReloadRequest.Reason?) =
      switch reload.phase {
      case .none: (.none, nil)
      case .scheduled(let date, let reason): (.scheduled(date), reason)
      case .waiting(let reason): (.waiting(until: nextReloadCheck(slot) ?? now), reason)
      case .requested(let date, let reason): (.requested(date), reason)
      }
    return ReloadReading(
      countedCount: reload.countedCount(at: now), budget: reloadBudget(slot), phase: phase, reason: reason)
  }

  /// The apps that have set relevant shortcuts or intents, or registered intent types, in the order of their names.
  public var appsWithShortcuts: [AppID] {
    Set(book.shortcuts.keys).union(book.intents.keys).union(book.intentTypes.keys).sorted()
  }

  /// What the app set as its relevant shortcuts.
  public func relevantShortcuts(of app: AppID) -> [RelevantShortcut] { book.shortcuts[app] ?? [] }

  /// What the app set as its relevant intents.
  public func relevantIntents(of app: AppID) -> [RelevantIntent] { book.intents[app] ?? [] }

  /// The intent types that the app has registered, in the order of their first registration.
  public func intentTypes(of app: AppID) -> [IntentTypeDescriptor] { book.intentTypes[app] ?? [] }

  /// The widgets on the Home Screen outside stacks.
  public var homeWidgets: [Widget] { Array(book.homeWidgets) }

  /// Where the app's widgets are to be seen: stack by stack, then outside stacks.
  public func placedWidgets(of app: AppID) -> [PlacedWidget] {
    let outside = book.homeWidgets.filter { $0.kind.app == app }.map { PlacedWidget(widget: $0, family: nil) }
    return allStacks.flatMap { $0.widgets(of: app) } + outside
  }

  /// The widgets that the person does not want suggested.
  public var blockedWidgets: [Widget] { Array(book.blockedWidgets) }

  /// The apps whose widgets the person does not want suggested.
  public var blockedApps: [AppID] { Array(book.blockedApps) }

  /// What the person did with what the engine brought of the widget (rule R11).
  public func engagement(of widget: Widget) -> Engagement { book.engagements[widget] ?? Engagement() }

  /// What surrounds the person.
  public var context: DeviceContext { book.context }

  func reading(_ stack: StackState) -> Stack {
    Stack(
      id: stack.id, family: stack.family,
      members: (0..<stack.shownCount).map { widgets[stack.slot(at: $0)].widget }, front: stack.shownFront,
      isSmartRotateOn: stack.isSmartRotateOn, isWidgetSuggestionsOn: stack.isWidgetSuggestionsOn,
      hasSuggestion: stack.suggestion != nil)
  }
}
