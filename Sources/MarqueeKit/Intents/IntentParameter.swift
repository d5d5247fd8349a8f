import MarqueeModel
import Synchronization

/// A parameter of an intent: a stored property of it, written `@Parameter`.
///
/// Intents that are copied share their parameters, as on the platform.
@propertyWrapper
public final class IntentParameter<Value: IntentParameterValue>: Sendable {
  private let value: Mutex<Value?>
  let options: ParameterOptionsSource?

  /// What people read where the parameter is set; empty if not given.
  public let title: LocalizedStringResource
  /// How many elements an array may have, by the widget's family.
  public let size: IntentCollectionSize?

  private init(
    _ value: Value?, _ title: LocalizedStringResource, _ size: IntentCollectionSize?,
    _ options: ParameterOptionsSource? = nil
  ) {
    self.value = Mutex(value)
    (self.title, self.size, self.options) = (title, size, options)
  }

  /// A parameter that has a value from the beginning.
  public convenience init(
    wrappedValue: Value, title: LocalizedStringResource = "", size: IntentCollectionSize? = nil
  ) {
    self.init(wrappedValue, title, size)
  }

  /// A parameter that has a value from the beginning.
  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource = "", default: Value,
    size: IntentCollectionSize? = nil
  ) {
    self.init(`default`, title, size)
  }

  /// A parameter that must be set before it is read.
  public convenience init(
    title: LocalizedStringResource = "", description: LocalizedStringResource = "", size: IntentCollectionSize? = nil
  ) {
    self.init(nil, title, size)
  }

  /// A parameter that is not set.
  public convenience init(
    title: LocalizedStringResource = "", description: LocalizedStringResource = "", size: IntentCollectionSize? = nil
  ) where Value: ExpressibleByNilLiteral {
    self.init(.some(nil), title, size)
  }

  /// A parameter with values to choose from, that must be set before it is read.
  public convenience init(
    title: LocalizedStringResource = "", description: LocalizedStringResource = "",
    size: IntentCollectionSize? = nil, optionsProvider: some DynamicOptionsProvider
  ) {
    self.init(nil, title, size, ParameterOptionsSource(optionsProvider))
  }

  /// A parameter with values to choose from, that has a value from the beginning.
  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource = "", default: Value,
    size: IntentCollectionSize? = nil, optionsProvider: some DynamicOptionsProvider
  ) {
    self.init(`default`, title, size, ParameterOptionsSource(optionsProvider))
  }

  /// A parameter with values to choose from, that is not set.
  public convenience init(
    title: LocalizedStringResource = "", description: LocalizedStringResource = "",
    size: IntentCollectionSize? = nil, optionsProvider: some DynamicOptionsProvider
  ) where Value: ExpressibleByNilLiteral {
    self.init(.some(nil), title, size, ParameterOptionsSource(optionsProvider))
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

  /// What the parameter is set to, if it is.
  var settledValue: Value? { value.withLock(\.self) }

  /// The parameter itself.
  public var projectedValue: IntentParameter<Value> { self }
}

/// How many elements an array may have.
public struct IntentCollectionSize: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral {
  private let standard: Int?
  private let families: [WidgetFamily: Int]

  /// So many in every family.
  public init(integerLiteral value: Int) { (standard, families) = (value, [:]) }

  /// So many in these families, and any number in others.
  public init(dictionaryLiteral elements: (WidgetFamily, Int)...) {
    standard = nil
    families = Dictionary(elements) { _, last in last }
  }

  func max(in family: WidgetFamily) -> Int? { families[family] ?? standard }
}

/// What offers values for a parameter.
struct ParameterOptionsSource: Sendable {
  /// Found when they are asked for: a dependency on the intent of the parameter itself makes another such intent.
  let dependencies: @Sendable () -> [String]
  let options: @Sendable () async throws -> ParameterOptions

  init<Provider: DynamicOptionsProvider>(_ provider: Provider) {
    dependencies = { MarqueeKit.dependencies(of: provider) }
    options = {
      try ParameterOptions(
        await provider.results(), isSelected: false, standard: await provider.defaultResult())
    }
  }
}

/// A parameter of whatever type.
protocol AnyIntentParameter: AnyObject, Sendable {
  /// What people read where the parameter is set.
  var title: LocalizedStringResource { get }
  /// What the server is told of its type.
  var type: (value: IntentValueType, isArray: Bool) { get }
  /// Whether the intent is complete without it.
  var isOptional: Bool { get }
  /// Whether it is set to anything but `nil`.
  var isSet: Bool { get }
  /// How many elements it may have in a family, if it is an array; `nil` where nobody says.
  func sizeMax(in family: WidgetFamily) -> Int?
  /// Whether there are values to choose from.
  var hasOptions: Bool { get }
  /// The names of the parameters that these depend on.
  var optionsDependencies: [String] { get }
  /// The values to choose from; `nil` if there are none.
  func options(_ query: OptionsQuery) async throws -> ParameterOptions?
  /// What it is set to.
  func reading() throws -> ParameterValue?
  /// Sets it to a value of a widget's configuration; gives whether it could be.
  func set(_ value: ParameterValue?) async throws -> Bool
}

extension IntentParameter: AnyIntentParameter {
  var type: (value: IntentValueType, isArray: Bool) { Value.parameterType }
  var isOptional: Bool { Value.self is any ExpressibleByNilLiteral.Type }
  var hasOptions: Bool { options != nil || Value.hasOptions }
  var optionsDependencies: [String] { options?.dependencies() ?? Value.optionsDependencies }

  var isSet: Bool {
    // What cannot be sent is something.
    do { return try reading() != nil } catch { return true }
  }

  func sizeMax(in family: WidgetFamily) -> Int? { size?.max(in: family) }

  func options(_ query: OptionsQuery) async throws -> ParameterOptions? {
    if let options { return try await options.options() }
    return try await Value.options(query)
  }

  func reading() throws -> ParameterValue? { try value.withLock(\.self)?.parameterValue() }

  func set(_ value: ParameterValue?) async throws -> Bool {
    // A parameter that the configuration is older than keeps its default.
    if value == nil, self.value.withLock({ $0 != nil }) { return true }
    guard let resolved = try await Value.resolve(value) else { return false }
    self.value.withLock { $0 = resolved }
    return true
  }
}
