import MarqueeRPC
import NIOCore

/// The messages of one call in one direction, between the event loop and the one task that reads them.
///
/// `@unchecked Sendable`: all state is touched on the loop alone. What it holds is bounded by the call's credit, which
/// goes back as messages are read.
final class Inbox<Message: Sendable>: AnyInbox, @unchecked Sendable {
  private let resources: LoopResources
  private let codec: MessageCodec<Message>
  private let consume: (CreditReceipt) -> Void
  private let readerGaveUp: () -> Void
  private var queue = UnreadMessages()
  private var reader: LoopPromise<Message?>?
  private var end: Result<Void, RPCStatus>?

  /// An empty inbox. On the loop, `consume` is called for each message that was read, and `readerGaveUp` when the
  /// reading task was cancelled while it waited.
  init(
    _ codec: MessageCodec<Message>, _ resources: LoopResources, consume: @escaping (CreditReceipt) -> Void,
    readerGaveUp: @escaping () -> Void = {}
  ) {
    self.codec = codec
    self.resources = resources
    self.consume = consume
    self.readerGaveUp = readerGaveUp
  }

  func deliver(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt) {
    if let reader {
      self.reader = nil
      reader.complete(decode(bytes, receipt).map { $0 })
    } else {
      queue.append(bytes, receipt)
    }
  }

  func close(_ end: Result<Void, RPCStatus>, discardingUnread: Bool) {
    guard self.end == nil else { return }
    self.end = end
    if discardingUnread { queue.removeAll() }
    if let reader {
      self.reader = nil
      reader.complete(end.map { nil }.mapError { $0 })
    }
  }

  /// The next message, or `nil` after the last. One task at a time.
  func next() async throws -> Message? {
    if resources.loop.inEventLoop, let result = ready() { return try result.get() }
    let promise = LoopPromise<Message?>(on: resources.loop)
    resources.loop.run {
      if let result = self.ready() {
        promise.complete(result)
      } else {
        precondition(self.reader == nil, "two tasks read one call's messages")
        self.reader = promise
      }
    }
    do {
      return try await promise.value()
    } catch let error as CancellationError {
      resources.loop.run {
        if self.reader === promise { self.reader = nil }
        self.readerGaveUp()
      }
      throw error
    }
  }

  /// The next message with those that wait behind it, at most `count`; none after the last. One task at a time.
  func next(atMost count: Int) async throws -> [Message] {
    guard let first = try await next() else { return [] }
    if resources.loop.inEventLoop { return [first] + (try waiting(atMost: count - 1).get()) }
    let promise = LoopPromise<[Message]>(on: resources.loop)
    resources.loop.run { promise.complete(self.waiting(atMost: count - 1)) }
    return [first] + (try await promise.value())
  }

  private func waiting(atMost count: Int) -> Result<[Message], any Error> {
    Result {
      var messages: [Message] = []
      while messages.count < count, let message = queue.popFirst(decode) { messages.append(try message.get()) }
      return messages
    }
  }

  private func ready() -> Result<Message?, any Error>? {
    if let message = queue.popFirst(decode) { return message.map { $0 } }
    return end.map { $0.map { nil }.mapError { $0 } }
  }

  private func decode(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt) -> Result<Message, any Error> {
    consume(receipt)
    do {
      return .success(try codec.decode(bytes, resources.arena))
    } catch {
      return .failure(error)
    }
  }
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

  /// Takes the first message, which `body` reads.
  mutating func popFirst<Value>(_ body: (UnsafeRawBufferPointer, CreditReceipt) -> Value) -> Value? {
    guard let (size, receipt) = receipts.popFirst() else { return nil }
    let value = bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<(start + size)]), receipt) }
    start += size
    if receipts.isEmpty { removeAll() }
    return value
  }

  mutating func removeAll() {
    receipts.removeAll()
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptSizeMax)
    start = 0
  }
}

/// An inbox of any message type, as a connection sees it. On the loop.
protocol AnyInbox: AnyObject {
  /// Takes one message.
  func deliver(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt)
  /// Ends the messages, after those that wait unless they are discarded. Only the first end counts.
  func close(_ end: Result<Void, RPCStatus>, discardingUnread: Bool)
}

/// Messages of a call as they arrive. It can be read once, by one task at a time.
public struct MessageStream<Message: Sendable>: AsyncSequence, Sendable {
  let inbox: Inbox<Message>
  /// Kept while somebody may read.
  let owner: (any AnyObject & Sendable)?

  init(inbox: Inbox<Message>, owner: (any AnyObject & Sendable)? = nil) {
    self.inbox = inbox
    self.owner = owner
  }

  /// Reads the messages.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let inbox: Inbox<Message>
    let owner: (any AnyObject & Sendable)?

    /// The next message, `nil` after the last; throws ``RPCStatus`` when the call ended otherwise.
    public mutating func next() async throws -> Message? {
      try await inbox.next()
    }

    /// The next message with those that wait behind it, `count` at most; none after the last. Throws as ``next()``
    /// does; what was read together with a message that is refused is lost.
    public mutating func next(atMost count: Int) async throws -> [Message] {
      try await inbox.next(atMost: count)
    }
  }

  /// Reads on from where reading stopped.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(inbox: inbox, owner: owner)
  }
}
