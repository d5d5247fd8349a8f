/// The parameters of an intent on which options depend, in an options provider or an entity query:
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

  /// Creates a dependency on parameters.
  public init<each Value: IntentParameterValue>(
    _ paths: repeat KeyPath<Intent, IntentParameter<each Value>> & Sendable
  ) {
    var readings: [@Sendable (Intent) -> any AnyIntentParameter] = []
    for path in repeat each paths { readings.append { $0[keyPath: path] } }
    self.paths = readings
  }

  /// The values of the parameters while options are computed.
  ///
  /// `nil` if one of them is not set, for another intent, and outside a request for options.
  public var wrappedValue: IntentParameterValues<Intent>? {
    guard let intent = OptionsContext.current as? Intent, paths.allSatisfy({ $0(intent).isSet }) else { return nil }
    return IntentParameterValues(intent: intent)
  }
}

/// The values of an intent's parameters.
@dynamicMemberLookup
public struct IntentParameterValues<Intent: AppIntent>: Sendable {
  let intent: Intent

  /// Returns the value of a parameter.
  public subscript<Value>(dynamicMember path: KeyPath<Intent, Value>) -> Value { intent[keyPath: path] }
}

/// The intent whose options are being computed.
enum OptionsContext {
  @TaskLocal static var current: (any Sendable)?
}

/// A type-erased parameter dependency.
protocol AnyParameterDependency {
  /// Returns the names of the parameters; empty for another intent.
  func parameterNames(in intent: any Sendable) -> [String]
}

extension IntentParameterDependency: AnyParameterDependency {
  func parameterNames(in intent: any Sendable) -> [String] {
    guard let intent = intent as? Intent else { return [] }
    let declared = AppIntentForm(intent).declaredParameters
    return paths.compactMap { path in
      let parameter = path(intent)
      return declared.first { $0.parameter === parameter }?.name
    }
  }
}

/// Returns the names of an intent's parameters on which an options provider or a query depends, without duplicates.
func dependencies(of provider: Any, in intent: any Sendable) -> [String] {
  var names: [String] = []
  for child in Mirror(reflecting: provider).children {
    guard let dependency = child.value as? any AnyParameterDependency else { continue }
    for name in dependency.parameterNames(in: intent) where !names.contains(name) { names.append(name) }
  }
  return names
}
