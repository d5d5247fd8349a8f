import Synchronization

/// The result of a transaction, which may be attempted more than once.
final class TransactionResult<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)

  var value: Value? { state.withLock(\.self) }

  func set(_ value: Value) { state.withLock { $0 = value } }
}
