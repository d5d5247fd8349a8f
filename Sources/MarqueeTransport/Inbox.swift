import MarqueeRPC
import NIOCore

/// The messages of one call in one direction, as they came, between the event loop and the one task that reads them.
///
/// It does not know of what type they are: looking up types of types at run time takes longer than all else here.
///
/// `@unchecked Sendable`: all state is touched on the loop alone. What it holds is bounded by the call's credit, which
/// goes back as messages are read.
final class Inbox: @unchecked Sendable {
  private let resources: LoopResources
  private let consume: (CreditReceipt) -> Void
  private let readerGaveUp: () -> Void
  private var queue = UnreadMessages()
  private var reader: (any InboxReader)?
  private var end: Result<Void, RPCStatus>?

  /// An empty inbox. On the loop, `consume` is called for each message that was read, and `readerGaveUp` when the
  /// reading task was cancelled while it waited.
  init(
    _ resources: LoopResources, consume: @escaping (CreditReceipt) -> Void, readerGaveUp: @escaping () -> Void = {}
  ) {
    self.resources = resources
    self.consume = consume
    self.readerGaveUp = readerGaveUp
  }

  /// Takes one message. On the loop.
  func deliver(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt) {
    queue.append(bytes, receipt)
    wakeReader()
  }

  /// Ends the messages, after those that wait unless they are discarded. Only the first end counts. On the loop.
  func close(_ end: Result<Void, RPCStatus>, discardingUnread: Bool) {
    guard self.end == nil else { return }
    self.end = end
    if discardingUnread { queue.removeAll() }
    wakeReader()
  }

  private func wakeReader() {
    guard let reader else { return }
    self.reader = nil
    reader.wake()
  }

  /// The next message, or `nil` after the last. One task at a time.
  func next<Message: Sendable>(_ codec: MessageCodec<Message>) async throws -> Message? {
    // Whoever waits may go on elsewhere.
    while resources.loop.inEventLoop {
      if canTake { return try take(codec) }
      let arrival = LoopPromise<Void>(on: resources.loop)
      wait(arrival)
      try await value(arrival, of: arrival)
    }
    let reader = DistantReader(self, codec, on: resources.loop)
    resources.loop.run { self.canTake ? reader.wake() : self.wait(reader) }
    return try await value(reader.promise, of: reader)
  }

  /// The next message with those that wait behind it, at most `count`; none after the last. One task at a time.
  func next<Message: Sendable>(_ codec: MessageCodec<Message>, atMost count: Int) async throws -> [Message] {
    guard let first = try await next(codec) else { return [] }
    if resources.loop.inEventLoop { return try waiting(codec, after: first, atMost: count) }
    let promise = LoopPromise<[Message]>(on: resources.loop)
    resources.loop.run { promise.complete(Result { try self.waiting(codec, after: first, atMost: count) }) }
    return try await promise.value()
  }

  private func waiting<Message: Sendable>(
    _ codec: MessageCodec<Message>, after first: Message, atMost count: Int
  ) throws -> [Message] {
    var messages = [first]
    while messages.count < count, !queue.isEmpty, let message = try take(codec) { messages.append(message) }
    return messages
  }

  /// Whether there is a message or the end. On the loop.
  private var canTake: Bool { !queue.isEmpty || end != nil }

  /// The next message, `nil` after the last; one of the two is there. On the loop.
  fileprivate func take<Message: Sendable>(_ codec: MessageCodec<Message>) throws -> Message? {
    guard let receipt = queue.firstReceipt else {
      try end?.get()
      return nil
    }
    // After the queue was changed: who is told may come back to it.
    defer { consume(receipt) }
    return try queue.takeFirst { try codec.decode($0, resources.arena) }
  }

  /// Has `reader` woken when there is something to take. On the loop.
  private func wait(_ reader: any InboxReader) {
    precondition(self.reader == nil, "two tasks read one call's messages")
    self.reader = reader
  }

  /// What is promised; the reader is forgotten when its task is cancelled.
  private func value<Value: Sendable>(_ promise: LoopPromise<Value>, of reader: any InboxReader) async throws -> Value {
    do {
      return try await promise.value()
    } catch let error as CancellationError {
      resources.loop.run {
        if self.reader === reader { self.reader = nil }
        self.readerGaveUp()
      }
      throw error
    }
  }
}

/// Who waits for a message or the end.
private protocol InboxReader: AnyObject, Sendable {
  /// There is one. On the loop.
  func wake()
}

extension LoopPromise: InboxReader where Value == Void {
  fileprivate func wake() { complete(.success(())) }
}

/// A task that is not on the loop: it is given what it waits for, so that it need not come twice.
private final class DistantReader<Message: Sendable>: InboxReader {
  let promise: LoopPromise<Message?>
  private let inbox: Inbox
  private let codec: MessageCodec<Message>

  init(_ inbox: Inbox, _ codec: MessageCodec<Message>, on loop: any EventLoop) {
    self.inbox = inbox
    self.codec = codec
    promise = LoopPromise(on: loop)
  }

  func wake() { promise.complete(Result { try inbox.take(codec) }) }
}

/// Messages in their encoding, one behind the other in one piece of memory, and what each of them holds.
private struct UnreadMessages {
  /// Memory that is kept while nothing waits, in bytes.
  private static let keptSizeMax = 16_384

  private var bytes: [UInt8] = []
  private var receipts = CircularBuffer<(size: Int, receipt: CreditReceipt)>()
  /// Where the first message begins.
  private var start = 0

  mutating func append(_ message: UnsafeRawBufferPointer, _ receipt: CreditReceipt) {
    if start * 2 > bytes.count {
      bytes.removeSubrange(..<start)
      start = 0
    }
    bytes.append(contentsOf: message)
    receipts.append((message.count, receipt))
  }

  var isEmpty: Bool { receipts.isEmpty }

  /// What the first message holds.
  var firstReceipt: CreditReceipt? { receipts.first?.receipt }

  /// Takes the first message, which `body` reads; there is one.
  mutating func takeFirst<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    let place = start..<(start + receipts.removeFirst().size)
    start = place.upperBound
    defer { if receipts.isEmpty { removeAll() } }
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[place])) }
  }

  mutating func removeAll() {
    receipts.removeAll()
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptSizeMax)
    start = 0
  }
}

/// Messages of a call as they arrive. It can be read once, by one task at a time.
public struct MessageStream<Message: Sendable>: AsyncSequence, Sendable {
  let inbox: Inbox
  let codec: MessageCodec<Message>
  /// Kept while somebody may read.
  let owner: (any AnyObject & Sendable)?

  init(_ codec: MessageCodec<Message>, inbox: Inbox, owner: (any AnyObject & Sendable)? = nil) {
    self.codec = codec
    self.inbox = inbox
    self.owner = owner
  }

  /// Reads the messages.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let inbox: Inbox
    let codec: MessageCodec<Message>
    let owner: (any AnyObject & Sendable)?

    /// The next message, `nil` after the last; throws ``RPCStatus`` when the call ended otherwise.
    public mutating func next() async throws -> Message? {
      try await inbox.next(codec)
    }

    /// The next message with those that wait behind it, `count` at most; none after the last. Throws as ``next()``
    /// does; what was read together with a message that is refused is lost.
    public mutating func next(atMost count: Int) async throws -> [Message] {
      try await inbox.next(codec, atMost: count)
    }
  }

  /// Reads on from where reading stopped.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(inbox: inbox, codec: codec, owner: owner)
  }
}
