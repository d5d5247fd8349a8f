/// The content of an OPEN frame.
struct OpenPayload {
  var method: String
  var timeoutMicroseconds: Int64?
  var metadata: Metadata
}

/// The OPEN that a connection sent or received last, as a cache.
///
/// Consecutive OPENs usually differ only in their timeout, which is encoded last: concatenated protobuf encodings
/// decode as one message.
struct LastOpen {
  private(set) var payload: OpenPayload?
  /// Its encoding without the timeout; empty if the timeout is not encoded last.
  private(set) var bytes: [UInt8] = []

  /// Encodes an OPEN without its timeout, unless the cached encoding already equals it.
  mutating func encode(_ method: String, _ metadata: Metadata, _ scratch: EncodeScratch) {
    if let payload, payload.method == method, payload.metadata == metadata { return }
    let payload = OpenPayload(method: method, timeoutMicroseconds: nil, metadata: metadata)
    var buffer = EncodeBuffer(scratch: scratch)
    ControlPayload.append(payload, to: &buffer)
    self.payload = payload
    bytes = buffer.bytes
  }

  /// Decodes an OPEN, reusing the cached one if the bytes are the same apart from the timeout.
  mutating func decode(_ open: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(RPCStatus) -> OpenPayload {
    if let payload = repeated(open) { return payload }
    let payload = try ControlPayload.open(open, arena, last: payload)
    self.payload = payload
    bytes.removeAll(keepingCapacity: true)
    if let start = Self.timeoutStart(open) { bytes.append(contentsOf: open[..<start]) }
    return payload
  }

  /// Returns the cached OPEN with the timeout of `open` if they differ in nothing else; otherwise `nil`.
  private func repeated(_ open: UnsafeRawBufferPointer) -> OpenPayload? {
    guard var payload, !bytes.isEmpty, open.count >= bytes.count,
      bytes.withUnsafeBytes({ $0.equals(UnsafeRawBufferPointer(rebasing: open[..<$0.count])) })
    else { return nil }
    payload.timeoutMicroseconds = nil
    var offset = bytes.count
    if offset == open.count { return payload }
    guard Self.number(open, &offset) == Self.timeoutTag, let value = Self.number(open, &offset), offset == open.count
    else { return nil }
    payload.timeoutMicroseconds = Int64(value)
    return payload
  }

  // Protobuf tags: field number and wire type.
  private static let methodTag: UInt64 = 0x0A
  private static let timeoutTag: UInt64 = 0x10
  private static let metadatumTag: UInt64 = 0x1A

  /// Returns the offset of the timeout in a well-formed OPEN, or its end if there is none; `nil` if the timeout is not
  /// last, or a field is unknown.
  private static func timeoutStart(_ open: UnsafeRawBufferPointer) -> Int? {
    var offset = 0
    while offset < open.count {
      let start = offset
      let tag = number(open, &offset)
      guard let value = number(open, &offset) else { return nil }
      if tag == timeoutTag { return offset == open.count ? start : nil }
      guard tag == methodTag || tag == metadatumTag, value <= UInt64(open.count - offset) else { return nil }
      offset += Int(value)
    }
    return offset
  }

  /// Decodes a varint of less than 64 bits at `offset`, and advances the offset.
  private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) where offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }
}
