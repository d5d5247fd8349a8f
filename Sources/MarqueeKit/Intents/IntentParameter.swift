import MarqueeModel
import Synchronization

/// A parameter of an intent: a stored property, declared `@Parameter`.
///
/// Copies of an intent share its parameters, as in App Intents.
@propertyWrapper
public final class IntentParameter<Value: IntentParameterValue>: Sendable {
  private let value: Mutex<Value?>
  let options: ParameterOptionsSource?

  /// The title of the parameter. Defaults to an empty text.
  public let title: LocalizedStringResource
  /// The maximum number of elements of an array, by widget family.
  public let size: IntentCollectionSize?

  private init(
    _ value: Value?, _ title: LocalizedStringResource, _ size: IntentCollectionSize?,
    _ options: ParameterOptionsSource? = nil
  ) {
    self.value = Mutex(value)
    (self.title, self.size, self.options) = (title, size, options)
  }

  /// Creates a parameter with a default value.
  public convenience init(
    wrappedValue: Value, title: LocalizedStringResource = "", size: IntentCollectionSize? = nil
  ) {
    self.init(wrappedValue, title, size)
  }

  /// Creates a parameter with a default value.
  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource = "", default: Value,
    size: IntentCollectionSize? = nil
  ) {
    self.init(`default`, title, size)
  }

  /// Creates a parameter that must be set before it is read.
  public convenience init(
    title: LocalizedStringResource = "", description: LocalizedStringResource = "", size: IntentCollectionSize? = nil
  ) {
    self.init(nil, title, size)
  }

  /// Creates an optional parameter.
  public convenience init(
    title: LocalizedStringResource = "", description: LocalizedStringResource = "", size: IntentCollectionSize? = nil
  ) where Value: ExpressibleByNilLiteral {
    self.init(.some(nil), title, size)
  }

  /// Creates a parameter with options, which must be set before it is read.
  public convenience init(
    title: LocalizedStringResource = "", description: LocalizedStringResource = "",
    size: IntentCollectionSize? = nil, optionsProvider: some DynamicOptionsProvider
  ) {
    self.init(nil, title, size, ParameterOptionsSource(optionsProvider))
  }

  /// Creates a parameter with options and a default value.
  public convenience init(
    title: LocalizedStringResource, description: LocalizedStringResource = "", default: Value,
    size: IntentCollectionSize? = nil, optionsProvider: some DynamicOptionsProvider
  ) {
    self.init(`default`, title, size, ParameterOptionsSource(optionsProvider))
  }

  /// Creates an optional parameter with options.
  public convenience init(
    title: LocalizedStringResource = "", description: LocalizedStringResource = "",
    size: IntentCollectionSize? = nil, optionsProvider: some DynamicOptionsProvider
  ) where Value: ExpressibleByNilLiteral {
    self.init(.some(nil), title, size, ParameterOptionsSource(optionsProvider))
  }

  /// The value. Reading a non-optional parameter that is not set is a programming error.
  public var wrappedValue: Value {
    get {
      guard let value = value.withLock(\.self) else {
        preconditionFailure("intent parameter of type \(Value.self) read before it was set")
      }
      return value
    }
    set { value.withLock { $0 = newValue } }
  }

  /// The value; `nil` if the parameter is not set.
  var settledValue: Value? { value.withLock(\.self) }

  /// The parameter itself.
  public var projectedValue: IntentParameter<Value> { self }
}

/// The maximum number of elements of an array parameter.
public struct IntentCollectionSize: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral {
  private let defaultMax: Int?
  private let families: [WidgetFamily: Int]

  /// Creates a limit for every family.
  public init(integerLiteral value: Int) { (defaultMax, families) = (value, [:]) }

  /// Creates limits for some families; the others are unlimited.
  public init(dictionaryLiteral elements: (WidgetFamily, Int)...) {
    defaultMax = nil
    families = Dictionary(elements) { _, last in last }
  }

