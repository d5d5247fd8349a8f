/// One call as a connection sees it.
struct CallStream {
  /// Its number; 0 in a free slot.
  private(set) var id: StreamID
  /// Whoever makes or answers the call; it comes with the call's events.
  var owner: AnyObject?
  /// When the call is to be over.
  var deadline = MonotonicTime.distantFuture

  // Receiving.
  /// Largest message taken on this call.
  var messageSizeMax: Int
  /// What the peer may still send.
  var receiveCredit: Int
  /// Credit consumed and not yet granted again.
  var owedCredit = 0
  /// Messages handed out and not yet consumed.
  var unconsumedCount = 0
  /// Credit that they hold.
  var heldCredit = 0
  /// The message of which only a part has come, or `nil`.
  var assembly: [UInt8]?
  /// What its frames cost, and how much of that was granted again ahead of its end.
  var assemblyCost = 0
  var assemblyGranted = 0
  /// The peer sends no more.
  var receiveClosed = false
  /// A header or message has come (client).
  var hasBegun = false

  // Sending.
  /// What we may still send.
  var sendCredit: Int
  var backlog = FIFO<PendingMessage>()
  var backlogSize = 0
  /// Since when the backlog made no progress.
  var stalledSince: MonotonicTime?
  /// Whether the stream is in the queue of turns.
  var hasTurn = false
  /// Whether its writer was told to wait, and waits to be told of room.
  var isFull = false
  /// No more messages are to be sent (client: half-closed; server: a status waits).
  var sendClosed = false
  /// The status that follows the backlog (server).
  var finalStatus: RPCStatus?
  /// A header went out (server).
  var headerSent = false

  /// The call is over for the peer and only waits for its handler (server).
  var isOver = false

  init(_ id: StreamID, messageSizeMax: Int, receiveCredit: Int, sendCredit: Int) {
    self.id = id
    self.messageSizeMax = messageSizeMax
    self.receiveCredit = receiveCredit
    self.sendCredit = sendCredit
  }

  /// Makes its slot free and gives back what it holds.
  mutating func vacate() {
    id = .connection
    owner = nil
    if assembly != nil { assembly = nil }
    if finalStatus != nil { finalStatus = nil }
    backlog = FIFO()
  }
}

/// A message, or the rest of one, that waits for credit or room.
struct PendingMessage: Sendable {
  var bytes: [UInt8]
  var sent = 0
  var endsStream: Bool
  /// No message, only the end.
  var isBare = false
}
