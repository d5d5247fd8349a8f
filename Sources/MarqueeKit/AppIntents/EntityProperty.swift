import MarqueeModel
import Synchronization

/// A stored property of an entity that queries can filter and sort by, declared `@Property`.
///
/// Copies of an entity share its properties, as in App Intents.
@propertyWrapper
public final class EntityProperty<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  /// The title of the property. Defaults to an empty text.
  public let title: LocalizedStringResource

  /// Creates a property with an initial value.
  public init(wrappedValue: Value, title: LocalizedStringResource = "") {
    value = Mutex(wrappedValue)
    self.title = title
  }

  /// Creates a property that must be set before it is read.
  public init(title: LocalizedStringResource = "") {
    value = Mutex(nil)
    self.title = title
  }

  /// The value. Reading a property that is not set is a programming error.
  public var wrappedValue: Value {
    get {
      guard let value = value.withLock(\.self) else {
        preconditionFailure("entity property of type \(Value.self) read before it was set")
      }
      return value
    }
    set { value.withLock { $0 = newValue } }
  }

  /// The property wrapper.
  public var projectedValue: EntityProperty<Value> { self }
}

/// A type-erased property of an entity.
protocol AnyEntityProperty: AnyObject {
  /// The type of the values; `nil` for arrays, and for values that cannot be those of a parameter.
  var valueType: IntentValueType? { get }
  /// Returns the encoded value; `nil` if the property has none.
  func reading() throws -> IntentValue?
}

extension EntityProperty: AnyEntityProperty {
  var valueType: IntentValueType? {
    guard let type = (Value.self as? any IntentParameterValue.Type)?.parameterType, !type.isArray else { return nil }
    return type.value
  }

  func reading() throws -> IntentValue? {
    let current = value.withLock(\.self) as? any IntentParameterValue
    guard case .single(let encoded)? = try current?.parameterValue() else { return nil }
    return encoded
  }
}

extension AppEntity {
  public typealias Property<Value: Sendable> = EntityProperty<Value>

  /// The properties, in declaration order.
  private var declaredProperties: [(name: String, property: any AnyEntityProperty)] {
    Mirror(reflecting: self).children.compactMap { child in
      guard let label = child.label, let property = child.value as? any AnyEntityProperty else { return nil }
      return (label.hasPrefix("_") ? String(label.dropFirst()) : label, property)
    }
  }

  /// Returns the name of the property at a key path; `nil` if it is not a `@Property`.
  func name(of path: PartialKeyPath<Self>) -> String? {
    let property = self[keyPath: path] as AnyObject
    return declaredProperties.first { $0.property === property }?.name
  }

  /// Returns the encoded value of a property; `nil` if it has none.
  func propertyValue(of name: MarqueeModel.IntentParameter.Name) throws -> IntentValue? {
    try declaredProperties.first { $0.name == name.text }?.property.reading()
  }

  /// Returns the type of a property's values.
  ///
  /// - Throws: `RequestError` for `field` if there is no such property, or its values cannot be compared.
  func propertyType(
    of name: MarqueeModel.IntentParameter.Name, field: String
  ) throws(RequestError) -> IntentValueType {
    let properties = declaredProperties.compactMap { known, property in property.valueType.map { (known, $0) } }
    guard !properties.isEmpty else {
      throw RequestError(.failedPrecondition, field: field, "\(Self.self) has no properties to compare")
    }
    guard let found = properties.first(where: { $0.0 == name.text }) else {
      let known = properties.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
      throw RequestError(.invalidArgument, field: field, "\(Self.self) has no property \(name) to compare (\(known))")
    }
    return found.1
  }
}
