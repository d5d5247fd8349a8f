import MarqueeModel
import Synchronization

/// A parameter of an intent: a stored property of it, written `@Parameter`.
///
/// Intents that are copied share their parameters, as on the platform.
@propertyWrapper
public final class IntentParameter<Value: IntentParameterValue>: Sendable {
  private let value: Mutex<Value?>

  /// What people read where the parameter is set; empty if not given.
  public let title: LocalizedStringResource

  /// A parameter that has a value from the beginning.
  public init(wrappedValue: Value, title: LocalizedStringResource = "") {
    value = Mutex(wrappedValue)
    self.title = title
  }

  /// A parameter that has a value from the beginning.
  public convenience init(title: LocalizedStringResource, description: LocalizedStringResource = "", default: Value) {
    self.init(wrappedValue: `default`, title: title)
  }

  /// A parameter that must be set before it is read.
  public init(title: LocalizedStringResource = "", description: LocalizedStringResource = "") {
    value = Mutex(nil)
    self.title = title
  }

  /// A parameter that is not set.
  public convenience init(title: LocalizedStringResource = "", description: LocalizedStringResource = "")
  where Value: ExpressibleByNilLiteral {
    self.init(wrappedValue: nil, title: title)
  }

  /// What the parameter is set to. Reading one that is not set, and not optional, is a mistake of the program.
  public var wrappedValue: Value {
    get {
      guard let value = value.withLock(\.self) else {
        preconditionFailure("an intent's parameter is read before it is set: \(Value.self)")
      }
      return value
    }
    set { value.withLock { $0 = newValue } }
  }

  /// The parameter itself.
  public var projectedValue: IntentParameter<Value> { self }
}

/// A parameter of whatever type.
protocol AnyIntentParameter: AnyObject, Sendable {
  /// What the server is told of its type.
  var type: (value: IntentValueType, isArray: Bool) { get }
  /// Whether the intent is complete without it.
  var isOptional: Bool { get }
  /// What it is set to.
  func reading() throws -> ParameterValue?
  /// Sets it to a value of a widget's configuration; gives whether it could be.
  func set(_ value: ParameterValue?) async throws -> Bool
}

extension IntentParameter: AnyIntentParameter {
  var type: (value: IntentValueType, isArray: Bool) { Value.parameterType }

  var isOptional: Bool { Value.self is any ExpressibleByNilLiteral.Type }

  func reading() throws -> ParameterValue? { try value.withLock(\.self)?.parameterValue() }

  func set(_ value: ParameterValue?) async throws -> Bool {
    // A parameter that the configuration is older than keeps its default.
    if value == nil, self.value.withLock({ $0 != nil }) { return true }
    guard let resolved = try await Value.resolve(value) else { return false }
    self.value.withLock { $0 = resolved }
    return true
  }
}
