import MarqueeRPC
import NIOCore

/// The queue of received messages of one call and direction, between the event loop and the task that reads them.
///
/// It is not generic, because metadata lookups of nested generic types at run time would dominate its cost.
///
/// `@unchecked Sendable`: all state is accessed only on the loop. Its size is bounded by the call's credit, which is
/// returned as messages are read.
final class InboundMessageQueue: @unchecked Sendable {
  private let resources: LoopResources
  private let consume: (CreditReceipt) -> Void
  private let readerCancelled: () -> Void
  private var unread = UnreadMessages()
  private var reader: (any InboundMessageReader)?
  private var end: Result<Void, RPCStatus>?

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - resources: The resources of the event loop.
  ///   - consume: Called on the loop for each message that was read.
  ///   - readerCancelled: Called on the loop if the reading task is cancelled while it waits.
  init(
    _ resources: LoopResources, consume: @escaping (CreditReceipt) -> Void, readerCancelled: @escaping () -> Void = {}
  ) {
    self.resources = resources
    self.consume = consume
    self.readerCancelled = readerCancelled
  }

  /// Appends a message. On the loop.
  func append(_ bytes: UnsafeRawBufferPointer, _ receipt: CreditReceipt) {
    unread.append(bytes, receipt)
    wakeReader()
  }

  /// Ends the sequence, after the unread messages unless they are discarded. Later calls have no effect. On the loop.
  func close(_ end: Result<Void, RPCStatus>, discardingUnread: Bool) {
    guard self.end == nil else { return }
    self.end = end
    if discardingUnread { unread.removeAll() }
    wakeReader()
  }

  private func wakeReader() {
    guard let reader else { return }
    self.reader = nil
    reader.wake()
  }

  /// Returns the next message, or `nil` after the last one. One task at a time.
  func next<Message: Sendable>(_ codec: MessageCodec<Message>) async throws -> Message? {
    // The task may resume on another executor after waiting.
    while resources.loop.inEventLoop {
      if hasNext { return try dequeue(codec) }
      let signal = LoopPromise<Void>(on: resources.loop)
      wait(signal)
      try await value(signal, of: signal)
    }
    let reader = OffLoopReader(self, codec, on: resources.loop)
    resources.loop.run { self.hasNext ? reader.wake() : self.wait(reader) }
    return try await value(reader.promise, of: reader)
  }

  /// Returns the next message and the unread ones after it, at most `count`; an empty array after the last one. One
  /// task at a time.
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
    while messages.count < count, !unread.isEmpty, let message = try dequeue(codec) { messages.append(message) }
    return messages
  }

  /// Whether there is a message or the end. On the loop.
  private var hasNext: Bool { !unread.isEmpty || end != nil }

  /// Removes and decodes the next message; `nil` after the last one. Requires ``hasNext``. On the loop.
  fileprivate func dequeue<Message: Sendable>(_ codec: MessageCodec<Message>) throws -> Message? {
    guard let receipt = unread.firstReceipt else {
      try end?.get()
      return nil
    }
    // After the queue was changed, because the callback may re-enter it.
    defer { consume(receipt) }
    return try unread.removeFirst { try codec.decode($0, resources.arena) }
  }

  /// Wakes `reader` once there is a message or the end. On the loop.
  private func wait(_ reader: any InboundMessageReader) {
    precondition(self.reader == nil, "two tasks are reading one call's messages")
    self.reader = reader
  }

  /// Waits for the promise; on cancellation of the task, removes its reader.
  private func value<Value: Sendable>(
    _ promise: LoopPromise<Value>, of reader: any InboundMessageReader
  ) async throws -> Value {
    do {
      return try await promise.value()
    } catch let error as CancellationError {
      resources.loop.run {
        if self.reader === reader { self.reader = nil }
        self.readerCancelled()
      }
      throw error
    }
  }
}

/// A task waiting for a message or the end.
private protocol InboundMessageReader: AnyObject, Sendable {
  /// Called on the loop when there is a message or the end.
  func wake()
}

extension LoopPromise: InboundMessageReader where Value == Void {
  fileprivate func wake() { complete(.success(())) }
}

/// A task that is not on the loop: the message is dequeued for it on the loop, which saves a second hop.
private final class OffLoopReader<Message: Sendable>: InboundMessageReader {
  let promise: LoopPromise<Message?>
  private let queue: InboundMessageQueue
  private let codec: MessageCodec<Message>

  init(_ queue: InboundMessageQueue, _ codec: MessageCodec<Message>, on loop: any EventLoop) {
    self.queue = queue
    self.codec = codec
    promise = LoopPromise(on: loop)
  }

  func wake() { promise.complete(Result { try queue.dequeue(codec) }) }
}

/// Encoded messages, stored contiguously, and their receipts.
private struct UnreadMessages {
  /// The maximum capacity kept while the queue is empty, in bytes.
  private static let keptSizeMax = 16_384

  private var bytes: [UInt8] = []
  private var receipts = CircularBuffer<(size: Int, receipt: CreditReceipt)>()
  /// The offset of the first message.
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

  /// The receipt of the first message.
  var firstReceipt: CreditReceipt? { receipts.first?.receipt }

  /// Removes the first message and passes it to `body`. The queue must not be empty.
  mutating func removeFirst<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
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

/// The messages of a call as they arrive. Iterate once, from one task at a time.
public struct MessageStream<Message: Sendable>: AsyncSequence, Sendable {
  let queue: InboundMessageQueue
  let codec: MessageCodec<Message>
  /// Keeps the call alive while it may be read.
  let owner: (any AnyObject & Sendable)?

  init(_ codec: MessageCodec<Message>, queue: InboundMessageQueue, owner: (any AnyObject & Sendable)? = nil) {
    self.codec = codec
    self.queue = queue
    self.owner = owner
  }

  /// The iterator of a message stream.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    let queue: InboundMessageQueue
    let codec: MessageCodec<Message>
    let owner: (any AnyObject & Sendable)?

    /// Returns the next message, or `nil` after the last one.
    ///
    /// - Throws: ``RPCStatus`` if the call ended otherwise.
    public mutating func next() async throws -> Message? {
      try await queue.next(codec)
    }

    /// Returns the next message and the unread ones after it, at most `count`; an empty array after the last one.
    ///
    /// - Throws: As ``next()``. If one of the messages is malformed, those read together with it are lost.
    public mutating func next(atMost count: Int) async throws -> [Message] {
      try await queue.next(codec, atMost: count)
    }
  }

  /// Returns an iterator that continues at the next unread message.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(queue: queue, codec: codec, owner: owner)
  }
}
