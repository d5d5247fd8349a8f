/// What came of bytes received or of time passing. Ranges are offsets into the bytes given to
/// ``Connection/receive(_:from:at:)`` and end with that buffer. An owner is the one that was given for the call.
public enum ConnectionEvent {
  /// The peer's settings are known; a client may open calls from now on.
  case ready(PeerSettings)
  /// A client began a call. The server owes it ``Connection/finish(_:with:)``, whatever else happens.
  case opened(OpenedCall)
  /// The server's metadata, before its first message.
  case header(StreamID, Metadata, owner: AnyObject?)
  /// A whole message. Its credit is owed back by ``Connection/consume(_:)`` once it no longer takes memory.
  case message(ReceivedMessage)
  /// A client sends no more messages on that call.
  case halfClosed(StreamID, owner: AnyObject?)
  /// The call is over for the peer. On a client nothing more follows for this stream; on a server the handler is to be
  /// cancelled, and the call still counts until ``Connection/finish(_:with:)``.
  case ended(StreamID, RPCStatus, owner: AnyObject?)
  /// The peer takes no further calls.
  case goAway(GoAway)
  /// The connection is over: write what ``Connection/takeOutput(_:)`` still gives, and close. Nothing follows.
  case failed(ConnectionFailure)
}

/// A call that a client began.
public struct OpenedCall {
  /// Its number.
  public let stream: StreamID
  /// `package.Service/Method`, of any value.
  public let method: String
  /// When it is to be over, or `nil`.
  public let deadline: MonotonicTime?
  /// What the client sent beside it, checked.
  public let metadata: Metadata
}

/// A whole message.
public struct ReceivedMessage {
  /// Where its bytes are.
  public enum Content {
    /// In the buffer that was given to ``Connection/receive(_:from:at:)``, at these offsets.
    case inPlace(Range<Int>)
    /// Put together from several frames.
    case assembled([UInt8])
  }

  /// The call it belongs to.
  public let stream: StreamID
  /// Its bytes.
  public let content: Content
  /// Whether the client sends no more on this call.
  public let isLast: Bool
  /// What is to be given back when the message no longer takes memory.
  public let receipt: CreditReceipt
  /// Whose the call is.
  public let owner: AnyObject?
}

/// The credit that one received message holds.
public struct CreditReceipt: Hashable, Sendable {
  /// The call it came on.
  public let stream: StreamID
  let size: Int
}

/// Why a connection ended.
public struct ConnectionFailure: Error, Hashable, Sendable {
  /// Causes, for counting.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The first bytes are not the preface.
    case garbage
    /// Another major version of the protocol.
    case version
    /// No complete preface and settings in time.
    case handshakeTimeout
    /// A frame was not complete in time.
    case frameTimeout
    /// A length over its limit.
    case oversized
    /// Anything else that the protocol forbids.
    case protocolError
    /// More frames of a kind than its rate allows.
    case flood
    /// The peer did not answer a ping.
    case keepaliveTimeout
    /// The peer did not read.
    case stalled
  }

  /// The cause.
  public let reason: Reason
  /// What the peer was told, or would have been.
  public let status: RPCStatus
}
