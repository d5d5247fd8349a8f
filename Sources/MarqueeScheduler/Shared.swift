/// A part of a device that copies of the device share until one of them changes it, so that a copy costs one reference
/// however much the part holds.
@propertyWrapper
struct Shared<Value: Equatable & Sendable>: Sendable {
  /// Only ever changed by the one value that refers to it.
  private final class Storage: @unchecked Sendable {
    /// Unchecked, since every step of a device comes here many times: whoever reaches it has access to the struct, and
    /// the compiler sees that two do not collide there.
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  private var storage: Storage

  init(wrappedValue: Value) {
    storage = Storage(wrappedValue)
  }

  var wrappedValue: Value {
    _read { yield storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }
}

extension Shared: Equatable {
  static func == (left: Shared, right: Shared) -> Bool {
    left.storage === right.storage || left.storage.value == right.storage.value
  }
}
