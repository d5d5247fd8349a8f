import MarqueeModel

extension Card {
  /// A button or a link.
  public struct Action: Hashable, Sendable {
    /// The effect of an action.
    public enum Effect: Hashable, Sendable {
      /// Opens an `https` URL.
      case open(EntryLink)
      /// Performs an intent of the app that published the card.
      case perform(Intent)
    }

    /// The style of an action.
    public enum Style: String, CaseIterable, Sendable {
      case `default`, positive, destructive
    }

    public var title: String
    public var effect: Effect
    public var style: Style

    /// Creates an action.
    public init(title: String, effect: Effect, style: Style = .default) {
      self.title = title
      self.effect = effect
      self.style = style
    }
  }

  /// A switch that performs an intent of the app with its new state as a Boolean parameter.
  public struct Toggle: Hashable, Sendable {
    public var title: String
    public var isOn: Bool
    /// The intent. A value of ``parameter`` in it is replaced.
    public var intent: Intent
    /// The name of the Boolean parameter.
    public var parameter: IntentParameter.Name

    /// Creates a switch.
    public init(title: String, isOn: Bool, intent: Intent, parameter: IntentParameter.Name) {
      self.title = title
      self.isOn = isOn
      self.intent = intent
      self.parameter = parameter
    }

    /// Returns the intent that is performed when the user sets the switch.
    ///
    /// - Throws: ``RequestError`` if the intent has too many parameters.
    public func intent(isOn: Bool) throws(RequestError) -> Intent {
      let others = intent.parameters.filter { $0.name != parameter }
      return try Intent(
        type: intent.type, parameters: others + [IntentParameter(name: parameter, value: .single(.boolean(isOn)))])
    }
  }
}

extension EntryLink {
  /// Whether the URL's scheme is `https`.
  var isSecure: Bool {
    let scheme = text.utf8.prefix(6)
    return scheme.count == 6
      && zip(scheme, "https:".utf8).allSatisfy { byte, expected in
        byte == expected || byte | 0x20 == expected
      }
  }
}
