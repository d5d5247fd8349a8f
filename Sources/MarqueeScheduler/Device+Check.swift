import MarqueeModel

extension Device {
  /// Validates an event against the device's state and the limits, without changing the device.
  ///
  /// Call it at the event's instant, after ``advance(to:)``, and before ``handle(_:at:)``.
  ///
  /// - Throws: ``RequestError`` that names the first invalid field or the exceeded limit.
  public func check(_ event: Event, limits: Limits = .default) throws(RequestError) {
    switch event {
    case .kindsRegistered(let app, let descriptors): try check(app, descriptors, limits)
    case .timelinePublished(let widget, let timeline): try check(widget, timeline, limits)
    case .reloadRequested(let app, let kind):
      if let kind { try checkRegistered(WidgetKind(app: app, name: kind)) }
    case .stackEdited(let id, .create):
      guard stacks.position(of: id) == nil else {
        throw RequestError(.alreadyExists, field: "stack", "a stack with this name already exists")
      }
      try Self.check(stacks.count + 1, "stack-count-max", limits.stackCountMax)
    case .stackEdited(let id, let edit): try check(edit, at: try checkStack(id), limits)
    case .reported(let report): try check(report, limits)
    case .policyChanged(let policy):
      try policy.check()
      _ = try policy.overridden(by: policyOverrides)
    case .policyOverridden(let change):
      _ = try configuredPolicy.overridden(by: change.applied(to: policyOverrides))
    case .intentTypesRegistered(let app, let descriptors): try check(app, descriptors, limits)
    case .relevantShortcutsSet(let app, let shortcuts): try check(app, shortcuts, limits)
    case .relevantIntentsSet(let app, let intents): try check(app, intents, limits)
    case .utcOffsetsLearned(let offsets): try check(offsets)
    case .donated(let app, let donations): try check(app, donations, limits)
    case .donationsDeleted(let app, let selection): try check(app, selection)
    case .upcomingMediaSet(let app, let media): try check(app, media, limits)
    case .focusFilterSet(let app, let focus, let intent):
      try check(setting: intent, for: FocusFilter.Key(app: app, intentType: intent.type, focus: focus), limits)
    case .intentTypesRemoved(let app, let types): try check(removing: types, of: app)
    case .developerModeChanged, .timeZoneChanged, .languageChanged, .donationsRedacted, .donationsTrimmed,
      .focusFilterRemoved,
      .kindsRemoved, .appRemoved, .contentRemoved:
      break
    }
    if limits.deviceSizeMax < .max { try checkSizes(event, limits) }
  }

  private func check(_ app: AppID, _ descriptors: [WidgetDescriptor], _ limits: Limits) throws(RequestError) {
    var names: Set<KindName> = []
    for (index, descriptor) in descriptors.enumerated() {
      guard descriptor.kind.app == app else {
        throw RequestError(.invalidArgument, field: "kinds[\(index)]", "the kind belongs to another app")
      }
      guard names.insert(descriptor.kind.name).inserted else {
        throw RequestError(.invalidArgument, field: "kinds[\(index)].name", "duplicate value")
      }
      guard let old = kinds[descriptor.kind], old.configuration != descriptor.configuration
      else { continue }
      guard !widgets.occupiedSlots.contains(where: { widgets[$0].widget.kind == descriptor.kind }) else {
        throw RequestError(
          .failedPrecondition, field: "kinds[\(index)].intent_type",
          "widgets of this kind exist with a different configuration type")
      }
    }
    let known = kinds.keys.filter { $0.app == app }.map(\.name)
    try Self.check(names.union(known).count, "kind-count-max", limits.kindCountMax, field: "kinds")
    try checkApp(app, known.isEmpty, limits)
  }

  private func check(_ widget: Widget, _ timeline: Timeline, _ limits: Limits) throws(RequestError) {
    let kind = try checkConfiguration(widget)
    // The app may no longer support the family of an instance that is still placed and needs content.
    if let family = timeline.family, widgets.slot(of: widget, in: family) == nil {
      try checkFamily(family, of: kind, field: "family")
    }
    try Self.check(timeline.entries.count, "entry-count-max", limits.entryCountMax, field: "entries")
    try Self.check(timeline.largestContentSize, "content-size-max", limits.contentSizeMax)
    try Self.check(timeline.contentSize, "timeline-size-max", limits.timelineSizeMax, field: "entries")
  }

  /// Validates that a kind supports a family.
  private func checkFamily(_ family: WidgetFamily, of kind: Int, field: String) throws(RequestError) {
    guard kinds.values[kind].families.contains(family) else {
      throw RequestError(.failedPrecondition, field: field, "the kind does not support family \(family)")
    }
  }

  private func check(_ edit: StackEdit, at position: Int, _ limits: Limits) throws(RequestError) {
    switch edit {
    case .add(let widget, let index):
      try checkFamily(widget, at: position)
      guard self.index(of: widget, at: position) == nil || isSuggestion(widget, at: position) else {
        throw RequestError(.alreadyExists, field: "widget", "the stack already contains this widget")
      }
      try Self.check(stacks[position].members.count + 1, "member-count-max", limits.memberCountMax)
      try Self.checkIndex(index ?? 0, below: stacks[position].shownCount + 1)
    case .remove(let widget): try checkMember(widget, at: position)
    case .move(let widget, let index):
      try checkOwnMember(widget, at: position, before: "moving it")
      try Self.checkIndex(index, below: stacks[position].shownCount)
    case .replace(let widget, let replacement):
      try checkOwnMember(widget, at: position, before: "replacing it")
      do { try checkFamily(replacement, at: position) } catch { throw error.within("replacement") }
      guard replacement == widget || self.index(of: replacement, at: position) == nil else {
        throw RequestError(.alreadyExists, field: "replacement", "the stack already contains this widget")
      }
    case .setPin(let widget, _), .setRotationRule(let widget, _):
      try checkOwnMember(widget, at: position, before: "changing its settings")
    case .create, .removeStack, .setSmartRotate, .setWidgetSuggestions: break
    }
  }

