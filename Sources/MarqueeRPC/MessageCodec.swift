/// How messages of one type are read from and written to bytes. Runs on event loops; it never blocks.
public struct MessageCodec<Message: Sendable>: Sendable {
  /// Reads a message; the bytes and what the arena holds are valid only during the call.
  public let decode: @Sendable (UnsafeRawBufferPointer, DecodeArena) throws(RPCStatus) -> Message
  /// Appends a message's encoding. Every message that exists can be encoded.
  public let encode: @Sendable (Message, inout EncodeBuffer) -> Void

  /// A codec of those two functions.
  public init(
    decode: @escaping @Sendable (UnsafeRawBufferPointer, DecodeArena) throws(RPCStatus) -> Message,
    encode: @escaping @Sendable (Message, inout EncodeBuffer) -> Void
  ) {
    self.decode = decode
    self.encode = encode
  }
}

extension MessageCodec where Message == [UInt8] {
  /// Messages that are their own encoding.
  public static var bytes: MessageCodec<[UInt8]> {
    MessageCodec(
      decode: { (bytes, _) throws(RPCStatus) in Array(bytes) },
      encode: { message, buffer in buffer.append(message) })
  }
}
