import MarqueeRPC

/// The body of a request of a call with a single request: the message itself, or in an envelope.
public struct ConnectBody: Sendable {
  private let format: ConnectFormat
  private let sizeMax: Int
  /// The ratio of ``sizeMax`` to the limit of the encoded message.
  private var sizeRatio = 1
  private var bytes: [UInt8] = []
  /// The decoder of a body that is text.
  private var decoder = Base64Decoder()

  /// The number of received bytes, as text if the body is text.
  public private(set) var size = 0

  /// The maximum ratio of the sizes of a message's JSON and of its encoding.
  private static let jsonSizeRatioMax = 4

  /// Creates the body of a request that has not been received, with the limit that follows from that of the message.
  ///
  /// - Parameters:
  ///   - format: The form of the message.
  ///   - messageSizeMax: The maximum size of the encoded message, in bytes.
  public init(_ format: ConnectFormat, messageSizeMax: Int) {
    let ratio = format.codec == .json ? Self.jsonSizeRatioMax : 1
    self.init(format, sizeMax: messageSizeMax * ratio)
    sizeRatio = ratio
  }

  /// Creates the body of a request that has not been received.
  ///
  /// - Parameters:
  ///   - format: The form of the message.
  ///   - sizeMax: The maximum size of the message in this form, in bytes.
  public init(_ format: ConnectFormat, sizeMax: Int) {
    self.format = format
    self.sizeMax = sizeMax
  }

  /// The maximum size of the body, in bytes.
  public var bodySizeMax: Int {
    let size = format.isStream ? sizeMax + MessageDeframer.prefixSize : sizeMax
    // Each byte may be a group of four characters.
    return format.isText ? 4 * size : size
  }

  /// Appends received bytes.
  ///
  /// - Throws: `RESOURCE_EXHAUSTED` if the message exceeds its limit, which an envelope shows before its content, or
  ///   the status of an invalid envelope. The rest of the body cannot be used then.
  public mutating func append(_ chunk: UnsafeRawBufferPointer) throws(RPCStatus) {
    if format.isText {
      guard size + chunk.count <= bodySizeMax else { throw tooLarge }
      try appendBytes(try decoder.decode(chunk))
    } else {
      try appendBytes(chunk)
    }
    size += chunk.count
  }

  private mutating func appendBytes(_ chunk: some RandomAccessCollection<UInt8>) throws(RPCStatus) {
    if format.isStream, bytes.count < MessageDeframer.prefixSize {
      let prefix = Array(bytes + chunk.prefix(MessageDeframer.prefixSize - bytes.count))
      if prefix.count == MessageDeframer.prefixSize {
        let size = try messageSize(prefix)
        guard bytes.count + chunk.count <= MessageDeframer.prefixSize + size else { throw Self.secondRequest }
      }
    } else if format.isStream {
      let size = try messageSize(bytes)
      guard bytes.count + chunk.count <= MessageDeframer.prefixSize + size else { throw Self.secondRequest }
    }
    guard format.isStream || bytes.count + chunk.count <= sizeMax else { throw tooLarge }
    bytes.append(contentsOf: chunk)
  }

  /// Excludes bytes of a body that cannot be used from its size.
  mutating func uncount(_ count: Int) { size -= count }

  /// Returns the message of the complete body.
  ///
  /// - Throws: The status of a body without a message, or that ends within one.
  public func message() throws(RPCStatus) -> [UInt8] {
    guard format.isStream else {
      if bytes.isEmpty, format.codec == .json { throw RPCStatus(.invalidArgument, "the body is not a JSON object") }
      return bytes
    }
    if size == 0 { throw RPCStatus(.unimplemented, "missing request") }
    guard bytes.count >= MessageDeframer.prefixSize,
      case let size = try messageSize(bytes), bytes.count == MessageDeframer.prefixSize + size,
      !decoder.isInsideGroup
    else { throw RPCStatus(.invalidArgument, "the body ended inside a message") }
    return Array(bytes.dropFirst(MessageDeframer.prefixSize))
  }

  /// The status of a body over its limit.
  public var tooLarge: RPCStatus {
    RPCStatus(.resourceExhausted, "message exceeds \(limit)")
  }

  private var limit: String {
    let own = "message-size-max (\(sizeMax / sizeRatio))"
    return sizeRatio == 1 ? own : "\(sizeRatio) times \(own) in JSON"
  }

  private static let secondRequest = RPCStatus(.unimplemented, "more than one request")

  /// Returns the size of the message after a prefix.
  private func messageSize(_ bytes: [UInt8]) throws(RPCStatus) -> Int {
    switch bytes[0] {
    case 0: break
    case 1: throw RPCStatus(.internalError, "compressed message without an encoding")
    default: throw RPCStatus(.invalidArgument, "invalid flags \(bytes[0]) in a message's envelope")
    }
    let size = Int(bytes[1..<MessageDeframer.prefixSize].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    guard size <= sizeMax else {
      throw RPCStatus(.resourceExhausted, "message of \(size) bytes exceeds \(limit)")
    }
    return size
  }
}
