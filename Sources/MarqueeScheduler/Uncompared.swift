/// A stored property that is not part of the state of its type: a cache, a metric, or a storage detail.
///
/// The synthesized `==` of the enclosing type ignores it, because two wrapped properties always compare as equal. No
/// result of the enclosing type may depend on the value. It is not for use as a type of its own.
@propertyWrapper
struct Uncompared<Value: Sendable>: Sendable {
  var wrappedValue: Value
}

extension Uncompared: Equatable {
  static func == (left: Uncompared, right: Uncompared) -> Bool { true }
}
