import MarqueeRPC
import NIOCore

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

  /// How much of the caller's time is left, not below zero; `nil` without a deadline.
  public var timeLeft: Duration? {
    let now = MonotonicTime(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
    return deadline.map { max(.zero, now.duration(to: $0)) }
  }
}
