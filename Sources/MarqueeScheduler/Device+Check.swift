import MarqueeModel

extension Device {
  /// Refuses an event that does not fit the state or would pass a limit; changes nothing.
  public func check(_ event: Event, limits: Limits = .standard) throws(Refusal) {
    switch event {
    case .kindsRegistered(let app, let descriptors): try check(app, descriptors, limits)
    case .timelinePublished(let widget, let timeline): try check(widget, timeline, limits)
    case .reloadAsked(let app, let kind):
      if let kind { try checkRegistered(WidgetKind(app: app, name: kind)) }
    case .stackEdited(let id, .create):
      guard stacks.position(of: id) == nil else {
        throw Refusal(.alreadyExists, field: "stack", "there is a stack of this name")
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
    case .developerModeChanged, .timeZoneChanged, .donationsErased, .donationsTrimmed: break
    }
  }

  private func check(_ app: AppID, _ descriptors: [WidgetDescriptor], _ limits: Limits) throws(Refusal) {
    var names: Set<KindName> = []
    for (index, descriptor) in descriptors.enumerated() {
      guard descriptor.kind.app == app else {
        throw Refusal(.invalidArgument, field: "kinds[\(index)]", "the kind is another app's")
      }
      guard names.insert(descriptor.kind.name).inserted else {
        throw Refusal(.invalidArgument, field: "kinds[\(index)].name", "the kind is described twice")
      }
      guard let old = kinds[descriptor.kind], old.configuration != descriptor.configuration
      else { continue }
      guard !widgets.taken.contains(where: { widgets[$0].widget.kind == descriptor.kind }) else {
        throw Refusal(
          .failedPrecondition, field: "kinds[\(index)].intent_type",
          "widgets of the kind exist that are configured otherwise")
      }
    }
    let known = kinds.keys.filter { $0.app == app }.map(\.name)
    try Self.check(names.union(known).count, "kind-count-max", limits.kindCountMax)
    try checkApp(app, known.isEmpty, limits)
  }

  private func check(_ widget: Widget, _ timeline: Timeline, _ limits: Limits) throws(Refusal) {
    try checkConfiguration(widget)
    try Self.check(timeline.entries.count, "entry-count-max", limits.entryCountMax)
    var size = 0
    for index in timeline.entries.indices {
      let contentSize = timeline.entries[index].content.bytes.count
      try Self.check(contentSize, "content-size-max", limits.contentSizeMax)
      size += contentSize
    }
    try Self.check(size, "timeline-size-max", limits.timelineSizeMax)
    guard self.timeline(of: widget) == nil else { return }
    let count = widgets.taken.count { widgets[$0].timeline != nil && widgets[$0].widget.kind.app == widget.kind.app }
    try Self.check(count + 1, "timeline-count-max", limits.timelineCountMax)
  }

  private func check(_ edit: StackEdit, at position: Int, _ limits: Limits) throws(Refusal) {
    switch edit {
    case .add(let widget, let index):
      try checkFamily(widget, at: position)
      guard self.index(of: widget, at: position) == nil || isSuggestion(widget, at: position) else {
        throw Refusal(.alreadyExists, field: "widget", "the widget is in the stack")
      }
      try Self.check(stacks[position].members.count + 1, "member-count-max", limits.memberCountMax)
      try Self.checkIndex(index ?? 0, below: stacks[position].shownCount + 1)
    case .remove(let widget): try checkMember(widget, at: position)
    case .move(let widget, let index):
      try checkMember(widget, at: position)
      guard !isSuggestion(widget, at: position) else {
        throw Refusal(.failedPrecondition, field: "widget", "a suggestion is first; keep it before you move it")
      }
      try Self.checkIndex(index, below: stacks[position].shownCount)
    case .replace(let widget, let replacement):
      try checkMember(widget, at: position)
      guard !isSuggestion(widget, at: position) else {
        throw Refusal(.failedPrecondition, field: "widget", "it is a suggestion; keep it before you change it")
      }
      do { try checkFamily(replacement, at: position) } catch { throw error.within("replacement") }
      guard replacement == widget || self.index(of: replacement, at: position) == nil else {
        throw Refusal(.alreadyExists, field: "replacement", "the widget is in the stack")
      }
    case .create, .removeStack, .setSmartRotate, .setWidgetSuggestions: break
    }
  }

  /// Refuses a widget that cannot be in the stack.
  private func checkFamily(_ widget: Widget, at position: Int) throws(Refusal) {
    let (kind, family) = (try checkConfiguration(widget), stacks[position].family)
    guard kinds.values[kind].families.contains(family) else {
      throw Refusal(.failedPrecondition, field: "widget", "the kind does not support \(family)")
    }
  }

  private func check(_ report: PersonReport, _ limits: Limits) throws(Refusal) {
    switch report {
    case .shown(let id), .hidden(let id): try checkStack(id)
    case .scrolled(let id, let widget), .tapped(let id, let widget): try checkMember(widget, at: try checkStack(id))
    case .reload(let widget):
      if widgets.slot(of: widget) == nil { throw Refusal(.notFound, field: "widget", "the device has no such widget") }
    case .suggestionDismissed(let id): try checkSuggestion(at: try checkStack(id))
    case .suggestionKept(let id):
      let position = try checkStack(id)
      try checkSuggestion(at: position)
      try Self.check(stacks[position].members.count + 1, "member-count-max", limits.memberCountMax)
    case .widgetSuggestionBlocked(let widget, true):
      let count = book.blockedWidgets.count + (book.blockedWidgets.contains(widget) ? 0 : 1)
      try Self.check(count, "block-count-max", limits.blockCountMax)
    case .appSuggestionBlocked(let app, true):
      let count = book.blockedApps.count + (book.blockedApps.contains(app) ? 0 : 1)
      try Self.check(count, "block-count-max", limits.blockCountMax)
    case .homeWidgetAdded(let widget):
      try checkConfiguration(widget)
      guard !book.homeWidgets.contains(widget) else {
        throw Refusal(.alreadyExists, field: "widget", "the widget is on the Home Screen")
      }
      try Self.check(book.homeWidgets.count + 1, "home-widget-count-max", limits.homeWidgetCountMax)
    case .homeWidgetRemoved(let widget):
      guard book.homeWidgets.contains(widget) else {
        throw Refusal(.notFound, field: "widget", "the Home Screen has no such widget outside stacks")
      }
    case .appOpened, .appClosed, .widgetSuggestionBlocked, .appSuggestionBlocked, .contextChanged,
      .surfaceSuggestion:
      break
    }
  }

  /// The position of the stack of that name.
  @discardableResult
  func checkStack(_ id: StackID) throws(Refusal) -> Int {
    guard let position = stacks.position(of: id) else {
      throw Refusal(.notFound, field: "stack", "no stack of this name")
    }
    return position
  }

  private func checkMember(_ widget: Widget, at position: Int) throws(Refusal) {
    guard index(of: widget, at: position) != nil else {
      throw Refusal(.notFound, field: "widget", "the widget is not in the stack")
    }
  }

  /// The index of a kind that is registered.
  @discardableResult
  func checkRegistered(_ kind: WidgetKind) throws(Refusal) -> Int {
    guard let index = kinds.index(forKey: kind) else {
      throw Refusal(.notFound, field: "widget.kind", "unknown widget kind \(kind)")
    }
    return index
  }

  /// The index of the widget's kind, which is registered and configured so.
  @discardableResult
  func checkConfiguration(_ widget: Widget) throws(Refusal) -> Int {
    let kind = try checkRegistered(widget.kind)
    let field = "widget.configuration"
    switch (kinds.values[kind].configuration, widget.configuration) {
    case (.static, nil): break
    case (.static, .some): throw Refusal(.invalidArgument, field: field, "the kind has static configuration")
    case (.intent(let type), nil):
      throw Refusal(.invalidArgument, field: field, "absent, but the kind is configured by an intent \(type)")
    case (.intent(let type), .some(let intent)) where intent.type != type:
      throw Refusal(.invalidArgument, field: field, "an intent \(intent.type), but the kind is configured by \(type)")
    case (.intent, .some): break
    }
    return kind
  }

  static func check(_ count: Int, _ name: String, _ maximum: Int) throws(Refusal) {
    guard count <= maximum else { throw .over(limit: name, maximum: maximum, count: count) }
  }

  private static func checkIndex(_ index: Int, below count: Int) throws(Refusal) {
    guard (0..<count).contains(index) else {
      throw Refusal(.invalidArgument, field: "index", "\(index) is not in 0 ..< \(count)")
    }
  }
}
