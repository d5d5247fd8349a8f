import MarqueeRPC

/// A call that an ``HTTP2Bridge`` translates.
final class HTTP2BridgeCall {
  /// The client's stream, and the one of HTTP/2.
  let id: StreamID
  var stream: Int32 = 0
  /// The call in the Connect protocol; `nil` for one of gRPC.
  var connect: ConnectBridgeCall?
  /// The encoded requests that have not been sent completely.
  private var requests: ArraySlice<(bytes: [UInt8], receipt: CreditReceipt)> = []
  /// The number of bytes of the first request that have been sent.
  private var sentSize = 0
  /// Whether the client sends no more requests.
  var hasAllRequests = false
  /// Whether the response's head has been received.
  var hasHead = false
  /// Received bytes that are not a complete message.
  private var received: [UInt8] = []
  /// The number of received bytes whose credit has not been returned to the server.
  var heldSize = 0

  init(_ id: StreamID, _ connect: ConnectBridgeCall?) {
    self.id = id
    self.connect = connect
  }

  /// Appends an encoded request of the client.
  func append(_ bytes: [UInt8], _ receipt: CreditReceipt) {
    requests.append((bytes, receipt))
  }

  /// Whether there is nothing to send.
  var isDrained: Bool { requests.isEmpty }

  /// Copies bytes of requests for a DATA frame.
  ///
  /// - Parameter sent: Called with the receipt of each request that is sent completely.
  /// - Returns: The number of bytes.
  func read(into target: UnsafeMutableRawBufferPointer, _ sent: (CreditReceipt) -> Void) -> Int {
    var count = 0
    while count < target.count, let request = requests.first {
      let size = min(target.count - count, request.bytes.count - sentSize)
      UnsafeMutableRawBufferPointer(rebasing: target[count...])
        .copyBytes(from: request.bytes[sentSize..<(sentSize + size)])
      count += size
      sentSize += size
      guard sentSize == request.bytes.count else { continue }
      requests.removeFirst()
      sentSize = 0
      sent(request.receipt)
    }
    return count
  }

  /// Whether a part of a message has been received.
  var isInsideMessage: Bool { !received.isEmpty }

  /// Processes bytes of the response, and returns the messages that are complete now, with their flags.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> [HTTP2TestClient.Message] {
    received += bytes
    var (messages, offset): ([HTTP2TestClient.Message], Int) = ([], 0)
    while received.count - offset >= 5 {
      let size = received[(offset + 1)..<(offset + 5)].reduce(0) { $0 << 8 | Int($1) }
      guard received.count - offset >= 5 + size else { break }
      let content = Array(received[(offset + 5)..<(offset + 5 + size)])
      messages.append(HTTP2TestClient.Message(flag: received[offset], bytes: content))
      offset += 5 + size
    }
    received.removeFirst(offset)
    return messages
  }
}
