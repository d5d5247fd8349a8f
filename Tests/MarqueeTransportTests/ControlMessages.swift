import CMarqueeProtos
import CProtobufC
import MarqueeRPC

/// Decodes the protocol's own Status, as an example of a generated message.
enum ControlMessages {
  static func decodeStatus(_ bytes: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(RPCStatus) -> UInt32 {
    var example = Marquee__Rpc__V1__Status()
    marquee__rpc__v1__status__init(&example)
    let message: UnsafePointer<Marquee__Rpc__V1__Status> = try arena.unpack(example.base.descriptor, bytes)
    return message.pointee.code
  }
}
