/// An action of the app, or with ``WidgetConfigurationIntent`` a widget's configuration: a type with parameters.
///
/// The server is told of the type with the first donation, relevant intent or widget of it.
public protocol AppIntent: Sendable {
  typealias Parameter<Value: IntentParameterValue> = IntentParameter<Value>

  /// What people read.
  static var title: LocalizedStringResource { get }
  /// What it does; `nil` if not given.
  static var description: IntentDescription? { get }
  /// The type's name on the server; that of the Swift type if not given. Donations stay with it when the type is
  /// renamed.
  static var persistentIdentifier: String { get }
  /// Whether it is shown in galleries; `true` if not given.
  static var isDiscoverable: Bool { get }
  /// What ``perform()`` gives.
  associatedtype PerformResult: IntentResult

  /// An intent without values but its defaults.
  init()

  /// Does it. Nobody but the app itself calls it yet.
  func perform() async throws -> PerformResult
}

extension AppIntent {
  public static var description: IntentDescription? { nil }
  public static var persistentIdentifier: String { String(describing: Self.self) }
  public static var isDiscoverable: Bool { true }

  /// Donates the intent as something that the person did now, in its turn.
  @discardableResult
  public func donate() async throws -> IntentDonationIdentifier {
    try await IntentDonationManager.shared.donate(intent: self)
  }
}

/// What an intent gives.
public protocol IntentResult: Sendable {}

/// Nothing but that it was done.
public struct EmptyIntentResult: IntentResult, Hashable {
  init() {}
}

extension IntentResult where Self == EmptyIntentResult {
  /// Nothing but that it was done.
  public static func result() -> EmptyIntentResult { EmptyIntentResult() }
}

/// How a widget is configured.
public protocol WidgetConfigurationIntent: AppIntent {}

extension WidgetConfigurationIntent {
  /// There is nothing to do.
  public func perform() async throws -> some IntentResult { .result() }
}

/// An intent of an app as the server knows it.
struct AppIntentForm<Intent: AppIntent>: IntentForm {
  let intent: Intent

  init() { intent = Intent() }

  init(_ intent: Intent) { self.intent = intent }

  static var typeName: String { Intent.persistentIdentifier }
  static var combinations: [[String]]? { (Intent.self as? any PredictableIntent.Type)?.predictedCombinations }
  static var mayBeSuggested: Bool { true }
  static var isListed: Bool { Intent.isDiscoverable }

  var declaredParameters: [(name: String, parameter: any AnyIntentParameter)] { declaredParameters(of: intent) }
}
