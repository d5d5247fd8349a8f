import MarqueeRPC

/// A message in the queue of a stream, preceded by its prefix, or a whole body without one.
struct OutboundMessage {
  let bytes: [UInt8]
  /// The first byte of the prefix.
  let flag: UInt8
  private let prefixSize: Int
  /// The number of bytes that have been sent, including those of the prefix.
  var sentSize = 0

  /// The number of unsent bytes, including those of the prefix.
  var unsentSize: Int { prefixSize + bytes.count - sentSize }

  /// The flag of the message that contains the trailers of a gRPC-Web response.
  private static let trailersFlag: UInt8 = 0x80

  /// Creates the message that ends a stream with `status`, in gRPC-Web or in the Connect protocol.
  init(ending status: RPCStatus, isGRPCWeb: Bool) {
    if isGRPCWeb {
      self.init(GRPCResponse.webTrailers(status), flag: Self.trailersFlag)
    } else {
      self.init(ConnectResponse.endOfStream(status), flag: ConnectResponse.endOfStreamFlag)
    }
  }

  init(_ bytes: [UInt8], flag: UInt8 = 0) {
    self.bytes = bytes
    self.flag = flag
    prefixSize = MessageDeframer.prefixSize
  }

  /// Creates a body without a prefix.
  init(body: [UInt8]) {
    bytes = body
    flag = 0
    prefixSize = 0
  }

  /// Copies unsent bytes to `target`, as many as it has room for, and counts them as sent.
  ///
  /// - Returns: The number of copied bytes.
  mutating func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while sentSize < prefixSize, count < target.count {
      target[count] = sentSize == 0 ? flag : UInt8(truncatingIfNeeded: bytes.count >> (8 * (4 - sentSize)))
      sentSize += 1
      count += 1
    }
    let start = sentSize - prefixSize
    guard start >= 0 else { return count }
    let size = min(bytes.count - start, target.count - count)
    bytes.withUnsafeBytes { source in
      let rest = UnsafeMutableRawBufferPointer(rebasing: target[count...])
      rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<(start + size)]))
    }
    sentSize += size
    return count + size
  }
}
