/// The state of one call on a connection.
struct CallStream {
  /// The stream number; 0 in a free slot.
  private(set) var id: StreamID
  /// The object that makes or handles the call; passed along with the call's events.
  var owner: AnyObject?
  var deadline = MonotonicTime.distantFuture
  /// The time by which the request must begin (server, calls with a single request).
  var requestDeadline = MonotonicTime.distantFuture

  // Receiving.
  /// The maximum size of a message received on this call.
  var messageSizeMax: Int
  /// The flow-control credit that the peer has left.
  var receiveCredit: Int
  /// Credit of consumed messages that has not been granted to the peer yet.
  var owedCredit = 0
  /// The number of delivered messages that have not been consumed.
  var unconsumedCount = 0
  /// The credit of delivered messages that have not been consumed.
  var unconsumedCredit = 0
  /// The frames received so far of an incomplete message, or `nil`.
  var assembly: [UInt8]?
  /// The credit used by those frames, and the part of it that was granted again before the message was complete.
  var assemblyCost = 0
  var assemblyGranted = 0
  /// The time of the incomplete message's first frame, or the last time at which the peer lacked credit for the next
  /// one.
  var assemblyStartedAt = MonotonicTime.distantFuture
  /// The time of the incomplete message's latest frame, or the last time at which the peer lacked credit for the next
  /// one.
  var lastPieceAt = MonotonicTime.distantFuture
  /// Whether, since ``assemblyStartedAt``, an unconsumed earlier message kept credit from the incomplete one.
  var assemblyWasHeldUp = false
  /// The bytes of delivered, unconsumed messages that no credit covers (server).
  var unconsumedAssemblySize = 0
  /// Whether the peer has finished sending on this call.
  var receiveClosed = false
  /// Whether a header or a message has been received.
  var hasBegun = false

  // Sending.
  /// The flow-control credit left for sending.
  var sendCredit: Int
  var backlog = FIFO<PendingMessage>()
  var backlogSize = 0
  /// The time since which the backlog has made no progress.
  var stalledSince: MonotonicTime?
  /// Whether the stream is in the connection's send queue.
  var isQueued = false
  /// Whether the writer waits for capacity, and must be notified when there is room.
  var isFull = false
  /// Whether sending has finished (client: half-closed; server: a status is waiting).
  var sendClosed = false
  /// The status to send after the backlog (server).
  var finalStatus: RPCStatus?
  /// Whether a header or message has been sent (server).
  var headerSent = false

  /// Whether the call has ended for the peer and only its handler is still running (server).
  var isOver = false

  init(_ id: StreamID, messageSizeMax: Int, receiveCredit: Int, sendCredit: Int) {
    self.id = id
    self.messageSizeMax = messageSizeMax
    self.receiveCredit = receiveCredit
    self.sendCredit = sendCredit
  }

  /// Frees the slot and its memory.
  mutating func vacate() {
    id = .connection
    owner = nil
    if assembly != nil { assembly = nil }
    if finalStatus != nil { finalStatus = nil }
    backlog = FIFO()
  }
}

/// A message, or the unsent part of one, waiting for credit or for room in the output.
struct PendingMessage: Sendable {
  var bytes: [UInt8]
  var sent = 0
  var endsStream: Bool
  /// Whether this only ends the stream, without a message.
  var isBare = false
}
