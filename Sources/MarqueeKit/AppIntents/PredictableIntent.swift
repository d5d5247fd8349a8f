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
}

/// A supported parameter combination, with its display representation.
public struct IntentPrediction<Intent: AppIntent>: IntentPredictionConfiguration {
  public let parameterNames: [[String]]

  /// Creates a combination of one parameter or, in a tuple, several. The display representation is not used yet.
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
  }

  /// Creates a combination without parameters.
  public init(displayRepresentation: @escaping () -> DisplayRepresentation) {
    parameterNames = [[]]
  }
}

/// Several supported parameter combinations.
public struct IntentPredictions<Intent: AppIntent>: IntentPredictionConfiguration {
  public let parameterNames: [[String]]
}

/// A result builder for supported parameter combinations.
@resultBuilder
public enum IntentPredictionsBuilder<Intent: AppIntent> {
  public static func buildExpression(_ prediction: IntentPrediction<Intent>) -> IntentPrediction<Intent> { prediction }

  public static func buildBlock(_ predictions: IntentPrediction<Intent>...) -> IntentPredictions<Intent> {
    IntentPredictions(parameterNames: predictions.flatMap(\.parameterNames))
  }
}

extension PredictableIntent {
  static var predictedCombinations: [[String]] { predictionConfiguration.parameterNames }
}
