/// A copy-on-write box: copying it copies a reference; the value is copied on the first mutation of a shared box.
@propertyWrapper
struct CopyOnWrite<Value: Equatable & Sendable>: Sendable {
  /// A reference-counted value. `@unchecked Sendable`: it is mutated only while uniquely referenced.
  private final class Storage: @unchecked Sendable {
    /// The dynamic exclusivity check is disabled because this is on the hot path. Every access goes through the
    /// enclosing struct, whose exclusivity the compiler checks statically.
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

extension CopyOnWrite: Equatable {
  static func == (left: CopyOnWrite, right: CopyOnWrite) -> Bool {
    left.storage === right.storage || left.storage.value == right.storage.value
  }
}
