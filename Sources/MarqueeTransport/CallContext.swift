import MarqueeRPC
import NIOCore

/// Information about a call for its handler.
public struct CallContext: Sendable {
  /// Shared, because contexts are copied often.
  private let content: Content

  private final class Content: Sendable {
    let method: String
    let metadata: Metadata
    let peer: Peer
    let callProtocol: CallProtocol
    let principal: (any Sendable)?
    let deadline: MonotonicTime?

    init(
      method: String, metadata: Metadata, peer: Peer, callProtocol: CallProtocol, principal: (any Sendable)?,
      deadline: MonotonicTime?
    ) {
      self.method = method
      self.metadata = metadata
      self.peer = peer
      self.callProtocol = callProtocol
      self.principal = principal
      self.deadline = deadline
    }
  }

  init(_ call: OpenedCall, peer: Peer, callProtocol: CallProtocol, principal: (any Sendable)? = nil) {
    content = Content(
      method: call.method, metadata: call.metadata, peer: peer, callProtocol: callProtocol, principal: principal,
      deadline: call.deadline)
  }

  /// The method path, `package.Service/Method`.
  public var method: String { content.method }
  /// The request metadata, validated.
  public var metadata: Metadata { content.metadata }
  /// The peer that made the call.
  public var peer: Peer { content.peer }
  /// The protocol of the connection.
  public var callProtocol: CallProtocol { content.callProtocol }
  /// The principal returned by the connection's ``CallInterceptor``; `nil` without an interceptor, or for an
  /// unauthenticated call that the interceptor admitted.
  public var principal: (any Sendable)? { content.principal }
  /// The call's deadline on the system's monotonic clock, or `nil`. The handler is cancelled at that time.
  public var deadline: MonotonicTime? { content.deadline }

  /// The time until the deadline, at least zero; `nil` without a deadline.
  public var timeLeft: Duration? {
    deadline.map { max(.zero, MonotonicTime.now.duration(to: $0)) }
  }
}
