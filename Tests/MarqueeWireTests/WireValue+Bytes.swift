import MarqueeRPC
import Testing

@testable import MarqueeWire

extension WireValue {
  /// The value's encoding on the wire.
  var wireBytes: [UInt8] {
    var buffer = EncodeBuffer()
    MessageCodec<Self>.wire.encode(self, &buffer)
    return buffer.bytes
  }

  /// Decodes a value from its encoding on the wire.
  init(wireBytes: [UInt8]) throws(RPCStatus) {
    let arena = DecodeArena()
    var result: Result<Self, RPCStatus> = .failure(RPCStatus(.internalError, "not decoded"))
    wireBytes.withUnsafeBytes { bytes in
      result = Result { () throws(RPCStatus) in try MessageCodec<Self>.wire.decode(bytes, arena) }
    }
    self = try result.get()
  }
}

/// Checks that a value round-trips in every field.
///
/// Display strings are compared through the bytes, since equality ignores them.
func expectReturn<Value: WireValue & Equatable>(
  _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let bytes = value.wireBytes
  let back = try Value(wireBytes: bytes)
  #expect(back == value, sourceLocation: sourceLocation)
  #expect(back.wireBytes == bytes, sourceLocation: sourceLocation)
}
