/// Other parameters of an intent that options depend on, in an options provider or an entity query:
///
/// ```swift
/// struct StopQuery: EntityQuery {
///   @IntentParameterDependency<DeparturesIntent>(\.$line) var intent
///
///   func suggestedEntities() async throws -> [Stop] {
///     guard let intent else { return [] }
///     return stops(of: intent.line)
///   }
/// }
/// ```
@propertyWrapper
public struct IntentParameterDependency<Intent: AppIntent>: Sendable {
  private let paths: [@Sendable (Intent) -> any AnyIntentParameter]

  /// A dependency on these parameters.
  public init<each Value: IntentParameterValue>(
    _ paths: repeat KeyPath<Intent, IntentParameter<each Value>> & Sendable
  ) {
    var readings: [@Sendable (Intent) -> any AnyIntentParameter] = []
    for path in repeat each paths { readings.append { $0[keyPath: path] } }
    self.paths = readings
  }

  /// What the parameters are set to while options are asked for; `nil` while one of them is not, where another intent
  /// asks, and at any other time.
  public var wrappedValue: IntentParameterValues<Intent>? {
    guard let intent = AskingIntent.current as? Intent, paths.allSatisfy({ $0(intent).isSet }) else { return nil }
    return IntentParameterValues(intent: intent)
  }
}

/// The parameters of an intent.
@dynamicMemberLookup
public struct IntentParameterValues<Intent: AppIntent>: Sendable {
  let intent: Intent

  /// What a parameter is set to.
  public subscript<Value>(dynamicMember path: KeyPath<Intent, Value>) -> Value { intent[keyPath: path] }
}

/// The intent whose options are asked for.
enum AskingIntent {
  @TaskLocal static var current: (any Sendable)?
}

/// A dependency on whatever intent.
protocol AnyParameterDependency {
  /// The names of the parameters.
  var parameterNames: [String] { get }
}

extension IntentParameterDependency: AnyParameterDependency {
  var parameterNames: [String] {
    let intent = Intent()
    let declared = AppIntentForm(intent).declaredParameters
    return paths.compactMap { path in
      let parameter = path(intent)
      return declared.first { $0.parameter === parameter }?.name
    }
  }
}

/// The names of the parameters that an options provider, or a query, says it depends on.
func dependencies(of provider: Any) -> [String] {
  Mirror(reflecting: provider).children.flatMap { ($0.value as? any AnyParameterDependency)?.parameterNames ?? [] }
}
