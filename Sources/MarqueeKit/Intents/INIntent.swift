public import Foundation
public import MarqueeModel

/// An action of an app, or a widget's configuration.
///
/// Subclass it, and declare parameters as `@Parameter` properties:
///
/// ```swift
/// final class CheckWeatherIntent: INIntent {
///   @Parameter var location: CLPlacemark?
/// }
/// ```
///
/// Xcode generates such classes from an intent definition file; here a subclass overrides the other settings of that
/// file. The class's name identifies the type on the server.
open class INIntent: IntentForm, @unchecked Sendable {
  public typealias Parameter<Value: IntentParameterValue> = IntentParameter<Value>

  /// Creates an intent without parameter values.
  public required init() {}

  /// The supported parameter combinations: an intent is complete if all parameters of one combination are set.
  ///
  /// Defaults to one combination of all parameters.
  open class var parameterCombinations: [[String]]? { nil }

  /// Whether intents of the type can be suggested (*Intent is eligible for Siri Suggestions*). Defaults to `true`.
  open class var isEligibleForSuggestions: Bool { true }

  /// The title of the type in lists of actions (*Title*). Defaults to an empty text.
  open class var title: String { "" }

  /// The description of the action (*Description*). Defaults to an empty text.
  open class var intentDescription: String { "" }

  /// The category in lists of actions (*Category*). Defaults to an empty text.
  open class var category: String { "" }

  /// Returns the title of a supported parameter combination (*Title* of the combination), in which `${name}` stands for
  /// the value of a parameter: `Order ${soup}`. Defaults to an empty text, for the title of the type.
  open class func titleFormat(for combination: [String]) -> String { "" }

  /// Returns the second line of a supported parameter combination, like ``titleFormat(for:)``.
  open class func subtitleFormat(for combination: [String]) -> String { "" }

  /// Whether the app can handle an intent of a supported parameter combination without coming to the foreground
  /// (*Supports background execution*). Defaults to `true`, as in Xcode.
  ///
  /// Such an intent is suggested more often, and on watch faces.
  open class func supportsBackgroundExecution(for combination: [String]) -> Bool { true }

  /// Whether the user must confirm before an ``INIntentHandling`` handles the intent (*User confirmation required*).
  /// Defaults to `false`.
  open class var requiresConfirmation: Bool { false }

  /// The question for the user's confirmation if the handler's response to ``INIntentHandling/confirm(intent:)`` has no
  /// dialog. Defaults to an empty text.
  open var confirmationText: String { "" }

  /// The suggested phrase for voice invocation. It is not sent to the server.
  open var suggestedInvocationPhrase: String?

  class var typeName: String { String(describing: self) }
  static var combinations: [[String]]? { parameterCombinations }
  static var mayBeSuggested: Bool { isEligibleForSuggestions }
  static var isListed: Bool { true }
  static var texts: IntentTexts {
    IntentTexts(title: localized(title), description: localized(intentDescription), category: localized(category))
  }
  static func formats(of combination: [String]) -> (title: String, subtitle: String) {
    (localized(titleFormat(for: combination)), localized(subtitleFormat(for: combination)))
  }
  static func runsInBackground(_ combination: [String]) -> Bool { supportsBackgroundExecution(for: combination) }
  private static func localized(_ key: String) -> String { LocalizedStringResource(stringLiteral: key).text }
  func donationDisplay() -> DonationDisplay? { nil }
  var declaredParameters: [(name: String, parameter: any AnyIntentParameter)] { declaredParameters(of: self) }
  var optionsContext: any Sendable { self }
  func sentence(in family: WidgetFamily) -> [SentencePart] { [] }
  func sentences(in family: WidgetFamily) -> [[SentencePart]] { [[]] }
}

/// A value of an app-defined type, with a display string.
open class INObject: SingleParameterValue, @unchecked Sendable {
  /// The identifier; `nil` identifies the object by ``displayString``.
  public let identifier: String?
  /// The text to display. It does not take part in comparison unless the identifier is `nil`.
  public let displayString: String
  /// The pronunciation of the display string. It is not sent to the server.
  public let pronunciationHint: String?

  /// Creates an object.
  public required init(identifier: String?, display: String, pronunciationHint: String?) {
    self.identifier = identifier
    displayString = display
    self.pronunciationHint = pronunciationHint
  }

  /// Creates an object without a pronunciation hint.
  public convenience init(identifier: String?, display: String) {
    self.init(identifier: identifier, display: display, pronunciationHint: nil)
  }

  public static var valueType: IntentValueType { .object }
  public var optionRepresentation: DisplayRepresentation { DisplayRepresentation(verbatim: displayString) }

  public func intentValue() -> IntentValue {
    .object(DisplayIdentity(identifier: identifier ?? displayString, display: displayString))
  }

  public static func resolve(_ value: IntentValue) -> Self? {
    guard case .object(let identity) = value else { return nil }
    return Self(identifier: identity.identifier, display: identity.display, pronunciationHint: nil)
  }
}

/// A person's email address or phone number.
public final class INPersonHandle: Sendable {
  /// The type of a handle.
  public enum HandleType: Int, Sendable {
    case unknown
    case emailAddress
    case phoneNumber
  }

  /// The address or number.
  public let value: String?
  /// The type of the handle.
  public let type: HandleType

  /// Creates a handle.
  public init(value: String?, type: HandleType) {
    self.value = value
    self.type = type
  }
}

/// A person to whom an intent refers.
public final class INPerson: SingleParameterValue {
  /// The person's email address or phone number.
  public let personHandle: INPersonHandle?
  /// The name to display. It does not take part in comparison.
  public let displayName: String
  /// The person's identifier in the system's contacts.
  public let contactIdentifier: String?
  /// The person's identifier in the app.
  public let customIdentifier: String?

  /// Creates a person.
  ///
  /// The server identifies a person by the first available of custom identifier, contact identifier, handle and name.
  public init(
    personHandle: INPersonHandle?, nameComponents: PersonNameComponents?, displayName: String?,
    image: Never? = nil, contactIdentifier: String?, customIdentifier: String?
  ) {
    self.personHandle = personHandle
    let parts = [nameComponents?.givenName, nameComponents?.familyName].compactMap(\.self)
    self.displayName = displayName ?? parts.joined(separator: " ")
    self.contactIdentifier = contactIdentifier
    self.customIdentifier = customIdentifier
  }

  /// Creates a person that the server identifies.
  convenience init(_ identity: DisplayIdentity) {
    self.init(
      personHandle: nil, nameComponents: nil, displayName: identity.display, contactIdentifier: nil,
      customIdentifier: identity.identifier)
  }

  public static var valueType: IntentValueType { .person }
  public var optionRepresentation: DisplayRepresentation { DisplayRepresentation(verbatim: displayName) }

  public func intentValue() -> IntentValue {
    let identifier = customIdentifier ?? contactIdentifier ?? personHandle?.value ?? displayName
    return .person(DisplayIdentity(identifier: identifier, display: displayName))
  }

  public static func resolve(_ value: IntentValue) -> INPerson? {
    if case .person(let identity) = value { INPerson(identity) } else { nil }
  }
}
