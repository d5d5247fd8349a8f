import CNGHTTP2
import MarqueeRPC

/// Calls in the Connect protocol, and responses without a call.
extension HTTP2Connection {
  /// The form of the messages of a call in the Connect protocol; `nil` for other calls, and for one that has ended.
  public func connectFormat(of id: StreamID) -> ConnectFormat? {
    streams[id]?.connect?.format
  }

  /// The number of calls whose handlers are running. Other streams only have unsent responses.
  package var callCount: Int { streams.sorted.count { !$0.isFinished } }

  /// Rejects an opened call in the Connect protocol whose form does not suit its method.
  public func reject(_ id: StreamID, with rejection: ConnectRequest.Rejection, at now: MonotonicTime) {
    callTime = max(callTime, now)
    if let stream = streams[id], !stream.isOver, !stream.isFinished, phase != .closed {
      dropRequests(stream)
      stream.isFinished = true
      stream.owner = nil
      counts.malformed += 1
      respond(stream, rejection.response(stream.relation, protocols.check.origins))
    } else {
      finish(id, with: .ok)
    }
    countDeniedCall(at: now)
  }

  // MARK: Requests

  /// Content of a request's body was received.
  func bodyReceived(_ chunk: UnsafeRawBufferPointer, _ stream: HTTP2Stream) {
    do throws(RPCStatus) {
      try stream.connect?.append(chunk)
    } catch {
      return fail(stream, error)
    }
    do throws(RPCStatus) {
      try reserveAssembly(chunk.count)
    } catch {
      // The bytes are not reserved, so they must not be released.
      stream.connect?.body?.uncount(chunk.count)
      return fail(stream, error)
    }
    beginAssembly(stream)
  }

  /// The body of a request is complete.
  ///
  /// - Returns: The event with the message, or with the end of the call if there is none; `nil` if it has ended.
  func bodyEnded(_ stream: HTTP2Stream) -> ConnectionEvent? {
    stream.requestDeadline = .distantFuture
    guard let body = stream.connect?.body else { return nil }
    do throws(RPCStatus) {
      let message = try body.message()
      stream.connect?.body = nil
      let credit = stream.assemblyCost - stream.assemblyGranted
      let receipt = CreditReceipt(stream: stream.id, size: credit, assemblySize: body.size)
      (stream.assemblyCost, stream.assemblyGranted) = (0, 0)
      stream.assemblyStartedAt = .distantFuture
      stream.requestCount += 1
      stream.unconsumedCount += 1
      stream.unconsumedCredit += credit
      stream.unconsumedAssemblySize += body.size
      return .message(
        ReceivedMessage(
          stream: stream.id, content: .assembled(message), isLast: true, receipt: receipt, owner: stream.owner))
    } catch {
      return endCall(stream, error)
    }
  }

  /// Asks for the body of an accepted call whose client waits for that.
  func sendContinue(_ stream: HTTP2Stream) {
    guard stream.expectsContinue, !stream.receiveClosed, phase != .closed else { return }
    stream.expectsContinue = false
    HeaderList([":status": "100"]).withFields { fields, count in
      let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
      check(nghttp2_submit_headers(session, flags, Int32(stream.id.rawValue), nil, fields, count, nil))
    }
  }

  // MARK: Responses

  /// Sends a whole response, after which the call is over for the client.
  func respond(_ stream: HTTP2Stream, _ response: HTTPResponse) {
    stream.headSent = true
    stream.isOver = true
    // The client may still send a body, which is not read.
    if stream.form == .http { (stream.isFinished, stream.dropsRequests) = (true, true) }
    if streams[stream.id] == nil { streams.insert(stream) }
    var list = HeaderList()
    list.append(":status", String(response.status).utf8)
    list.append(response.fields)
    appendDate(to: &list)
    // Without a body, the header list ends the stream.
    guard !response.body.isEmpty else { return submitResponse(list, on: stream.id, hasBody: nil) }
    list.append("content-length", String(response.body.count).utf8)
    if response.omitsBody { return submitResponse(list, on: stream.id, hasBody: nil) }
    stream.finalStatus = .ok
    submitResponse(list, on: stream.id, hasBody: stream)
    enqueue(OutboundMessage(body: response.body), stream, callTime)
  }

  /// The fields of a response of gRPC-Web: those with which a browser shows it to the page that caused the request, and
  /// the date.
  func webFields(_ relation: Origins.Relation) -> HeaderList {
    var list = HeaderList()
    list.append(protocols.check.origins.fields(for: relation, exposing: ["grpc-status", "grpc-message"]))
    appendDate(to: &list)
    return list
  }

  /// Appends the field `date`.
  func appendDate(to list: inout HeaderList) {
    if let date { list.append("date", date().utf8) }
  }

  /// Keeps the response of a unary call until its status is known. It counts as unsent.
  func hold(_ response: [UInt8], _ stream: HTTP2Stream) {
    uncountResponse(stream)
    stream.connect?.response = response
    stream.backlogSize += response.count
    backlogSize += response.count
  }

  /// Stops counting a response that is not sent, or that is counted again when it is queued. Its reservation remains.
  func uncountResponse(_ stream: HTTP2Stream) {
    guard let size = stream.connect?.response?.count else { return }
    stream.backlogSize -= size
    backlogSize -= size
    stream.connect?.response = nil
  }
}

extension HeaderList {
  mutating func append(_ fields: [HTTPHead.Field]) {
    for field in fields { append(field.name, field.value.utf8) }
  }
}
