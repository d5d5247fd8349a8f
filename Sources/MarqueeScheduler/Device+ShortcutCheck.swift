import MarqueeModel

extension Device {
  func check(_ app: AppID, _ descriptors: [IntentTypeDescriptor], _ limits: Limits) throws(Refusal) {
    var types: Set<IntentType> = []
    for (index, descriptor) in descriptors.enumerated() {
      guard descriptor.app == app else {
        throw Refusal(.invalidArgument, field: "intent_types[\(index)]", "the type is another app's")
      }
      guard types.insert(descriptor.type).inserted else {
        throw Refusal(.invalidArgument, field: "intent_types[\(index)].type", "the type is described twice")
      }
    }
    let known = intentTypes(of: app).map(\.type)
    try Self.check(types.union(known).count, "intent-type-count-max", limits.intentTypeCountMax)
    try checkApp(app, known.isEmpty && !descriptors.isEmpty, limits)
  }

  /// Refuses a set with a shortcut that its kind or its intent's type does not allow (rule S2).
  func check(_ app: AppID, _ shortcuts: [RelevantShortcut], _ limits: Limits) throws(Refusal) {
    try Self.check(shortcuts.count, "shortcut-count-max", limits.shortcutCountMax)
    for (index, shortcut) in shortcuts.enumerated() {
      do { try check(app, shortcut.kind, shortcut.intent) } catch { throw error.within("shortcuts[\(index)]") }
    }
    try checkApp(app, !shortcuts.isEmpty, limits)
  }

  /// Refuses a set with a relevant intent that its kind or its type does not allow (rule S7).
  func check(_ app: AppID, _ intents: [RelevantIntent], _ limits: Limits) throws(Refusal) {
    try Self.check(intents.count, "shortcut-count-max", limits.shortcutCountMax)
    for (index, intent) in intents.enumerated() {
      do { try check(app, intent.kind, intent.intent) } catch { throw error.within("intents[\(index)]") }
    }
    try checkApp(app, !intents.isEmpty, limits)
  }

  func check(_ app: AppID, _ media: UpcomingMedia, _ limits: Limits) throws(Refusal) {
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

  func checkSuggestion(at position: Int) throws(Refusal) {
    guard stacks[position].suggestion != nil else {
      throw Refusal(.failedPrecondition, field: "stack", "the stack has no suggestion")
    }
  }

  private func check(_ app: AppID, _ kind: KindName?, _ intent: Intent?) throws(Refusal) {
    guard let kind else {
      guard intent != nil else { throw Refusal(.invalidArgument, "neither a kind nor an intent") }
      return
    }
    let widgetKind = WidgetKind(app: app, name: kind)
    guard let descriptor = kinds[widgetKind] else {
      throw Refusal(.notFound, field: "kind", "unknown widget kind \(widgetKind)")
    }
    switch (descriptor.configuration, intent) {
    case (.static, nil): return
    case (.static, .some): throw Refusal(.invalidArgument, field: "intent", "the kind has static configuration")
    case (.intent(let type), nil):
      throw Refusal(.invalidArgument, field: "intent", "absent, but the kind is configured by an intent \(type)")
    case (.intent(let type), .some(let intent)):
      guard intent.type == type else {
        throw Refusal(
          .invalidArgument, field: "intent", "an intent \(intent.type), but the kind is configured by \(type)")
      }
      guard let known = intentTypes(of: app).first(where: { $0.type == type }) else {
        throw Refusal(.failedPrecondition, field: "intent", "the intent type \(type) is not registered")
      }
      try known.checkConfiguration(intent)
    }
  }

  /// Refuses one app more than may have anything on the device.
  func checkApp(_ app: AppID, _ isAdding: Bool, _ limits: Limits) throws(Refusal) {
    guard isAdding else { return }
    try Self.check(appsWithAnything.union([app]).count, "app-count-max", limits.appCountMax)
  }

  /// The apps that have anything on the device.
  var appsWithAnything: Set<AppID> {
    Set(kinds.keys.map(\.app)).union(book.intentTypes.keys).union(book.shortcuts.keys)
      .union(book.intents.keys).union(donations.apps).union(surfaces.upcoming.keys)
  }
}
