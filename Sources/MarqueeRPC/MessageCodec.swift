/// Encodes and decodes messages of one type. It runs on event loops and must not block.
public struct MessageCodec<Message: Sendable>: Sendable {
  /// Decodes a message. The bytes, and memory of the arena, are valid only during the call.
  public let decode: @Sendable (UnsafeRawBufferPointer, DecodeArena) throws(RPCStatus) -> Message
  /// Appends the message's encoding. Encoding cannot fail.
  public let encode: @Sendable (Message, inout EncodeBuffer) -> Void

  /// Creates a codec from two functions.
  public init(
    decode: @escaping @Sendable (UnsafeRawBufferPointer, DecodeArena) throws(RPCStatus) -> Message,
    encode: @escaping @Sendable (Message, inout EncodeBuffer) -> Void
  ) {
    self.decode = decode
    self.encode = encode
  }
}

extension MessageCodec where Message == [UInt8] {
  /// A codec whose messages are their own encoding.
  public static var bytes: MessageCodec<[UInt8]> {
    MessageCodec(
      decode: { (bytes, _) throws(RPCStatus) in Array(bytes) },
      encode: { message, buffer in buffer.append(message) })
  }
}
