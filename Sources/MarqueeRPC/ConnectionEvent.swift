/// An event of a connection, caused by received bytes or by time.
///
/// Ranges are offsets into the buffer passed to ``Connection/receive(_:from:at:)`` and are invalid after it. An owner
/// is the object that was set for the call.
public enum ConnectionEvent {
  /// The peer's settings were received; a client may open calls from now on.
  case ready(PeerSettings)
  /// A client opened a call. The server must call ``Connection/finish(_:with:)`` for it in every case.
  case opened(OpenedCall)
  /// A call was rejected because it is malformed or its deadline had passed; the client has been notified.
  case rejected
  /// The server's metadata was received, before its first message.
  case header(StreamID, Metadata, owner: AnyObject?)
  /// A complete message was received. Pass its receipt to ``Connection/consume(_:)`` once it no longer uses memory.
  case message(ReceivedMessage)
  /// A client finished sending on a call.
  case halfClosed(StreamID, owner: AnyObject?)
  /// A call ended for the peer.
  ///
  /// On a client, no more events follow for this stream. On a server, the handler must be cancelled, and the call
  /// counts as open until ``Connection/finish(_:with:)``.
  case ended(StreamID, RPCStatus, owner: AnyObject?)
  /// The peer accepts no more calls.
  case goAway(GoAway)
  /// The connection failed: write the remaining ``Connection/drainOutput(at:_:)``, and close. No more events follow.
  case failed(ConnectionFailure)
}

/// A call that a client opened.
public struct OpenedCall {
  /// The call's stream number.
  public let stream: StreamID
  /// The method path, `package.Service/Method`; any value of valid length.
  public let method: String
  /// The call's deadline, or `nil`.
  public let deadline: MonotonicTime?
  /// The call's metadata, validated.
  public let metadata: Metadata
  /// Whether the client follows ``Moved``.
  public let acceptsMoved: Bool

  /// Creates a call from its parts.
  public init(
    stream: StreamID, method: String, deadline: MonotonicTime?, metadata: Metadata, acceptsMoved: Bool = false
  ) {
    self.acceptsMoved = acceptsMoved
    self.stream = stream
    self.method = method
    self.deadline = deadline
    self.metadata = metadata
  }
}

/// A complete message.
public struct ReceivedMessage {
  /// The location of a message's bytes.
  public enum Content {
    /// The bytes at these offsets of the buffer passed to ``Connection/receive(_:from:at:)``.
    case inPlace(Range<Int>)
    /// The bytes joined from several frames.
    case assembled([UInt8])
  }

  /// The call that the message belongs to.
  public let stream: StreamID
  /// The message's bytes.
  public let content: Content
  /// Whether the message is the client's last on this call.
  public let isLast: Bool
  /// The receipt to pass to ``Connection/consume(_:)``.
  public let receipt: CreditReceipt
  /// The call's owner.
  public let owner: AnyObject?

  package init(stream: StreamID, content: Content, isLast: Bool, receipt: CreditReceipt, owner: AnyObject?) {
    self.stream = stream
    self.content = content
    self.isLast = isLast
    self.receipt = receipt
    self.owner = owner
  }
}

/// The credit that a received message uses until it is consumed.
public struct CreditReceipt: Hashable, Sendable {
  /// The call that the message was received on.
  public let stream: StreamID
  package let size: Int
  /// The message's bytes that no credit covers.
  package let assemblySize: Int

  package init(stream: StreamID, size: Int, assemblySize: Int) {
    self.stream = stream
    self.size = size
    self.assemblySize = assemblySize
  }
}

/// The reason why a connection ended.
public struct ConnectionFailure: Error, Hashable, Sendable {
  /// The causes, for metrics.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The first bytes are not the protocol's preface.
    case garbage
    /// The peer uses another major version of the protocol.
    case version
    /// No complete preface and settings were received in time.
    case handshakeTimeout
    /// A frame was not completed in time.
    case frameTimeout
    /// A frame's length exceeds its limit.
    case oversized
    /// Any other violation of the protocol.
    case protocolError
    /// Frames of one kind exceed their rate limit.
    case flood
    /// The connection was closed in favor of another one.
    case evicted
    /// The peer did not answer a ping.
    case keepaliveTimeout
    /// The peer stopped reading.
    case stalled
  }

  /// The cause.
  public let reason: Reason
  /// The status sent to the peer, if anything could be sent.
  public let status: RPCStatus

  package init(reason: Reason, status: RPCStatus) {
    self.reason = reason
    self.status = status
  }
}
