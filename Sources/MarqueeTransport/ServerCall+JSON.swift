import MarqueeHTTP
import MarqueeRPC
import NIOCore

/// The responses of a call that wait for the conversion of a large one to JSON, in order.
struct JSONResponses {
  fileprivate var waiting = FIFO<(bytes: [UInt8], isShared: Bool)>()
  /// The size of the encoded responses, in bytes.
  fileprivate(set) var size = 0
  /// The encoded responses in the memory budgets, for as long as they are in memory: also if the client disconnects.
  fileprivate let reservation: ByteReservation
  /// Whether the last response that was sent filled the output, after which the carrier resumes the writers.
  fileprivate var isOutputFull = false
  /// The status with which the call ends after the responses, once its handler has finished.
  var end: RPCStatus?
}

extension ServerCall {
  /// Sends the JSON of an encoded message, after those that are being converted.
  ///
  /// - Parameter isShared: Whether other calls may send the same bytes, so that their JSON is worth keeping.
  func sendJSON(_ bytes: [UInt8], sizeMax: Int, isShared: Bool) -> Connection.SendOutcome {
    guard bytes.count <= sizeMax else { return .tooLarge(bytes.count) }
    sendHint()
    guard conversions == nil else { return enqueue(bytes, isShared: isShared) }
    do throws(RPCStatus) {
      switch try connection.json(of: bytes, registration.path, isShared: isShared) {
      case .complete(let text):
        return carrier.send(stream, encoded: text, sizeMax: .max)
      case .pending(let conversion):
        let outcome = enqueue(bytes, isShared: isShared)
        guard conversions != nil else { return outcome }
        wait(conversion)
        return conversions == nil ? .accepted : outcome
      }
    } catch {
      fail(error)
      return .over
    }
  }

  /// Ends a call whose handler has finished, after the responses that are being converted.
  func completeJSON(_ status: RPCStatus) {
    sendHint()
    let status = status.withJSONFields
    guard conversions == nil else {
      conversions?.end = status
      return
    }
    complete(status)
  }

  /// Ends a call one of whose responses cannot be sent, and cancels its handler.
  private func fail(_ status: RPCStatus) {
    carrier.fail(stream, with: status)
    cancel(status)
  }

  /// Sends the hint on the request before the first response, unless a handler's header has contained it.
  private func sendHint() {
    guard let hint else { return }
    self.hint = nil
    _ = carrier.sendHeader(hint, on: stream)
  }

  // MARK: Conversions

  /// Appends a response to those that wait. They count as unsent, so that the writer waits.
  private func enqueue(_ bytes: [UInt8], isShared: Bool) -> Connection.SendOutcome {
    var responses = conversions ?? JSONResponses(reservation: connection.backlogReservation())
    do throws(RPCStatus) {
      try responses.reservation.reserve(bytes.count)
    } catch {
      fail(error)
      return .over
    }
    responses.waiting.append((bytes, isShared))
    responses.size += bytes.count
    conversions = responses
    return .full
  }

  private func wait(_ conversion: EventLoopFuture<Result<[UInt8], RPCStatus>>) {
    conversion.assumeIsolated().whenSuccess { result in
      if self.sendFirst(result) { self.sendWaiting() }
    }
  }

  /// Sends the first of the waiting responses, and drops the others if the call has ended.
  ///
  /// - Returns: Whether the call goes on.
  private func sendFirst(_ result: Result<[UInt8], RPCStatus>) -> Bool {
    removeFirst()
    switch result {
    case .success(let text):
      let outcome = carrier.send(stream, encoded: text, sizeMax: .max)
      if case .over = outcome { break }
      if case .full = outcome { conversions?.isOutputFull = true } else { conversions?.isOutputFull = false }
      return true
    case .failure(let status):
      if isFinished { conversions?.end = status } else { fail(status) }
    }
    while conversions?.waiting.isEmpty == false { removeFirst() }
    endConversions()
    return false
  }

  private func removeFirst() {
    guard let size = conversions?.waiting.popFirst()?.bytes.count else { return }
    conversions?.size -= size
    conversions?.reservation.release(size)
  }

  /// Sends the waiting responses up to the next large one.
  private func sendWaiting() {
    while let responses = conversions, !responses.waiting.isEmpty {
      let (bytes, isShared) = responses.waiting.first
      do throws(RPCStatus) {
        switch try connection.json(of: bytes, registration.path, isShared: isShared) {
        case .complete(let text): guard sendFirst(.success(text)) else { return }
        case .pending(let conversion): return wait(conversion)
        }
      } catch {
        _ = sendFirst(.failure(error))
        return
      }
    }
    endConversions()
  }

  private func endConversions() {
    let (end, isOutputFull) = (conversions?.end, conversions?.isOutputFull == true)
    conversions = nil
    if let end { complete(end) }
    if !isOutputFull { wakeWriters() }
  }
}
