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
    try Self.check(types.union(known).count, "intent-type-count-max", limits.intentTypeCountMax)
    try checkApp(app, known.isEmpty && !descriptors.isEmpty, limits)
  }

  /// Validates relevant shortcuts against their widget kinds and intent types (rule S2).
  func check(_ app: AppID, _ shortcuts: [RelevantShortcut], _ limits: Limits) throws(RequestError) {
    try Self.check(shortcuts.count, "shortcut-count-max", limits.shortcutCountMax)
    for (index, shortcut) in shortcuts.enumerated() {
      do { try check(app, shortcut) } catch { throw error.within("shortcuts[\(index)]") }
    }
    try checkApp(app, !shortcuts.isEmpty, limits)
  }

  /// Validates relevant intents against their widget kinds and intent types (rule S7).
  func check(_ app: AppID, _ intents: [RelevantIntent], _ limits: Limits) throws(RequestError) {
    try Self.check(intents.count, "shortcut-count-max", limits.shortcutCountMax)
    for (index, intent) in intents.enumerated() {
      do { try check(app, intent.kind, intent.intent) } catch { throw error.within("intents[\(index)]") }
    }
    try checkApp(app, !intents.isEmpty, limits)
  }

  func check(_ app: AppID, _ media: UpcomingMedia, _ limits: Limits) throws(RequestError) {
    try Self.check(media.intents.count, "upcoming-media-count-max", limits.upcomingMediaCountMax)
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
