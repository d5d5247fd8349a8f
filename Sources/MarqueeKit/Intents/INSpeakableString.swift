import MarqueeModel

/// The name of something, with an identifier of the app's own.
public final class INSpeakableString: SingleParameterValue {
  /// The identifier; `nil` identifies it by ``spokenPhrase``.
  public let vocabularyIdentifier: String?
  /// The text to display. It does not take part in comparison unless the identifier is `nil`.
  public let spokenPhrase: String
  /// The pronunciation of the text. It is not sent to the server.
  public let pronunciationHint: String?

  /// Creates a name with an identifier.
  public init(vocabularyIdentifier: String, spokenPhrase: String, pronunciationHint: String?) {
    self.vocabularyIdentifier = vocabularyIdentifier
    self.spokenPhrase = spokenPhrase
    self.pronunciationHint = pronunciationHint
  }

  /// Creates a name that identifies itself.
  public init(spokenPhrase: String) {
    self.spokenPhrase = spokenPhrase
    (vocabularyIdentifier, pronunciationHint) = (nil, nil)
  }

  /// The name, converted to the server's model.
  var identity: DisplayIdentity {
    DisplayIdentity(identifier: vocabularyIdentifier ?? spokenPhrase, display: spokenPhrase)
  }

  public static var valueType: IntentValueType { .object }
  public var optionRepresentation: DisplayRepresentation { DisplayRepresentation(verbatim: spokenPhrase) }

  public func intentValue() -> IntentValue { .object(identity) }

  public static func resolve(_ value: IntentValue) -> INSpeakableString? {
    guard case .object(let identity) = value else { return nil }
    return INSpeakableString(
      vocabularyIdentifier: identity.identifier, spokenPhrase: identity.display, pronunciationHint: nil)
  }
}
