import MarqueeModel

/// An intent that the engine can predict from its donations. It declares which parameter combinations make it complete.
///
/// ```swift
/// struct OrderCoffee: PredictableIntent {
///   static let title: LocalizedStringResource = "Order Coffee"
///   @Parameter(title: "Item") var item: String
///   @Parameter(title: "Size") var size: String?
///
///   static var predictionConfiguration: some IntentPredictionConfiguration {
///     IntentPrediction(parameters: (\.$item, \.$size)) { item, size in "\(size ?? "A") \(item)" }
///     IntentPrediction(parameters: \.$item) { item in "\(item)" }
///   }
///
///   func perform() async throws -> some IntentResult { .result() }
/// }
/// ```
public protocol PredictableIntent: AppIntent {
  /// The type of ``predictionConfiguration``.
  associatedtype PredictionConfiguration: IntentPredictionConfiguration

  /// The supported parameter combinations, in order of precedence.
  @IntentPredictionsBuilder<Self> static var predictionConfiguration: PredictionConfiguration { get }
}

/// The supported parameter combinations of an intent.
public protocol IntentPredictionConfiguration {
  /// The parameter names of each combination.
  var parameterNames: [[String]] { get }
  /// Returns the representation of an intent by the most specific combination whose parameters are all set, the first
  /// one of several; `nil` if there is none.
  func displayRepresentation(of intent: any AppIntent) -> DisplayRepresentation?
}

/// A supported parameter combination, with its display representation.
public struct IntentPrediction<Intent: AppIntent>: IntentPredictionConfiguration {
  public let parameterNames: [[String]]
  private let display: (Intent) -> DisplayRepresentation?

  public func displayRepresentation(of intent: any AppIntent) -> DisplayRepresentation? {
    (intent as? Intent).flatMap(display)
  }

  /// Creates a combination of one parameter or, in a tuple, several.
  ///
  /// The display representation is that of a donation that has these parameters.
  public init<each Value: IntentParameterValue>(
    parameters: (repeat KeyPath<Intent, IntentParameter<each Value>>),
    displayRepresentation: @escaping (repeat each Value) -> DisplayRepresentation
  ) {
    let intent = Intent()
    let declared = AppIntentForm(intent).declaredParameters
    var names: [String] = []
    for path in repeat each parameters {
      let parameter = intent[keyPath: path]
      names += declared.filter { $0.parameter === parameter }.map(\.name)
    }
    parameterNames = [names]
    let combination = ParameterCombination(
      parameters: (repeat each parameters), representation: displayRepresentation)
    display = { combination.displayRepresentation(of: $0) }
  }

  /// Creates a combination without parameters.
  public init(displayRepresentation: @escaping () -> DisplayRepresentation) {
    parameterNames = [[]]
    display = { _ in displayRepresentation() }
  }
}

/// The parameters of a supported combination, with the representation of their values.
private struct ParameterCombination<Intent: AppIntent, each Value: IntentParameterValue> {
  let parameters: (repeat KeyPath<Intent, IntentParameter<each Value>>)
  let representation: (repeat each Value) -> DisplayRepresentation

  /// Returns the representation of an intent, or `nil` if one of the parameters is not set.
  func displayRepresentation(of intent: Intent) -> DisplayRepresentation? {
    for path in repeat each parameters {
      // As on the server, an empty array is not set.
      guard (try? intent[keyPath: path].reading())?.isSet == true else { return nil }
    }
    return representation(repeat value(at: each parameters, in: intent))
  }

  private func value<Parameter>(
    at path: KeyPath<Intent, IntentParameter<Parameter>>, in intent: Intent
  ) -> Parameter { intent[keyPath: path].wrappedValue }
}

/// Several supported parameter combinations.
public struct IntentPredictions<Intent: AppIntent>: IntentPredictionConfiguration {
  fileprivate let predictions: [IntentPrediction<Intent>]

  public var parameterNames: [[String]] { predictions.flatMap(\.parameterNames) }

  public func displayRepresentation(of intent: any AppIntent) -> DisplayRepresentation? {
    var best: (display: DisplayRepresentation, count: Int)?
    for prediction in predictions {
      let count = prediction.parameterNames.joined().count
      guard count > best?.count ?? -1, let display = prediction.displayRepresentation(of: intent) else { continue }
      best = (display, count)
    }
    return best?.display
  }
}

/// A result builder for supported parameter combinations.
@resultBuilder
public enum IntentPredictionsBuilder<Intent: AppIntent> {
  public static func buildExpression(_ prediction: IntentPrediction<Intent>) -> IntentPrediction<Intent> { prediction }

  public static func buildBlock(_ predictions: IntentPrediction<Intent>...) -> IntentPredictions<Intent> {
    IntentPredictions(predictions: predictions)
  }
}

extension PredictableIntent {
  static var predictedCombinations: [[String]] { predictionConfiguration.parameterNames }

  /// The intent's representation according to its predictions.
  var predictedDisplay: DisplayRepresentation? { Self.predictionConfiguration.displayRepresentation(of: self) }
}
