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

extension AppEntity {
  public typealias Property<Value: Sendable> = EntityProperty<Value>

  /// Returns the name of the property at a key path; `nil` if it is not a `@Property`.
  func name(of path: PartialKeyPath<Self>) -> String? {
    let property = self[keyPath: path] as AnyObject
    for child in Mirror(reflecting: self).children {
      guard let label = child.label, (child.value as AnyObject) === property else { continue }
      return label.hasPrefix("_") ? String(label.dropFirst()) : label
    }
    return nil
  }
}
