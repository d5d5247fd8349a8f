/// What a frame is. Types from 0x80 on are optional: a receiver that does not know one skips it.
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

  /// Whether the frame speaks about a call (`true`), the connection (`false`) or either (`nil`).
  var isForStream: Bool? {
    switch self {
    case .credit: nil
    case .settings, .ping, .goAway: false
    default: true
    }
  }

  /// The sizes that a payload may have. MESSAGE is limited by what the receiver announced.
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

/// The flag byte of a frame; what a bit means depends on the type.
struct FrameFlags: OptionSet, Hashable {
  let rawValue: UInt8

  /// MESSAGE: the last of its direction.
  static let endStream = FrameFlags(rawValue: 0x01)
  /// MESSAGE: the message goes on in the stream's next frame.
  static let more = FrameFlags(rawValue: 0x02)
  /// MESSAGE: compressed, which nobody understands yet.
  static let compressed = FrameFlags(rawValue: 0x04)
  /// MESSAGE: there is no message, only the end of the direction.
  static let noMessage = FrameFlags(rawValue: 0x08)
  /// STATUS: no handler has seen the call.
  static let refused = FrameFlags(rawValue: 0x01)
  /// PING: the answer to one.
  static let acknowledgement = FrameFlags(rawValue: 0x01)
}

/// The ten bytes before each payload: length (4, big-endian, of the payload alone), type, flags, stream (4).
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

  /// Reads the header at `offset`, where at least ``size`` bytes follow.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    length = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    type = FrameType(rawValue: bytes[offset + 4])
    flags = FrameFlags(rawValue: bytes[offset + 5])
    stream = StreamID(rawValue: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 6, as: UInt32.self)))
  }

  /// Credit that a MESSAGE frame uses: its whole size, or nothing when it carries no message.
  var cost: Int { flags.contains(.noMessage) ? 0 : Self.size + length }

  /// Why the frame is refused before its payload has come, or `nil`.
  func problem(frameSizeMax: Int) -> Problem? {
    if type.isKnown {
      if let message = layoutProblem { return Problem(reason: .protocolError, message: message) }
    } else if !type.isOptional {
      return Problem(reason: .protocolError, message: "frame type \(type.rawValue) is unknown")
    }
    let sizes = type.payloadSizes(frameSizeMax: frameSizeMax)
    if length > sizes.upperBound {
      let limit = type == .message ? "frame-size-max" : "control-size-max"
      return Problem(
        reason: .oversized,
        message: "\(limit) is \(sizes.upperBound) for frame type \(type.rawValue), this one has \(length) bytes")
    }
    if length < sizes.lowerBound {
      return Problem(reason: .protocolError, message: "frame type \(type.rawValue) of \(length) bytes")
    }
    return nil
  }

  private var layoutProblem: String? {
    if !type.flagsAllowed.isSuperset(of: flags) { return "flags \(flags.rawValue) on frame type \(type.rawValue)" }
    if stream > .max { return "reserved bit of the stream number is set" }
    if let isForStream = type.isForStream, isForStream != (stream != .connection) {
      return "frame type \(type.rawValue) on stream \(stream)"
    }
    guard type == .message else { return nil }
    if flags.contains(.noMessage), flags != [.endStream, .noMessage] || length != 0 {
      return "flags \(flags.rawValue) with a payload of \(length) bytes"
    }
    return flags.isSuperset(of: [.more, .endStream]) ? "an end before the last piece" : nil
  }

  /// Why a frame is refused.
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

  /// Appends a frame whose payload `body` writes.
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
