/// An OPEN frame's content.
struct OpenPayload {
  var method: String
  var timeoutMicroseconds: Int64?
  var metadata: Metadata
}

/// The OPEN that a connection sent or took last. As a rule the next one differs in its timeout alone, which comes last:
/// messages of protobuf may lie one behind the other and are read as one.
struct LastOpen {
  /// What it said.
  private(set) var payload: OpenPayload?
  /// The encoding of that without the timeout; empty when the timeout lies elsewhere in it.
  private(set) var bytes: [UInt8] = []

  /// Encodes what an OPEN is to say beside its timeout, unless the last one said the same.
  mutating func encode(_ method: String, _ metadata: Metadata, _ scratch: EncodeScratch) {
    if let payload, payload.method == method, payload.metadata == metadata { return }
    let payload = OpenPayload(method: method, timeoutMicroseconds: nil, metadata: metadata)
    var buffer = EncodeBuffer(scratch: scratch)
    ControlPayload.append(payload, to: &buffer)
    self.payload = payload
    bytes = buffer.bytes
  }

  /// What an OPEN says; what the last one said is shared with it, and not read again where the bytes are the same.
  mutating func decode(_ open: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(RPCStatus) -> OpenPayload {
    if let payload = repeated(open) { return payload }
    let payload = try ControlPayload.open(open, arena, last: payload)
    self.payload = payload
    bytes.removeAll(keepingCapacity: true)
    if let start = Self.timeoutStart(open) { bytes.append(contentsOf: open[..<start]) }
    return payload
  }

  /// What an OPEN says that begins as the last one did and says no more than a timeout; `nil` for another.
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

  // Tags of protobuf: the field's number, and how long its value is.
  private static let methodTag: UInt64 = 0x0A
  private static let timeoutTag: UInt64 = 0x10
  private static let metadatumTag: UInt64 = 0x1A

  /// Where the timeout of a well-formed OPEN begins, or its end without one; `nil` when more follows or is unknown.
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

  /// The number of less than 64 bits at `offset`, which moves behind it.
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
