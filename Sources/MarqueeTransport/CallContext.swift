import MarqueeRPC

/// What a handler knows of its call beside the messages.
public struct CallContext: Sendable {
  /// `package.Service/Method`.
  public let method: String
  /// What the client sent beside its messages, checked.
  public let metadata: Metadata
  /// Who called.
  public let peer: Peer
  /// Who the connection's ``CallGate`` says it was; `nil` without a gate.
  public internal(set) var caller: (any Sendable)?
  /// When the call is to be over, on the system's monotonic clock, or `nil`. The handler is cancelled then.
  public let deadline: MonotonicTime?
}
