/// A frame of HTTP/2.
struct HTTP2Frame {
  static let data: UInt8 = 0
  static let headers: UInt8 = 1
  static let settings: UInt8 = 4
  static let ping: UInt8 = 6
  static let goAway: UInt8 = 7
  static let windowUpdate: UInt8 = 8

  /// The bytes with which a client begins a connection: the preface, SETTINGS and the acknowledgement of the server's.
  static let start =
    Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + bytes(settings) + bytes(settings, flags: acknowledgement)

  /// The flag of the last frame of a stream in one direction, and of an acknowledgement.
  static let endsStream: UInt8 = 1
  static let acknowledgement: UInt8 = 1
  /// The flag of a complete header list.
  static let endsHeaders: UInt8 = 4

  /// The size with the payload.
  let size: Int
  let kind: UInt8
  let flags: UInt8
  let stream: UInt32

  /// Creates the header of the frame at the start of the bytes, unless they are incomplete.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 9 else { return nil }
    let start = bytes.startIndex
    size = 9 + bytes[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
    kind = bytes[start + 3]
    flags = bytes[start + 4]
    stream = bytes[start + 5..<start + 9].reduce(0) { $0 << 8 | UInt32($1) } & UInt32(Int32.max)
    if bytes.count < size { return nil }
  }

  var endsStream: Bool { flags & Self.endsStream != 0 }

  static func bytes(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    let size = UInt32(payload.count)
    return [16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + [kind, flags]
      + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) } + payload
  }

  /// Returns the frames of a call in gRPC with one request.
  static func call(_ path: String, stream: UInt32, _ message: [UInt8]) -> [UInt8] {
    var fields: [UInt8] = []
    for (name, value) in [
      (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "127.0.0.1"),
      ("content-type", "application/grpc"), ("te", "trailers"),
    ] {
      // A literal without indexing.
      fields.append(0)
      for text in [name, value] { fields += [UInt8(text.utf8.count)] + Array(text.utf8) }
    }
    return bytes(headers, flags: endsHeaders, stream: stream, fields)
      + bytes(data, flags: endsStream, stream: stream, envelope(message))
  }

  /// Returns a message with the prefix of gRPC and Connect.
  static func envelope(_ message: [UInt8]) -> [UInt8] {
    [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: message.count >> $0) } + message
  }
}
