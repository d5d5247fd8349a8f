import MarqueeHTTP
import MarqueeRPC
import NIOCore
import NIOHTTP1

extension HTTP1Session {
  private static var noBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// Opens the call of a request that repeats an earlier one.
  func begin(_ repetition: HTTP1Repetition, _ stream: StreamID) {
    let original = repetition.original
    let exchange = HTTP1Exchange(
      stream, repetition.head, original.traits, newExchange(original.relation), at: resources.now)
    self.exchange = exchange
    beginCall(exchange, original.request)
  }

  /// Processes the head of a request: responds to it, or opens its call.
  ///
  /// - Parameters:
  ///   - received: The head.
  ///   - raw: The bytes of the head, if a repetition of it can be recognized.
  ///   - stream: The number of the stream.
  func begin(_ received: HTTPRequestHead, _ raw: HTTP1RawHead?, _ stream: StreamID) {
    let head = HTTPHead(received)
    let relation = check.relation(of: head)
    let exchange = HTTP1Exchange(
      stream, head, HTTP1Exchange.HeadTraits(head), newExchange(relation), at: resources.now)
    self.exchange = exchange
    exchange.acceptsChunks = received.version == .http1_1
    let isFramed = Self.hasKnownCoding(head, received.version)
    exchange.isLast = !exchange.acceptsChunks || !isFramed
    if !isFramed { server.failed(.protocolError) }
    if let response = isFramed ? response(to: received, head, relation) : HTTPResponse(501) {
      if response.status != 204 { countRejection(.invalidArgument) }
      return respond(exchange, response)
    }
    if let file = files.response(to: head) { return respond(exchange, withFile: file) }
    beginCall(exchange, raw)
  }

  /// Responds with a file, unless the server has too many unsent bytes.
  private func respond(_ exchange: HTTP1Exchange, withFile response: HTTPResponse) {
    guard let status = reserveOutput(adding: response.body.count) else { return respond(exchange, response) }
    countRejection(status.code)
    respond(exchange, exchange.connect.unaryResponse(status))
  }

  /// Returns an exchange whose form is not known, and which responds in JSON.
  private func newExchange(_ relation: Origins.Relation) -> ConnectExchange {
    ConnectExchange(ConnectFormat(.json, isStream: false), relation, check.origins)
  }

  /// Returns the response to a request that cannot be a call; `nil` for any other.
  private func response(to received: HTTPRequestHead, _ head: HTTPHead, _ relation: Origins.Relation) -> HTTPResponse? {
    guard received.version.major == 1 else { return wrongVersion(relation) }
    return check.response(to: head, relation)
  }

  private func wrongVersion(_ relation: Origins.Relation) -> HTTPResponse {
    let text = "This needs HTTP/1.1 or HTTP/2. In HTTP/1.0, the server has files, and calls with one response.\n"
    return HTTPResponse(
      505, check.origins.fields(for: relation) + [.init("content-type", "text/plain; charset=utf-8")],
      body: Array(text.utf8))
  }

  /// Returns whether the body of a request is as long for every recipient.
  ///
  /// A coding that only a proxy or only the server applies would let a request contain another one.
  private static func hasKnownCoding(_ head: HTTPHead, _ version: HTTPVersion) -> Bool {
    let codings = head.values(of: "transfer-encoding")
    return codings.isEmpty || (version == .http1_1 && codings.map { $0.lowercased() } == ["chunked"])
  }

  private func beginCall(_ exchange: HTTP1Exchange, _ raw: HTTP1RawHead?) {
    do throws(ConnectRequest.Rejection) {
      let request = try ConnectRequest(exchange.head, forms)
      lastHead = nil
      guard exchange.acceptsChunks || !request.format.isStream else {
        countRejection(.invalidArgument)
        return respond(exchange, wrongVersion(exchange.connect.relation))
      }
      if let rejection = server.router.rejection(of: request.method, request.format, forms) {
        return reject(exchange, request, rejection)
      }
      lastHead = raw.flatMap { HTTP1HeadCache($0, exchange.head, exchange.connect.relation, request) }
      beginCall(exchange, request)
    } catch {
      reject(exchange, error)
    }
  }

  /// Rejects a call whose form does not suit its method.
  private func reject(_ exchange: HTTP1Exchange, _ request: ConnectRequest, _ rejection: ConnectRequest.Rejection) {
    guard case .status(let status, _) = rejection, !request.format.isGRPCWeb else {
      return reject(exchange, rejection)
    }
    // A stream of requests needs another version of HTTP, in any form.
    exchange.connect.errorStatus = 505
    countRejection(status.code)
    respond(exchange, exchange.connect.unaryResponse(status))
    server.handle(.rejected, Self.noBytes, on: self)
  }

