import MarqueeRPC

/// What a handler knows of its call beside the messages.
public struct CallContext: Sendable {
  /// `package.Service/Method`.
  public let method: String
  /// What the client sent beside its messages, checked.
  public let metadata: Metadata
  /// Who called.
  public let peer: Peer
  /// When the call is to be over, on the system's monotonic clock, or `nil`. The handler is cancelled then.
  public let deadline: MonotonicTime?
}
