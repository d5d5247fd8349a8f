/// The type of a frame. Types from 0x80 on are optional: a receiver skips those that it does not know.
struct FrameType: RawRepresentable, Hashable {
  let rawValue: UInt8

  static let settings = FrameType(rawValue: 1)
  static let open = FrameType(rawValue: 2)
  static let header = FrameType(rawValue: 3)
  static let message = FrameType(rawValue: 4)
  static let status = FrameType(rawValue: 5)
  static let cancel = FrameType(rawValue: 6)
  static let credit = FrameType(rawValue: 7)
  static let ping = FrameType(rawValue: 8)
  static let goAway = FrameType(rawValue: 9)

  var isKnown: Bool { (1...9).contains(rawValue) }
  var isOptional: Bool { rawValue >= 0x80 }

  /// The flags that a frame of this type may carry.
  var flagsAllowed: FrameFlags {
    switch self {
    case .message: [.endStream, .more, .compressed, .noMessage]
    case .status: [.refused]
    case .ping: [.acknowledgement]
    default: []
    }
  }

  /// Whether the frame belongs to a call (`true`), to the connection (`false`), or to either (`nil`).
  var isForStream: Bool? {
    switch self {
    case .credit: nil
    case .settings, .ping, .goAway: false
    default: true
    }
  }

  /// The valid payload sizes. `frameSizeMax` is the receiver's announced limit for MESSAGE.
  func payloadSizes(frameSizeMax: Int) -> ClosedRange<Int> {
    switch self {
    case .settings: 0...256
    case .message: 0...frameSizeMax
    case .cancel: 0...64
    case .credit: 4...4
    case .ping: 8...8
    case .goAway: 0...4_096
    default: 0...RPCLimits.controlSizeMax
    }
  }
}

/// A frame's flags; the meaning of a bit depends on the frame type.
struct FrameFlags: OptionSet, Hashable {
  let rawValue: UInt8

  /// MESSAGE: the last frame of its direction.
  static let endStream = FrameFlags(rawValue: 0x01)
  /// MESSAGE: the message continues in the stream's next frame.
  static let more = FrameFlags(rawValue: 0x02)
  /// MESSAGE: compressed; reserved, not supported.
  static let compressed = FrameFlags(rawValue: 0x04)
  /// MESSAGE: no message, only the end of the direction.
  static let noMessage = FrameFlags(rawValue: 0x08)
  /// STATUS: no handler has seen the call.
  static let refused = FrameFlags(rawValue: 0x01)
  /// PING: the reply to a PING.
  static let acknowledgement = FrameFlags(rawValue: 0x01)
}

/// The ten-byte header of a frame: payload length (4 bytes, big-endian), type, flags, stream (4 bytes).
struct FrameHeader: Hashable {
  static let size = 10

  var length: Int
  var type: FrameType
  var flags: FrameFlags
  var stream: StreamID

  init(length: Int, type: FrameType, flags: FrameFlags = [], stream: StreamID = .connection) {
    self.length = length
    self.type = type
    self.flags = flags
    self.stream = stream
  }

  /// Decodes the header at `offset`, which must be followed by at least ``size`` bytes.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    length = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    type = FrameType(rawValue: bytes[offset + 4])
    flags = FrameFlags(rawValue: bytes[offset + 5])
    stream = StreamID(rawValue: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 6, as: UInt32.self)))
  }

  /// The credit that a MESSAGE frame uses: its whole size, or nothing if it carries no message.
  var cost: Int { flags.contains(.noMessage) ? 0 : Self.size + length }

  /// Returns the reason to reject the frame before its payload is received, or `nil`.
  func problem(frameSizeMax: Int) -> Problem? {
    if type.isKnown {
      if let message = layoutProblem { return Problem(reason: .protocolError, message: message) }
    } else if !type.isOptional {
      return Problem(reason: .protocolError, message: "unknown frame type \(type.rawValue)")
    }
    let sizes = type.payloadSizes(frameSizeMax: frameSizeMax)
    if length > sizes.upperBound {
      let limit = type == .message ? "frame-size-max" : "control-size-max"
      return Problem(
        reason: .oversized,
        message: "frame of \(length) bytes (type \(type.rawValue)) exceeds \(limit) (\(sizes.upperBound))")
    }
    if length < sizes.lowerBound {
      return Problem(reason: .protocolError, message: "frame of \(length) bytes (type \(type.rawValue)) is too short")
    }
    return nil
  }

  private var layoutProblem: String? {
    if !type.flagsAllowed.isSuperset(of: flags) {
      return "invalid flags \(flags.rawValue) on frame type \(type.rawValue)"
    }
    if stream > .max { return "reserved bit of the stream number set" }
    if let isForStream = type.isForStream, isForStream != (stream != .connection) {
      return "frame type \(type.rawValue) on stream \(stream)"
    }
    guard type == .message else { return nil }
    if flags.contains(.noMessage), flags != [.endStream, .noMessage] || length != 0 {
      return "NO_MESSAGE with flags \(flags.rawValue) and a payload of \(length) bytes"
    }
    return flags.isSuperset(of: [.more, .endStream]) ? "END_STREAM with MORE" : nil
  }

  /// The reason to reject a frame.
  struct Problem {
    let reason: ConnectionFailure.Reason
    let message: String
  }
}

extension EncodeBuffer {
  mutating func append(_ header: FrameHeader) {
    withBytes(count: FrameHeader.size) { space in
      space.storeBytes(of: UInt32(header.length).bigEndian, as: UInt32.self)
      space[4] = header.type.rawValue
      space[5] = header.flags.rawValue
      space.storeBytes(of: header.stream.rawValue.bigEndian, toByteOffset: 6, as: UInt32.self)
    }
  }

  /// Appends a frame; `body` appends its payload.
  mutating func appendFrame(
    _ type: FrameType, flags: FrameFlags = [], on stream: StreamID = .connection,
    _ body: (inout EncodeBuffer) -> Void
  ) {
    let start = count
    append(FrameHeader(length: 0, type: type, flags: flags, stream: stream))
    body(&self)
    set(bigEndian: UInt32(count - start - FrameHeader.size), at: start)
  }
}