  func max(in family: WidgetFamily) -> Int? { families[family] ?? defaultMax }
}

/// The source of a parameter's options.
struct ParameterOptionsSource: Sendable {
  /// Returns the names of an intent's parameters on which the options depend.
  let dependencies: @Sendable (any Sendable) -> [String]
  let options: @Sendable () async throws -> ParameterOptions

  init<Provider: DynamicOptionsProvider>(_ provider: Provider) {
    dependencies = { MarqueeKit.dependencies(of: provider, in: $0) }
    options = {
      try ParameterOptions(
        await provider.results(), isSelected: false, defaultValue: await provider.defaultResult())
    }
  }
}

/// A type-erased parameter.
protocol AnyIntentParameter: AnyObject, Sendable {
  /// The title of the parameter.
  var title: LocalizedStringResource { get }
  /// The type of the parameter on the server.
  var type: (value: IntentValueType, isArray: Bool) { get }
  /// The titles of the cases of an enumeration.
  var caseTitles: [EnumCaseTitle] { get }
  /// The description of the action that finds values by their properties; empty if there is none.
  var findDescription: String { get }
  /// Whether the parameter is optional.
  var isOptional: Bool { get }
  /// Whether the parameter has a value other than `nil`.
  var isSet: Bool { get }
  /// Returns the maximum number of elements in a family; `nil` if there is no limit or the parameter is not an array.
  func sizeMax(in family: WidgetFamily) -> Int?
  /// Whether the parameter has options.
  var hasOptions: Bool { get }
  /// Returns the names of an intent's parameters on which the options depend.
  func optionsDependencies(in intent: any Sendable) -> [String]
  /// Returns the options; `nil` if the parameter has none.
  func options(_ query: OptionsQuery) async throws -> ParameterOptions?
  /// Returns the encoded value; `nil` if the parameter is not set.
  func reading() throws -> ParameterValue?
  /// Sets the parameter to a value of a widget's configuration.
  ///
  /// - Returns: Whether the value is valid.
  func set(_ value: ParameterValue?) async throws -> Bool
  /// Sets the parameter if a value other than `nil` results; otherwise, the parameter is unchanged.
  ///
  /// - Returns: Whether the parameter was set.
  func replace(with value: ParameterValue) async throws -> Bool
}

extension IntentParameter: AnyIntentParameter {
  var type: (value: IntentValueType, isArray: Bool) { Value.parameterType }
  var caseTitles: [EnumCaseTitle] { Value.caseTitles }
  // The options of a provider cannot be found by properties.
  var findDescription: String { options == nil ? Value.findDescription : "" }
  var isOptional: Bool { Value.self is any ExpressibleByNilLiteral.Type }
  var hasOptions: Bool { options != nil || Value.hasOptions }

  var isSet: Bool {
    // A value that cannot be encoded is still a value.
    do { return try reading() != nil } catch { return true }
  }

  func sizeMax(in family: WidgetFamily) -> Int? { size?.max(in: family) }

  func optionsDependencies(in intent: any Sendable) -> [String] {
    options?.dependencies(intent) ?? Value.optionsDependencies(in: intent)
  }

  func options(_ query: OptionsQuery) async throws -> ParameterOptions? {
    if let options { return try await options.options() }
    return try await Value.options(query)
  }

  func reading() throws -> ParameterValue? { try value.withLock(\.self)?.parameterValue() }

  func set(_ value: ParameterValue?) async throws -> Bool {
    // A parameter added after the configuration was stored keeps its default.
    if value == nil, self.value.withLock({ $0 != nil }) { return true }
    guard let resolved = try await Value.resolve(value) else { return false }
    self.value.withLock { $0 = resolved }
    return true
  }

  func replace(with value: ParameterValue) async throws -> Bool {
    // An optional value that cannot be resolved is `nil`.
    guard let resolved = try await Value.resolve(value), try resolved.parameterValue() != nil else { return false }
    self.value.withLock { $0 = resolved }
    return true
  }
}
