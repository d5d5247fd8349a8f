internal import CProtobufC
internal import MarqueeModel
internal import MarqueeRPC

/// A Swift value and the C message that it travels as.
protocol WireValue: Sendable {
  /// The C structure.
  associatedtype CForm: CMessage

  /// Reads and checks every field; the path in a refusal starts at this message.
  init(_ message: CForm) throws(Refusal)

  /// Sets the fields of a message whose fields have their defaults; what they point to lies in `scratch`.
  func fill(_ message: inout CForm, _ scratch: EncodeScratch)
}

extension MessageCodec where Message: WireValue {
  /// The codec of a message: decoded into an arena and checked, or built in scratch memory and packed.
  static var wire: MessageCodec {
    MessageCodec(
      decode: { (bytes, arena) throws(RPCStatus) in
        let message = try arena.unpack(Message.CForm.descriptor, bytes, as: Message.CForm.self)
        do throws(Refusal) { return try Message(message.pointee) } catch { throw RPCStatus(error) }
      },
      encode: { value, buffer in
        let message = UnsafeRawPointer(buffer.scratch.required(value))
        buffer.append(packing: message.assumingMemoryBound(to: ProtobufCMessage.self))
        buffer.scratch.reset()
      })
  }
}
