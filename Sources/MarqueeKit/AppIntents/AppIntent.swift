package import MarqueeModel

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
  /// Whether the app is to come to the foreground when the intent is performed; `false` if not given.
  static var openAppWhenRun: Bool { get }
  /// What ``perform()`` gives.
  associatedtype PerformResult: IntentResult
  /// What ``parameterSummary`` is.
  associatedtype SummaryContent: ParameterSummary = IntentParameterSummary<Self>

  /// The sentence that sums the intent up where it is set; all parameters are listed if not given.
  @ParameterSummaryBuilder<Self> static var parameterSummary: SummaryContent { get }

  /// An intent without values but its defaults.
  init()

  /// Does it: for the app itself, and for displays whose person used a button or a toggle. The task is cancelled when
  /// nobody waits for it any more.
  func perform() async throws -> PerformResult
}

extension AppIntent {
  /// The intent as the server gets it.
  package func encoded() throws -> MarqueeModel.Intent { try AppIntentForm(self).model() }

  public static var description: IntentDescription? { nil }
  public static var persistentIdentifier: String { String(describing: Self.self) }
  public static var isDiscoverable: Bool { true }
  public static var openAppWhenRun: Bool { false }

  /// Donates the intent as something that the person did now, in its turn.
  @discardableResult
  public func donate() async throws -> IntentDonationIdentifier {
    try await IntentDonationManager.shared.donate(intent: self)
  }
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
  var asking: any Sendable { intent }

  func sentence(in family: WidgetFamily) -> [SentencePart] {
    Intent.parameterSummary.sentence(for: intent, in: family).parts
  }
}
