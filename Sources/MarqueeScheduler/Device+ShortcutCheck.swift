import MarqueeModel

extension Device {
  func check(_ app: AppID, _ descriptors: [IntentTypeDescriptor], _ limits: Limits) throws(RequestError) {
    var types: Set<IntentType> = []
    for (index, descriptor) in descriptors.enumerated() {
      guard descriptor.app == app else {
        throw RequestError(.invalidArgument, field: "intent_types[\(index)]", "the type belongs to another app")
      }
      guard types.insert(descriptor.type).inserted else {
        throw RequestError(.invalidArgument, field: "intent_types[\(index)].type", "duplicate value")
      }
    }
    let known = intentTypes(of: app).map(\.type)
    try Self.check(
      types.union(known).count, "intent-type-count-max", limits.intentTypeCountMax, field: "intent_types")
    try checkApp(app, known.isEmpty && !descriptors.isEmpty, limits)
  }

  /// Validates relevant shortcuts against their widget kinds and intent types (rule S2).
  func check(_ app: AppID, _ shortcuts: [RelevantShortcut], _ limits: Limits) throws(RequestError) {
    try Self.check(shortcuts.count, "shortcut-count-max", limits.shortcutCountMax, field: "shortcuts")
    for (index, shortcut) in shortcuts.enumerated() {
      do { try check(app, shortcut) } catch { throw error.within("shortcuts[\(index)]") }
    }
    let others = suggestionState.intents[app]?.map(GroupUse.init) ?? []
    try Self.checkGroups(shortcuts.map(GroupUse.init), beside: others, field: "shortcuts")
    try checkApp(app, !shortcuts.isEmpty, limits)
  }

  /// Validates relevant intents against their widget kinds and intent types (rule S7).
  func check(_ app: AppID, _ intents: [RelevantIntent], _ limits: Limits) throws(RequestError) {
    try Self.check(intents.count, "shortcut-count-max", limits.shortcutCountMax, field: "intents")
    for (index, intent) in intents.enumerated() {
      do { try check(app, intent.kind, intent.intent) } catch { throw error.within("intents[\(index)]") }
    }
    let others = suggestionState.shortcuts[app]?.map(GroupUse.init) ?? []
    try Self.checkGroups(intents.map(GroupUse.init), beside: others, field: "intents")
    try checkApp(app, !intents.isEmpty, limits)
  }

  /// Validates the number of groups in which shortcuts and relevant intents put each widget (rule R15).
  ///
  /// - Parameters:
  ///   - uses: The new shortcuts, or the new relevant intents.
  ///   - others: The present relevant intents, or the present shortcuts.
  ///   - field: The name of the field of the new ones.
  private static func checkGroups(
    _ uses: [GroupUse], beside others: [GroupUse], field: String
  ) throws(RequestError) {
    var groups: [GroupUse.Target: Set<GroupName>] = [:]
    for use in others { if let group = use.group { groups[use.target, default: []].insert(group) } }
    for (index, use) in uses.enumerated() {
      guard let group = use.group else { continue }
      groups[use.target, default: []].insert(group)
      let count = groups[use.target]?.count ?? 0
      guard count <= GroupName.countMax else {
        throw .over(
          limit: "group-count-max", maximum: GroupName.countMax, count: count, field: "\(field)[\(index)].group")
      }
    }
  }

  func check(_ app: AppID, _ media: UpcomingMedia, _ limits: Limits) throws(RequestError) {
    try Self.check(
      media.intents.count, "upcoming-media-count-max", limits.upcomingMediaCountMax, field: "intents")
    for (index, intent) in media.intents.enumerated() {
      let size = intent.encoded.count
      guard size <= limits.donationSizeMax else {
        throw .over(
          limit: "donation-size-max", maximum: limits.donationSizeMax, count: size, field: "intents[\(index)]")
      }
    }
    try checkApp(app, !media.intents.isEmpty, limits)
  }

  func checkSuggestion(at position: Int) throws(RequestError) {
    guard stacks[position].suggestion != nil else {
      throw RequestError(.failedPrecondition, field: "stack", "the stack has no suggestion")
    }
  }

  private func check(_ app: AppID, _ shortcut: RelevantShortcut) throws(RequestError) {
    guard let kind = shortcut.kind else {
      guard shortcut.intent != nil || shortcut.userActivity != nil else {
        throw RequestError(.invalidArgument, "a kind, an intent or a user activity is required")
      }
      return
    }
    try check(app, kind, shortcut.intent)
  }

  private func check(_ app: AppID, _ kind: KindName, _ intent: Intent?) throws(RequestError) {
    let widgetKind = WidgetKind(app: app, name: kind)
    guard let descriptor = kinds[widgetKind] else {
      throw RequestError(.notFound, field: "kind", "unknown widget kind \(widgetKind)")
    }
    switch (descriptor.configuration, intent) {
    case (.static, nil): return
    case (.static, .some): throw RequestError(.invalidArgument, field: "intent", "the kind has static configuration")
    case (.intent(let type), nil):
      throw RequestError(
        .invalidArgument, field: "intent", "required field is missing: the kind is configured by intent type \(type)")
    case (.intent(let type), .some(let intent)):
      guard intent.type == type else {
        throw RequestError(
          .invalidArgument, field: "intent",
          "intent type \(intent.type) does not match the kind's intent type \(type)")
      }
      guard let known = intentTypes(of: app).first(where: { $0.type == type }) else {
        throw RequestError(.failedPrecondition, field: "intent", "intent type \(type) is not registered")
      }
      try known.checkConfiguration(intent)
    }
  }

  /// Validates the limit on the number of apps if the event adds the app's first state to the device.
  func checkApp(_ app: AppID, _ isAdding: Bool, _ limits: Limits) throws(RequestError) {
    guard isAdding else { return }
    try Self.check(appsWithAnything.union([app]).count, "app-count-max", limits.appCountMax)
  }

  /// The apps that have any state on the device.
  var appsWithAnything: Set<AppID> {
    Set(kinds.keys.map(\.app)).union(suggestionState.intentTypes.keys).union(suggestionState.shortcuts.keys)
      .union(suggestionState.intents.keys).union(donations.apps).union(surfaces.upcoming.keys)
  }
}

/// The widget that a shortcut or a relevant intent of an app names, and the group in which it puts the widget, if any.
private struct GroupUse {
  struct Target: Hashable {
    let kind: KindName?
    let intent: Intent?
  }

  let target: Target
  let group: GroupName?

  init(_ shortcut: RelevantShortcut) {
    target = Target(kind: shortcut.kind, intent: shortcut.intent)
    group = shortcut.group
  }

  init(_ intent: RelevantIntent) {
    target = Target(kind: intent.kind, intent: intent.intent)
    group = intent.group
  }
}