  /// Validates that the widget's kind supports the stack's family.
  private func checkFamily(_ widget: Widget, at position: Int) throws(RequestError) {
    try checkFamily(stacks[position].family, of: try checkConfiguration(widget), field: "widget")
  }

  private func check(_ report: UserReport, _ limits: Limits) throws(RequestError) {
    switch report {
    case .shown(let id), .hidden(let id): try checkStack(id)
    case .scrolled(let id, let widget), .tapped(let id, let widget): try checkMember(widget, at: try checkStack(id))
    case .reload(let widget):
      if widgets.firstSlot(of: widget) == nil {
        throw RequestError(.notFound, field: "widget", "no such widget on this device")
      }
    case .suggestionDismissed(let id): try checkSuggestion(at: try checkStack(id))
    case .suggestionKept(let id):
      let position = try checkStack(id)
      try checkSuggestion(at: position)
      try Self.check(stacks[position].members.count + 1, "member-count-max", limits.memberCountMax)
    case .widgetSuggestionBlocked(let widget, true): try checkBlock(of: widget, limits)
    case .appSuggestionBlocked(let app, true): try checkBlock(of: app, limits)
    case .widgetSuggestionSnoozed(let widget, let end):
      try checkSnooze(until: end)
      try checkBlock(of: widget, limits)
    case .appSuggestionSnoozed(let app, let end):
      try checkSnooze(until: end)
      try checkBlock(of: app, limits)
    case .homeWidgetAdded(let widget, let family): try checkHome(adding: widget, in: family, limits)
    case .homeWidgetRemoved(let widget, let family):
      let isPlaced = suggestionState.homeWidgets.contains {
        $0.widget == widget && $0.family == family ?? $0.family
      }
      guard isPlaced else {
        throw RequestError(.notFound, field: "widget", "no such widget on the Home Screen outside stacks")
      }
    case .appOpened, .appClosed, .widgetSuggestionBlocked, .appSuggestionBlocked, .contextChanged,
      .surfaceSuggestion, .widgetSizeChanged:
      break
    }
  }

  private func checkHome(
    adding widget: Widget, in family: WidgetFamily?, _ limits: Limits
  ) throws(RequestError) {
    let kind = try checkConfiguration(widget)
    if let family { try checkFamily(family, of: kind, field: "family") }
    let instance = WidgetInstance(widget, in: family ?? kinds.values[kind].families[0])
    guard !suggestionState.homeWidgets.contains(instance) else {
      throw RequestError(.alreadyExists, field: "widget", "the widget is already on the Home Screen")
    }
    try Self.check(suggestionState.homeWidgets.count + 1, "home-widget-count-max", limits.homeWidgetCountMax)
  }

  /// Returns the position of the named stack.
  @discardableResult
  func checkStack(_ id: StackID) throws(RequestError) -> Int {
    guard let position = stacks.position(of: id) else {
      throw RequestError(.notFound, field: "stack", "no stack with this name")
    }
    return position
  }

  private func checkMember(_ widget: Widget, at position: Int) throws(RequestError) {
    guard index(of: widget, at: position) != nil else {
      throw RequestError(.notFound, field: "widget", "no such widget in the stack")
    }
  }

  /// Validates that the widget is a member that the user added.
  private func checkOwnMember(_ widget: Widget, at position: Int, before change: String) throws(RequestError) {
    try checkMember(widget, at: position)
    guard !isSuggestion(widget, at: position) else {
      throw RequestError(
        .failedPrecondition, field: "widget", "the widget is a suggestion; keep it before \(change)")
    }
  }

  /// Returns the index of a registered kind.
  @discardableResult
  func checkRegistered(_ kind: WidgetKind) throws(RequestError) -> Int {
    guard let index = kinds.index(forKey: kind) else {
      throw RequestError(.notFound, field: "widget.kind", "unknown widget kind \(kind)")
    }
    return index
  }

  /// Returns the index of the widget's kind, after validating that the configuration matches it.
  @discardableResult
  func checkConfiguration(_ widget: Widget) throws(RequestError) -> Int {
    let kind = try checkRegistered(widget.kind)
    let field = "widget.configuration"
    switch (kinds.values[kind].configuration, widget.configuration) {
    case (.static, nil): break
    case (.static, .some): throw RequestError(.invalidArgument, field: field, "the kind has static configuration")
    case (.intent(let type), nil):
      throw RequestError(
        .invalidArgument, field: field, "required field is missing: the kind is configured by intent type \(type)")
    case (.intent(let type), .some(let intent)) where intent.type != type:
      throw RequestError(
        .invalidArgument, field: field,
        "intent type \(intent.type) does not match the kind's intent type \(type)")
    case (.intent, .some): break
    }
    return kind
  }

  static func check(_ count: Int, _ name: String, _ maximum: Int, field: String = "") throws(RequestError) {
    guard count <= maximum else { throw .over(limit: name, maximum: maximum, count: count, field: field) }
  }

  private static func checkIndex(_ index: Int, below count: Int) throws(RequestError) {
    guard (0..<count).contains(index) else {
      throw RequestError(.invalidArgument, field: "index", "\(index) is out of range 0 ..< \(count)")
    }
  }
}
