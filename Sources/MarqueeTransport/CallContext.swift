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
    let acceptsMoved: Bool

    init(
      method: String, metadata: Metadata, peer: Peer, callProtocol: CallProtocol, principal: (any Sendable)?,
      deadline: MonotonicTime?, acceptsMoved: Bool
    ) {
      self.method = method
      self.metadata = metadata
      self.peer = peer
      self.callProtocol = callProtocol
      self.principal = principal
      self.deadline = deadline
      self.acceptsMoved = acceptsMoved
    }
  }

  init(_ call: OpenedCall, peer: Peer, callProtocol: CallProtocol, principal: (any Sendable)? = nil) {
    content = Content(
      method: call.method, metadata: call.metadata, peer: peer, callProtocol: callProtocol, principal: principal,
      deadline: call.deadline, acceptsMoved: call.acceptsMoved)
  }

  /// The key of the metadata of a call that a server of a cluster is to pass on rather than to redirect: its value is
  /// the endpoint to which the client does not follow, or `*` for all.
  static let forwardKey = "marquee-forward-bin"

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

  /// Returns whether the client makes the call at an endpoint if its status is a refusal with the detail ``Moved``.
  package func acceptsMoved(to endpoint: String) -> Bool {
    guard content.acceptsMoved else { return false }
    guard let rejected = content.metadata.bytes(for: Self.forwardKey) else { return true }
    return rejected != Array(Redirection.anyEndpoint.utf8) && rejected != Array(endpoint.utf8)
  }

  /// The time until the deadline, at least zero; `nil` without a deadline.
  public var timeLeft: Duration? {
    deadline.map { max(.zero, MonotonicTime.now.duration(to: $0)) }
  }
}
