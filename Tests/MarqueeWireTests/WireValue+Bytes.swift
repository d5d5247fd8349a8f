import MarqueeRPC

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
