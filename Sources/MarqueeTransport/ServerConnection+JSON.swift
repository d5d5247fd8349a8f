import Logging
import MarqueeHTTP
import MarqueeRPC
import NIOCore
import NIOPosix

extension ServerConnection {
  /// The maximum size of a message that is converted from or to JSON on the event loop: a larger one would delay its
  /// other connections.
  static let jsonSizeOnLoopMax = 65_536
  /// The response field with the paths of the unknown fields of a request.
  static let ignoredFieldsKey = "marquee-ignored-fields"

  // MARK: Requests

  /// Delivers the request of a call whose messages are JSON: at once or, if it is large, when it has been encoded on
  /// another thread.
  func deliverJSON(_ message: ReceivedMessage, to call: ServerCall, on carrier: some CallCarrier) {
    guard case .assembled(let text) = message.content, !call.hasBegun else { return carrier.consume(message.receipt) }
    guard let transcoder = router.transcoder else { preconditionFailure("a call in JSON without a transcoder") }
    let (method, sizeMax) = (call.registration.path, min(call.registration.requestSizeMax, limits.messageSizeMax))
    do throws(RPCStatus) {
      if text.count > Self.jsonSizeOnLoopMax {
        // In addition to that of the connection, for the encoded request, and for the text if the call ends before.
        let reservation = assemblyReservation()
        try reservation.reserve(text.count)
        convert { () throws(RPCStatus) in try transcoder.request(fromJSON: text, of: method, sizeMax: sizeMax) }
          .assumeIsolated().whenSuccess { result in
            reservation.releaseAll()
            self.deliver(result, message, to: call, on: carrier)
          }
        return
      }
      let request = try transcoder.request(fromJSON: text, of: method, sizeMax: sizeMax)
      deliver(.success(request), message, to: call, on: carrier)
    } catch {
      deliver(.failure(error), message, to: call, on: carrier)
    }
  }

  /// Delivers an encoded request, unless the call has ended.
  private func deliver(
    _ result: Result<TranscodedRequest, RPCStatus>, _ message: ReceivedMessage, to call: ServerCall,
    on carrier: some CallCarrier
  ) {
    guard !isClosed, !call.isFinished else { return carrier.consume(message.receipt) }
    switch result {
    case .success(let request):
      if !request.ignoredFields.isEmpty { note(request.ignoredFields, call) }
      request.message.withUnsafeBytes { deliver(message, $0, on: carrier) }
    case .failure(let status):
      carrier.consume(message.receipt)
      call.begin()
      call.finish(status)
    }
  }

  /// Notes the unknown fields of a request for the response, and in the log.
  private func note(_ ignoredFields: String, _ call: ServerCall) {
    var hint = Metadata()
    hint.append(Self.ignoredFieldsKey, ignoredFields)
    if hint.problem == nil { call.hint = hint }
    logger.debug(
      "unknown fields of a request ignored",
      metadata: ["method": "\(call.registration.path)", "fields": "\(ignoredFields)"])
  }

  // MARK: Responses

  /// Returns the JSON of an encoded response, or its conversion on another thread if it is large.
  ///
  /// - Parameters:
  ///   - bytes: The encoded response.
  ///   - method: The method's path.
  ///   - isShared: Whether other calls may send the same bytes, so that their JSON is worth keeping.
  func json(of bytes: [UInt8], _ method: String, isShared: Bool) throws(RPCStatus) -> SharedJSON.Text {
    guard let transcoder = router.transcoder else { preconditionFailure("a call in JSON without a transcoder") }
    if isShared, let text = resources.sharedJSON.text(of: bytes, method) { return text }
    guard bytes.count > Self.jsonSizeOnLoopMax else {
      let text = SharedJSON.Text.complete(try transcoder.response(toJSON: bytes, of: method))
      if isShared { resources.sharedJSON.insert(text, of: bytes, method) }
      return text
    }
    let conversion = convert { () throws(RPCStatus) in try transcoder.response(toJSON: bytes, of: method) }
    if isShared {
      resources.sharedJSON.insert(.pending(conversion), of: bytes, method)
      // Before the calls that wait: from then on, others send the text at once.
      conversion.assumeIsolated().whenSuccess { self.resources.sharedJSON.complete($0, of: bytes, method) }
    }
    return .pending(conversion)
  }

  /// Performs a conversion on another thread. Its future always succeeds.
  private func convert<Value: Sendable>(
    _ body: @escaping @Sendable () throws(RPCStatus) -> Value
  ) -> EventLoopFuture<Result<Value, RPCStatus>> {
    NIOThreadPool.singleton.runIfActive(eventLoop: resources.loop) { Result(catching: body) }
      .recover { _ in .failure(RPCStatus(.unavailable, "the server is shutting down; retry later")) }
  }
}