  private func beginCall(_ exchange: HTTP1Exchange, _ request: ConnectRequest) {
    exchange.connect = ConnectExchange(request.format, exchange.connect.relation, check.origins)
    exchange.request = request
    var deadline: MonotonicTime?
    if let timeout = request.timeout {
      let end = exchange.startedAt.advanced(by: min(timeout, server.limits.deadlineMax))
      (deadline, exchange.deadline) = (end, end)
    }
    let opened = OpenedCall(
      stream: exchange.stream, method: request.method, deadline: deadline, metadata: request.metadata)
    server.handle(.opened(opened), Self.noBytes, on: self)
    guard exchange.call != nil, !exchange.isAnswered else { return }
    do throws(RPCStatus) {
      try exchange.connect.checkLength(exchange.head)
    } catch {
      return endCall(exchange, error)
    }
    // A client in HTTP/1.0 knows no such response.
    if exchange.traits.expectsContinue, exchange.acceptsChunks { append(HTTP1ResponseHead.continueResponse) }
  }

  private func reject(_ exchange: HTTP1Exchange, _ rejection: ConnectRequest.Rejection) {
    countRejection(rejection.code)
    respond(exchange, rejection.response(exchange.connect.relation, check.origins))
    server.handle(.rejected, Self.noBytes, on: self)
  }

  // MARK: The body

  func bodyReceived(_ bytes: UnsafeRawBufferPointer) {
    guard let exchange else { return }
    exchange.lastPartAt = resources.now
    guard exchange.call != nil, !exchange.isAnswered, exchange.connect.body != nil else {
      exchange.droppedSize += bytes.count
      if exchange.droppedSize > Self.droppedSizeMax { closeAfterOutput(lingering: true) }
      return
    }
    do throws(RPCStatus) {
      try server.assembly?.reserve(bytes.count)
      exchange.reservedSize += bytes.count
      try exchange.connect.append(bytes)
    } catch {
      endCall(exchange, error)
    }
  }

  /// The whole request has been received.
  func requestReceived() {
    guard let exchange else { return }
    exchange.isReceived = true
    guard let call = exchange.call, !exchange.isAnswered, let body = exchange.connect.body else {
      return removeIfOver(exchange)
    }
    exchange.connect.body = nil
    do throws(RPCStatus) {
      let receipt = CreditReceipt(stream: exchange.stream, size: 0, assemblySize: exchange.reservedSize)
      let message = ReceivedMessage(
        stream: exchange.stream, content: .assembled(try body.message()), isLast: true, receipt: receipt, owner: call)
      server.handle(.message(message), Self.noBytes, on: self)
    } catch {
      endCall(exchange, error)
    }
  }

  /// Releases the bytes reserved for the request.
  func releaseBody(_ exchange: HTTP1Exchange) {
    exchange.connect.body = nil
    if exchange.reservedSize > 0 { server.assembly?.release(exchange.reservedSize) }
    exchange.reservedSize = 0
  }

  // MARK: The end

  /// Ends a call for the client, and cancels its handler.
  func endCall(_ exchange: HTTP1Exchange, _ status: RPCStatus) {
    exchange.pendingEnd = nil
    guard !exchange.isAnswered else { return }
    answer(exchange, status)
    releaseBody(exchange)
    if let call = exchange.call {
      server.handle(.ended(exchange.stream, status, owner: call), Self.noBytes, on: self)
    } else {
      exchange.isFinished = true
      removeIfOver(exchange)
    }
  }
}

extension HTTPHead {
  /// Creates the head of a decoded request. An absolute target names the host instead of the field.
  init(_ received: HTTPRequestHead) {
    var fields: [Field] = []
    var hosts: [String] = []
    for (name, value) in received.headers {
      let field = Field(name, value)
      if field.name == "host" { hosts.append(field.value) } else { fields.append(field) }
    }
    var (target, authority) = (received.uri, hosts.count == 1 ? hosts[0] : nil)
    if !target.utf8.starts(with: "/".utf8), let scheme = target.firstRange(of: "://") {
      let rest = target[scheme.upperBound...]
      let host = rest.prefix { $0 != "/" && $0 != "?" }
      if authority != nil { authority = String(host) }
      target = String(rest[host.endIndex...])
    }
    self.init(method: received.method.rawValue, target: target, authority: authority, fields: fields)
  }
}
