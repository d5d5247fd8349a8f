import MarqueeRPC
import NIOCore

/// What a handler knows of its call beside the messages.
public struct CallContext: Sendable {
  /// It goes through many hands, which share it.
  private let content: Content

  private final class Content: Sendable {
    let method: String
    let metadata: Metadata
    let peer: Peer
    let caller: (any Sendable)?
    let deadline: MonotonicTime?

    init(
      method: String, metadata: Metadata, peer: Peer, caller: (any Sendable)?, deadline: MonotonicTime?
    ) {
      self.method = method
      self.metadata = metadata
      self.peer = peer
      self.caller = caller
      self.deadline = deadline
    }
  }

  init(_ call: OpenedCall, peer: Peer, caller: (any Sendable)? = nil) {
    content = Content(
      method: call.method, metadata: call.metadata, peer: peer, caller: caller, deadline: call.deadline)
  }

  /// `package.Service/Method`.
  public var method: String { content.method }
  /// What the client sent beside its messages, checked.
  public var metadata: Metadata { content.metadata }
  /// Who called.
  public var peer: Peer { content.peer }
  /// Who the connection's ``CallGate`` says it was; `nil` without a gate.
  public var caller: (any Sendable)? { content.caller }
  /// When the call is to be over, on the system's monotonic clock, or `nil`. The handler is cancelled then.
  public var deadline: MonotonicTime? { content.deadline }

  /// How much of the caller's time is left, not below zero; `nil` without a deadline.
  public var timeLeft: Duration? {
    let now = MonotonicTime(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
    return deadline.map { max(.zero, now.duration(to: $0)) }
  }
}
