internal import CProtobufC
internal import MarqueeModel
internal import MarqueeRPC

/// A Swift value with a C message as its wire format.
///
/// `Protos/generate.sh` generates the conformances without decisions. Those with a oneof, a check across fields, or
/// another structure than their message are written by hand.
protocol WireValue: Sendable {
  /// The C message.
  associatedtype CForm: CMessage

  /// Decodes and validates every field. The path of an error is relative to this message.
  init(_ message: CForm) throws(RequestError)

  /// Encodes the value into a message with default field values. Pointers refer to memory of `scratch`.
  func fill(_ message: inout CForm, _ scratch: EncodeScratch)
}

extension MessageCodec where Message: WireValue {
  /// The message's codec: decodes into an arena and validates, or encodes in scratch memory and packs.
  static var wire: MessageCodec {
    MessageCodec(
      decode: { (bytes, arena) throws(RPCStatus) in
        let message = try arena.unpack(Message.CForm.descriptor, bytes, as: Message.CForm.self)
        do throws(RequestError) { return try Message(message.pointee) } catch { throw RPCStatus(error) }
      },
      encode: { value, buffer in
        let message = UnsafeRawPointer(buffer.scratch.required(value))
        buffer.append(packing: message.assumingMemoryBound(to: ProtobufCMessage.self))
        buffer.scratch.reset()
      })
  }
}
