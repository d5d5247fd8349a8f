import MarqueeModel

/// Validations of new events only. Stored events, which ``Device/check(_:limits:)`` validates when they are replayed,
/// can be older than these rules.
extension Device {
  /// Validates a new event, in addition to ``check(_:limits:)``: the configuration of a placed widget, names of groups,
  /// and titles.
  ///
  /// - Throws: ``RequestError`` that names the first invalid field.
  public func checkNew(_ event: Event) throws(RequestError) {
    switch event {
    case .stackEdited(_, .add(let widget, _)), .reported(.homeWidgetAdded(let widget, _)):
      try checkConfigurationValues(of: widget, field: "widget.configuration")
    case .stackEdited(_, .replace(let widget, let replacement)) where replacement != widget:
      let kept = widget.configuration?.parameters ?? []
      try checkConfigurationValues(of: replacement, except: kept, field: "replacement.configuration")
    case .timelinePublished(let widget, let timeline):
      try checkConfigurationOfNew(widget)
      try timeline.group?.check(for: widget.kind.name, field: "group")
    case .relevantShortcutsSet(_, let shortcuts):
      for (index, shortcut) in shortcuts.enumerated() {
        try shortcut.group?.check(for: shortcut.kind, field: "shortcuts[\(index)].group")
      }
    case .relevantIntentsSet(_, let intents):
      for (index, intent) in intents.enumerated() {
        try intent.group?.check(for: intent.kind, field: "intents[\(index)].group")
      }
    case .kindsRegistered(_, let kinds):
      for (index, kind) in kinds.enumerated() {
        try Self.checkNotBlank(kind.displayName, "kinds[\(index)].display_name")
        // The name of an app neither registers a kind again that was removed, nor changes one.
        guard kind.appName == nil || self.kinds[kind.kind]?.named(nil) == kind.named(nil) else {
          throw RequestError(.failedPrecondition, field: "kinds[\(index)]", "the kind has changed or was removed")
        }
      }
    case .intentTypesRegistered(_, let types):
      for (index, type) in types.enumerated() { try Self.checkNotBlank(type.title, "intent_types[\(index)].title") }
    default: break
    }
  }

  /// Whether a new event has no effect, so that it need not be stored: it registers kinds or intent types that are
  /// registered in the same form. Apps do so each time that they connect.
  public func isUnchanged(by event: Event) -> Bool {
    switch event {
    case .kindsRegistered(_, let kinds):
      kinds.allSatisfy { new in self.kinds[new.kind].map { $0 == registered(new, over: $0) } ?? false }
    case .intentTypesRegistered(let app, let types): types.allSatisfy(intentTypes(of: app).contains)
    default: false
    }
  }

  /// Returns the intent types of an app to register, of which the app has the texts in a language: if the device has
  /// another one, those that are not registered, or differ in more than texts.
  public func typesToRegister(
    _ types: [IntentTypeDescriptor], of app: AppID, in language: LanguageTag
  ) -> [IntentTypeDescriptor] {
    guard self.language.prefixes.last != language.prefixes.last else { return types }
    let registered = intentTypes(of: app)
    return types.filter { type in !registered.contains { type.differsOnlyInTexts(from: $0) } }
  }

  /// Validates an intent against its type, if its app has registered the type: its parameters must be declared, with
  /// values of the declared types.
  ///
  /// Parameters in `kept` are not validated, since the type can have changed after they were set.
  ///
  /// - Throws: ``RequestError`` whose path begins with `field`.
  public func checkValues(
    of intent: Intent, for app: AppID, except kept: [IntentParameter] = [], field: String
  ) throws(RequestError) {
    guard let type = intentTypes(of: app).first(where: { $0.type == intent.type }) else { return }
    try type.checkValues(of: intent, except: kept, field: field)
  }

  /// Validates the values of a widget that the device does not know yet. A known one may have been valid before its
  /// intent type changed.
  func checkConfigurationOfNew(_ widget: Widget) throws(RequestError) {
    guard widgets.firstSlot(of: widget) == nil else { return }
    try checkConfigurationValues(of: widget, field: "widget.configuration")
  }

  private func checkConfigurationValues(
    of widget: Widget, except kept: [IntentParameter] = [], field: String
  ) throws(RequestError) {
    guard let configuration = widget.configuration else { return }
    try checkValues(of: configuration, for: widget.kind.app, except: kept, field: field)
  }

  /// Validates that a text is empty, so that another one is shown in its place, or visible.
  private static func checkNotBlank(_ text: String, _ field: String) throws(RequestError) {
    guard text.isEmpty || !text.isBlank else { throw RequestError(.invalidArgument, field: field, "must not be blank") }
  }
}

extension GroupName {
  /// Validates that a name that begins with ``automaticPrefix`` is that of the automatic group of the widget's kind.
  fileprivate func check(for kind: KindName?, field: String) throws(RequestError) {
    guard text.hasPrefix(Self.automaticPrefix), text != kind.map({ Self.automaticPrefix + $0.text }) else { return }
    throw RequestError(
      .invalidArgument, field: field,
      "names that begin with '\(Self.automaticPrefix)' are reserved for the group of all widgets of a kind")
  }
}
