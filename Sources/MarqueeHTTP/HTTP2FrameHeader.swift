import CNGHTTP2

/// The header of a frame: length, type, flags and stream number.
struct HTTP2FrameHeader: Equatable {
  static let size = 9

  var length: Int
  var type: UInt8
  var flags: UInt8
  var stream: Int32

  var endsStream: Bool { flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 }
  var endsHeaders: Bool { flags & UInt8(NGHTTP2_FLAG_END_HEADERS.rawValue) != 0 }
  var isAcknowledgement: Bool { flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 }

  /// The frame's type, or `nil` for types of extensions.
  var kind: HTTP2FrameKind? { HTTP2FrameKind(rawValue: type) }

  init(length: Int, type: UInt8, flags: UInt8, stream: Int32) {
    self.length = length
    self.type = type
    self.flags = flags
    self.stream = stream
  }

  /// Decodes the header at an offset of bytes that contain all of it.
  init(decoding bytes: UnsafeRawBufferPointer, at offset: Int) {
    length = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) >> 8)
    type = bytes[offset + 3]
    flags = bytes[offset + 4]
    let number = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 5, as: UInt32.self))
    stream = Int32(number & 0x7FFF_FFFF)
  }

  /// Appends the encoded header to `bytes`.
  func append(to bytes: inout [UInt8]) {
    for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
    bytes += [type, flags]
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: stream >> Int32(shift))) }
  }
}

/// The frame types of RFC 9113.
enum HTTP2FrameKind: UInt8 {
  case data = 0
  case headers = 1
  case priority = 2
  case reset = 3
  case settings = 4
  case pushPromise = 5
  case ping = 6
  case goAway = 7
  case windowUpdate = 8
  case continuation = 9
}

/// Finds the frames in a byte stream, so that they can be passed on and counted one by one.
///
/// A complete header is reported before the payload, and the end of the frame after it, regardless of how the bytes are
/// split.
struct HTTP2FrameScanner {
  /// The header of the frame that is being received. Valid once ``headerCount`` is 9.
  private(set) var header = HTTP2FrameHeader(length: 0, type: 0, flags: 0, stream: 0)
  private var headerCount = 0
  private var payloadLeft = 0
  /// Whether a header block was begun and not ended.
  private(set) var isInHeaderBlock = false

  /// Whether a part of a frame has been received, or a header block is incomplete.
  var isInside: Bool { headerCount > 0 || isInHeaderBlock }

  /// Whether the current frame is longer than the limit.
  var isOversized: Bool { headerCount == HTTP2FrameHeader.size && header.length > HTTP2Limits.frameSizeMax }

  /// Scans the bytes from `offset` up to the end of the current frame, or to their end.
  ///
  /// - Returns: The number of scanned bytes, and whether they end a frame.
  mutating func scan(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> (count: Int, endsFrame: Bool) {
    var next = offset
    if headerCount == 0, bytes.count - next >= HTTP2FrameHeader.size {
      header = HTTP2FrameHeader(decoding: bytes, at: next)
      headerCount = HTTP2FrameHeader.size
      payloadLeft = header.length
      next += HTTP2FrameHeader.size
    }
    while headerCount < HTTP2FrameHeader.size {
      guard next < bytes.count else { return (next - offset, false) }
      appendToHeader(bytes[next])
      next += 1
    }
    let size = min(payloadLeft, bytes.count - next)
    payloadLeft -= size
    next += size
    guard payloadLeft == 0 else { return (next - offset, false) }
    headerCount = 0
    if header.kind == .headers || header.kind == .continuation { isInHeaderBlock = !header.endsHeaders }
    return (next - offset, true)
  }

  private mutating func appendToHeader(_ byte: UInt8) {
    switch headerCount {
    case 0: header.length = Int(byte)
    case 1, 2: header.length = header.length << 8 | Int(byte)
    case 3: header.type = byte
    case 4: header.flags = byte
    case 5: header.stream = Int32(byte & 0x7F)
    default: header.stream = header.stream << 8 | Int32(byte)
    }
    headerCount += 1
    if headerCount == HTTP2FrameHeader.size { payloadLeft = header.length }
  }
}
