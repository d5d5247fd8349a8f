import MarqueeRPC

/// The calls of one connection in one protocol, for the handlers of a ``Router``. Called on the event loop.
///
/// A ``ServerCall`` sends and receives through it, and a ``ServerConnection`` accepts and ends calls. Every call is
/// finished once, also if the peer, a limit or a deadline has ended it.
protocol CallCarrier: AnyObject {
  /// The number of open calls, including those that have ended for the peer while their handler is still running.
  var streamCount: Int { get }

  // MARK: For calls

  /// Sends a message of at most `sizeMax` bytes, which `encode` appends to the buffer.
  func send(_ stream: StreamID, sizeMax: Int, _ encode: (inout EncodeBuffer) -> Void) -> Connection.SendOutcome
  /// Sends a message that is already encoded. Its bytes are shared while they are queued.
  func send(_ stream: StreamID, encoded bytes: [UInt8], sizeMax: Int) -> Connection.SendOutcome
  /// Sends metadata before the first message; returns `false` if it is too late.
  func sendHeader(_ metadata: Metadata, on stream: StreamID) -> Bool
  /// The number of unsent bytes of the call's messages.
  func backlogSize(of stream: StreamID) -> Int
  /// Returns the flow-control credit of a message that no longer uses memory.
  func consume(_ receipt: CreditReceipt)
  /// Ends one call with `status`, cancelling its handler.
  func fail(_ stream: StreamID, with status: RPCStatus)

  // MARK: For the dispatch of calls

  /// Returns the protocol of an opened call.
  func callProtocol(of stream: StreamID) -> CallProtocol
  /// Whether the messages of an opened call in the Connect protocol are JSON.
  func isJSON(_ stream: StreamID) -> Bool
  /// Accepts an opened call, whose events then refer to `call`.
  func accept(_ stream: StreamID, _ call: ServerCall)
  /// Rejects an opened call that may not begin.
  func reject(_ stream: StreamID, with status: RPCStatus)
  /// Ends a call after the messages already queued for it, and frees its stream.
  func finish(_ stream: StreamID, with status: RPCStatus)

  // MARK: For the server

  /// Stops accepting calls; the connection closes when the open ones have ended.
  func drain(retryAfter: Duration)
  /// Ends all calls with `status`, cancelling their handlers.
  func abort(_ status: RPCStatus)
  /// Fails the connection, with the reason sent to the peer.
  func end(_ reason: ConnectionFailure.Reason, _ status: RPCStatus)
  /// Closes the connection after writing as much of the pending output as the client reads within a second at most.
  func close()
}

extension CallCarrier {
  func isJSON(_ stream: StreamID) -> Bool { false }
}
