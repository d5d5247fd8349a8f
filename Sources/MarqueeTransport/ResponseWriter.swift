import MarqueeRPC

/// Sends a call's responses. Copies write to the same call, in the order in which their sends begin.
public struct ResponseWriter<Response: Sendable>: Sendable {
  private let call: ServerCall
  private let codec: MessageCodec<Response>
  private let sizeMax: Int

  init<Request>(call: ServerCall, method: RPCMethod<Request, Response>) {
    self.call = call
    codec = method.response
    sizeMax = method.responseSizeMax
  }

  /// Sends a response, and waits while the client takes no more.
  ///
  /// Throws ``RPCStatus`` when the call is over or the response too large, `CancellationError` when the task is
  /// cancelled while it waits; the response may have been sent then.
  public func send(_ response: Response) async throws {
    let codec = codec
    if call.resources.loop.inEventLoop {
      if try !call.write(sizeMax: sizeMax, { codec.encode(response, &$0) }).get() { try await call.room() }
    } else {
      try await call.send(sizeMax: sizeMax) { codec.encode(response, &$0) }
    }
  }

  /// Sends a response that is encoded already, as one for many calls is; waits and throws like ``send(_:)``.
  public func send(encoded bytes: [UInt8]) async throws {
    if call.resources.loop.inEventLoop {
      if try !call.write(encoded: bytes, sizeMax: sizeMax).get() { try await call.room() }
    } else {
      try await call.send(encoded: bytes, sizeMax: sizeMax)
    }
  }

  /// Hands a response over without waiting, from any thread; `false` when the call is over or as much waits already as
  /// `RPCLimits.streamBacklogSizeMax` allows. A response over the method's limit ends the call.
  public func offer(_ response: Response) -> Bool {
    var buffer = EncodeBuffer()
    codec.encode(response, &buffer)
    return offer(encoded: buffer.bytes)
  }

  /// Like ``offer(_:)`` for a response that is encoded already; its bytes are shared, not copied.
  public func offer(encoded bytes: [UInt8]) -> Bool {
    call.offer(encoded: bytes, sizeMax: sizeMax)
  }

  /// Sends metadata ahead of the first response; `false` when it is too late. It must have no ``Metadata/problem``.
  @discardableResult
  public func sendHeader(_ metadata: Metadata) async -> Bool {
    await call.sendHeader(metadata)
  }
}
