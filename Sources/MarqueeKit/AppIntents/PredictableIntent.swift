import MarqueeModel

/// An intent that the engine may suggest from its donations: it says which of its parameters make it complete (rule
/// D2; WWDC23 10103).
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
  /// What ``predictionConfiguration`` is.
  associatedtype PredictionConfiguration: IntentPredictionConfiguration

  /// The sets of parameters that make the intent complete, in the order in which they are looked at.
  @IntentPredictionsBuilder<Self> static var predictionConfiguration: PredictionConfiguration { get }
}

/// Sets of parameters that make an intent complete.
public protocol IntentPredictionConfiguration {
  /// The names of each set's parameters.
  var parameterNames: [[String]] { get }
}

/// Parameters that make an intent complete when all of them are set, and how it is shown then.
public struct IntentPrediction<Intent: AppIntent>: IntentPredictionConfiguration {
  public let parameterNames: [[String]]

  /// A set of one parameter or, in a tuple, of several. How it is shown is not asked for yet.
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

  /// No parameter: the intent is complete as it is.
  public init(displayRepresentation: @escaping () -> DisplayRepresentation) {
    parameterNames = [[]]
  }
}

/// Several sets of parameters.
public struct IntentPredictions<Intent: AppIntent>: IntentPredictionConfiguration {
  public let parameterNames: [[String]]
}

/// Puts sets of parameters together.
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
