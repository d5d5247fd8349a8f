public import Foundation
public import MarqueeModel

/// An action of an app, or a widget's configuration. Subclass it, and declare parameters as `@Parameter` properties:
///
/// ```swift
/// final class CheckWeatherIntent: INIntent {
///   @Parameter var location: CLPlacemark?
/// }
/// ```
///
/// Xcode writes such classes from an intent definition file; what else stands in that file is what a subclass
/// overrides here. The server knows the type by the class's name.
open class INIntent: IntentForm, @unchecked Sendable {
  public typealias Parameter<Value: IntentParameterValue> = IntentParameter<Value>

  /// An intent without values.
  public required init() {}

  /// The parameters that make a complete intent when all of them are set, one array for each *supported combination*
  /// (rule D2); all parameters together unless it is overridden.
  open class var parameterCombinations: [[String]]? { nil }

  /// *Intent is eligible for Siri Suggestions* (rule D3); `true` unless it is overridden.
  open class var isEligibleForSuggestions: Bool { true }

  /// *User confirmation required*: whether the person is asked before an ``INIntentHandling`` handles it; `false`
  /// unless it is overridden.
  open class var requiresConfirmation: Bool { false }

  /// What the person may be told to say for it; never sent.
  open var suggestedInvocationPhrase: String?

  class var typeName: String { String(describing: self) }
  static var combinations: [[String]]? { parameterCombinations }
  static var mayBeSuggested: Bool { isEligibleForSuggestions }
  static var isListed: Bool { true }
  var declaredParameters: [(name: String, parameter: any AnyIntentParameter)] { declaredParameters(of: self) }
  var asking: any Sendable { self }
  func sentence(in family: WidgetFamily) -> [SentencePart] { [] }
}

/// A value of an app's own kind, with a name to show for it.
open class INObject: SingleParameterValue, @unchecked Sendable {
  /// What the value is; `nil` leaves ``displayString`` to say it.
  public let identifier: String?
  /// What to show for it; never compared, unless it has no identifier.
  public let displayString: String
  /// How it is said; never sent.
  public let pronunciationHint: String?

  /// An object.
  public required init(identifier: String?, display: String, pronunciationHint: String?) {
    self.identifier = identifier
    displayString = display
    self.pronunciationHint = pronunciationHint
  }

  /// An object that is said as it is written.
  public convenience init(identifier: String?, display: String) {
    self.init(identifier: identifier, display: display, pronunciationHint: nil)
  }

  public static var valueType: IntentValueType { .object }
  public var optionRepresentation: DisplayRepresentation { "\(displayString)" }

  public func intentValue() -> IntentValue {
    .object(DisplayIdentity(identifier: identifier ?? displayString, display: displayString))
  }

  public static func resolve(_ value: IntentValue) -> Self? {
    guard case .object(let identity) = value else { return nil }
    return Self(identifier: identity.identifier, display: identity.display, pronunciationHint: nil)
  }
}

/// How somebody is reached.
public final class INPersonHandle: Sendable {
  /// What the handle's value is.
  public enum HandleType: Int, Sendable {
    case unknown
    case emailAddress
    case phoneNumber
  }

  /// The address or number.
  public let value: String?
  /// What it is.
  public let type: HandleType

  /// A handle.
  public init(value: String?, type: HandleType) {
    self.value = value
    self.type = type
  }
}

/// Somebody whom an intent is about.
public final class INPerson: SingleParameterValue {
  /// How the person is reached.
  public let personHandle: INPersonHandle?
  /// What to show; never compared.
  public let displayName: String
  /// The person in the system's address book.
  public let contactIdentifier: String?
  /// The person in the app's.
  public let customIdentifier: String?

  /// A person. The server tells one from another by the first there is of custom identifier, contact identifier, the
  /// handle's value and name.
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

  public static var valueType: IntentValueType { .person }
  public var optionRepresentation: DisplayRepresentation { "\(displayName)" }

  public func intentValue() -> IntentValue {
    let identifier = customIdentifier ?? contactIdentifier ?? personHandle?.value ?? displayName
    return .person(DisplayIdentity(identifier: identifier, display: displayName))
  }

  public static func resolve(_ value: IntentValue) -> INPerson? {
    guard case .person(let identity) = value else { return nil }
    return INPerson(
      personHandle: nil, nameComponents: nil, displayName: identity.display, contactIdentifier: nil,
      customIdentifier: identity.identifier)
  }
}
