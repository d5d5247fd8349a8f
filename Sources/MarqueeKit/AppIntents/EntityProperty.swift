import Synchronization

/// A stored property of an entity that queries can compare, written `@Property`. Entities that are copied share their
/// properties, as on the platform.
@propertyWrapper
public final class EntityProperty<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  /// What people call it; empty if not given.
  public let title: LocalizedStringResource

  /// A property that has a value from the beginning.
  public init(wrappedValue: Value, title: LocalizedStringResource = "") {
    value = Mutex(wrappedValue)
    self.title = title
  }

  /// A property that must be set before it is read.
  public init(title: LocalizedStringResource = "") {
    value = Mutex(nil)
    self.title = title
  }

  /// What the property is. Reading one that is not set is a mistake of the program.
  public var wrappedValue: Value {
    get {
      guard let value = value.withLock(\.self) else {
        preconditionFailure("an entity's property is read before it is set: \(Value.self)")
      }
      return value
    }
    set { value.withLock { $0 = newValue } }
  }

  /// The property itself.
  public var projectedValue: EntityProperty<Value> { self }
}

extension AppEntity {
  public typealias Property<Value: Sendable> = EntityProperty<Value>

  /// The name of the property that the path leads to; `nil` if it is no `@Property`.
  func name(of path: PartialKeyPath<Self>) -> String? {
    let property = self[keyPath: path] as AnyObject
    for child in Mirror(reflecting: self).children {
      guard let label = child.label, (child.value as AnyObject) === property else { continue }
      return label.hasPrefix("_") ? String(label.dropFirst()) : label
    }
    return nil
  }
}
