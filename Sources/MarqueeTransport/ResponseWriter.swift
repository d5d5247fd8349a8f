import MarqueeRPC

/// Sends the responses of a call. Copies write to the same call, in the order in which their sends begin.
public struct ResponseWriter<Response: Sendable>: Sendable {
  private let call: ServerCall
  private let codec: MessageCodec<Response>
  private let sizeMax: Int
  /// Called before each response is sent or queued.
  private var note: (@Sendable () -> Void)?

  init<Request>(call: ServerCall, method: RPCMethod<Request, Response>) {
    self.call = call
    codec = method.response
    sizeMax = method.responseSizeMax
  }

  /// Returns a writer to the same call that also calls `note` before each of its responses is sent or queued.
  public func noting(_ note: @escaping @Sendable () -> Void) -> ResponseWriter {
    var copy = self
    copy.note = note
    return copy
  }

  /// Sends a response, and waits while the client applies back-pressure.
  ///
  /// - Throws: ``RPCStatus`` if the call has ended or the response is too large; `CancellationError` if the task is
  ///   cancelled while it waits, in which case the response may have been sent.
  public func send(_ response: Response) async throws {
    note?()
    let codec = codec
    if call.resources.loop.inEventLoop {
      if try !call.write(sizeMax: sizeMax, { codec.encode(response, &$0) }).get() { try await call.waitForCapacity() }
    } else {
      try await call.send(sizeMax: sizeMax) { codec.encode(response, &$0) }
    }
  }

  /// Sends an already encoded response, for example one that is shared by many calls. Waits and throws like
  /// ``send(_:)``.
  public func send(encoded bytes: [UInt8]) async throws {
    note?()
    if call.resources.loop.inEventLoop {
      if try !call.write(encoded: bytes, sizeMax: sizeMax).get() { try await call.waitForCapacity() }
    } else {
      try await call.send(encoded: bytes, sizeMax: sizeMax)
    }
  }

  /// Queues a response without waiting. Thread-safe.
  ///
  /// A response over the method's size limit ends the call.
  ///
  /// - Parameter isInitial: Whether the response is part of the initial state of the stream. Such a response is always
  ///   queued and does not count, because the limits of the state bound its size.
  /// - Returns: `false` if the call has ended, or if the unsent responses exceed `RPCLimits.streamBacklogSizeMax`.
  public func offer(_ response: Response, isInitial: Bool = false) -> Bool {
    var buffer = EncodeBuffer()
    codec.encode(response, &buffer)
    return offer(encoded: buffer.bytes, isInitial: isInitial)
  }

  /// Queues an already encoded response like ``offer(_:isInitial:)``. Its bytes are shared, not copied.
  public func offer(encoded bytes: [UInt8], isInitial: Bool = false) -> Bool {
    note?()
    return call.offer(encoded: bytes, sizeMax: sizeMax, isInitial: isInitial)
  }

  /// The maximum number of unsent bytes of responses that are queued without waiting: `stream-backlog-size-max`.
  public var backlogSizeMax: Int { call.backlogSizeMax }

  /// Waits until all queued responses have been sent. Throws like ``send(_:)``.
  public func waitUntilSent() async throws {
    try await call.drain()
  }

  /// Sends metadata before the first response. It must have no ``Metadata/problem``.
  ///
  /// - Returns: `false` if a response has already been sent or the call has ended.
  @discardableResult
  public func sendHeader(_ metadata: Metadata) async -> Bool {
    await call.sendHeader(metadata)
  }
}
