package import MarqueeModel

/// An action of the app or, with ``WidgetConfigurationIntent``, a widget's configuration: a type with parameters.
///
/// The type is registered with the server on its first donation, relevant intent or hosted widget.
public protocol AppIntent: Sendable {
  typealias Parameter<Value: IntentParameterValue> = IntentParameter<Value>

  /// The title shown to the user.
  static var title: LocalizedStringResource { get }
  /// The type of ``description``: `IntentDescription`, optional or not.
  associatedtype DescriptionContent: IntentDescriptionContent = IntentDescription?
  /// The description of the intent. Defaults to `nil`.
  static var description: DescriptionContent { get }
  /// The type's name on the server. Defaults to the name of the Swift type.
  ///
  /// Set it to keep donations when the Swift type is renamed.
  static var persistentIdentifier: String { get }
  /// Whether the type is shown in galleries. Defaults to `true`.
  static var isDiscoverable: Bool { get }
  /// Whether performing the intent brings the app to the foreground. Defaults to `false`.
  ///
  /// An intent that runs in the background is suggested more often, and on watch faces.
  static var openAppWhenRun: Bool { get }
  /// Whether the user must confirm before a display's call performs the intent, for example because it pays. Defaults
  /// to `false`.
  static var requiresConfirmation: Bool { get }
  /// The result of ``perform()``.
  associatedtype PerformResult: IntentResult
  /// The type of ``parameterSummary``.
  associatedtype SummaryContent: ParameterSummary = IntentParameterSummary<Self>

  /// The summary shown where the intent is configured. Defaults to a list of all parameters.
  @ParameterSummaryBuilder<Self> static var parameterSummary: SummaryContent { get }

  /// Creates an intent with the default values of its parameters.
  init()

  /// Performs the intent: in the app, or for a display whose user used a button or toggle.
  ///
  /// The task is cancelled if the display cancels its call.
  func perform() async throws -> PerformResult
}

extension AppIntent {
  /// Returns the intent, converted to the server's model.
  package func encoded() throws -> MarqueeModel.Intent { try AppIntentForm(self).model() }

  public static var persistentIdentifier: String { String(describing: Self.self) }
  public static var isDiscoverable: Bool { true }
  public static var openAppWhenRun: Bool { false }
  public static var requiresConfirmation: Bool { false }

  /// Donates the intent as performed by the user now, in call order. The donation is durable when this returns.
  @discardableResult
  public func donate() async throws -> IntentDonationIdentifier {
    try await IntentDonationManager.shared.donate(intent: self)
  }
}

extension AppIntent where DescriptionContent == IntentDescription? {
  public static var description: IntentDescription? { nil }
}

/// An intent that configures a widget.
public protocol WidgetConfigurationIntent: AppIntent {}

extension WidgetConfigurationIntent {
  /// Does nothing.
  public func perform() async throws -> some IntentResult { .result() }
}

/// The `IntentForm` of an `AppIntent`.
struct AppIntentForm<Intent: AppIntent>: IntentForm {
  let intent: Intent

  init() { intent = Intent() }

  init(_ intent: Intent) { self.intent = intent }

  static var typeName: String { Intent.persistentIdentifier }
  static var combinations: [[String]]? { (Intent.self as? any PredictableIntent.Type)?.predictedCombinations }
  static var mayBeSuggested: Bool { true }
  static var isListed: Bool { Intent.isDiscoverable }
  static var isFocusFilter: Bool { Intent.self is any SetFocusFilterIntent.Type }

  static var texts: IntentTexts {
    let description = Intent.description.intentDescription
    return IntentTexts(
      title: Intent.title.text, description: description?.descriptionText.text ?? "",
      category: description?.categoryName?.text ?? "", keywords: description?.searchKeywords.map(\.text) ?? [])
  }

  static func formats(of combination: [String]) -> (title: String, subtitle: String) { ("", "") }
  static func runsInBackground(_ combination: [String]) -> Bool {
    !Intent.openAppWhenRun && !(Intent.self is any WidgetConfigurationIntent.Type)
  }

  func donationDisplay() throws -> DonationDisplay? {
    guard let shown = (intent as? any PredictableIntent)?.predictedDisplay else { return nil }
    let title = shown.title.text
    guard !title.isBlank else { return nil }
    // The texts can contain values, which may be longer than the limit.
    let sizeMax = ActionTexts.textSizeMax
    return try DonationDisplay(
      title: title.shortened(to: sizeMax), subtitle: (shown.subtitle?.text ?? "").shortened(to: sizeMax))
  }

  var declaredParameters: [(name: String, parameter: any AnyIntentParameter)] { declaredParameters(of: intent) }
  var optionsContext: any Sendable { intent }

  func sentence(in family: WidgetFamily) -> [SentencePart] {
    Intent.parameterSummary.sentence(for: intent, in: family).parts
  }

  func sentences(in family: WidgetFamily) -> [[SentencePart]] {
    Intent.parameterSummary.sentences(for: intent, in: family).map(\.parts)
  }
}
