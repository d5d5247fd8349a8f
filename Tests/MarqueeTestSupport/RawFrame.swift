/// A raw frame of the RPC protocol.
package struct RawFrame: Hashable {
  package static let prefaceSize = 12
  package static let preface: [UInt8] = [0x89, 0x4D, 0x52, 0x51, 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 0, 0]
  /// A client's first bytes: the preface and default settings.
  package static let hello = preface + RawFrame(type: 1).bytes

  package var type: UInt8
  package var flags: UInt8
  package var stream: UInt32
  package var payload: [UInt8]

  package static func open(_ stream: UInt32, _ method: String) -> [UInt8] {
    RawFrame(type: 2, stream: stream, payload: WireBytes.field(1, method)).bytes
  }

  /// Returns a message, which ends the stream unless `flags` say otherwise.
  package static func message(_ stream: UInt32, _ payload: [UInt8], flags: UInt8 = 1) -> [UInt8] {
    RawFrame(type: 4, flags: flags, stream: stream, payload: payload).bytes
  }

  package static func credit(_ stream: UInt32, _ size: UInt32) -> [UInt8] {
    RawFrame(type: 7, stream: stream, payload: big(size)).bytes
  }

  package init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
    self.type = type
    self.flags = flags
    self.stream = stream
    self.payload = payload
  }

  package var bytes: [UInt8] { Self.big(UInt32(payload.count)) + [type, flags] + Self.big(stream) + payload }

  /// Whether the frame rejects a call before any handler received it.
  package var isRefusal: Bool { type == 5 && flags == 1 }
  /// Whether the frame is a GOAWAY.
  package var isGoAway: Bool { type == 9 }

  package static func big(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}

extension RawFrame {
  /// Parses the frame at `offset` and advances it; `nil` if the frame is incomplete.
  package init?(_ bytes: [UInt8], at offset: inout Int) {
    guard bytes.count >= offset + 10 else { return nil }
    let number = { (start: Int) in bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
    let end = offset + 10 + Int(number(offset))
    guard bytes.count >= end else { return nil }
    self.init(
      type: bytes[offset + 4], flags: bytes[offset + 5], stream: number(offset + 6),
      payload: Array(bytes[(offset + 10)..<end]))
    offset = end
  }

  /// Returns the complete frames after the preface.
  package static func frames(in bytes: [UInt8]) -> [RawFrame] {
    var (frames, offset) = ([RawFrame](), prefaceSize)
    while let frame = RawFrame(bytes, at: &offset) { frames.append(frame) }
    return frames
  }
}

extension RawFrame {
  /// The status code of a STATUS frame.
  package var statusCode: UInt64? { type == 5 ? number(1) ?? 0 : nil }

  /// Returns the first value of a numeric field of the payload; `nil` if it is missing.
  package func number(_ field: UInt64) -> UInt64? {
    var rest = payload[...]
    while let tag = Self.varint(&rest), let value = Self.varint(&rest) {
      if tag == field << 3 { return value }
      if tag & 7 == 2 { rest = rest.dropFirst(Int(clamping: value)) }
    }
    return nil
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var (value, shift) = (UInt64(0), UInt64(0))
    while let byte = bytes.popFirst() {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }
}
