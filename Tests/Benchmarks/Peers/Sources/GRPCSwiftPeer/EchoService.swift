import EchoMessages
import GRPCCore
import GRPCProtobuf

/// Returns each request, decoded and encoded again.
struct EchoService: RegistrableRPCService {
  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    register(Marquee_Bench_V1_SmallMessage.self, with: &router)
    register(Marquee_Bench_V1_TimelineMessage.self, with: &router)
  }

  private func register<Message: EchoMessage, Transport: ServerTransport>(
    _ type: Message.Type, with router: inout RPCRouter<Transport>
  ) {
    router.registerHandler(
      forMethod: Message.descriptor(streaming: false),
      deserializer: ProtobufDeserializer<Message>(), serializer: ProtobufSerializer<Message>()
    ) { request, _ in
      let request = try await ServerRequest(stream: request)
      return StreamingServerResponse(single: ServerResponse(message: request.message))
    }
    router.registerHandler(
      forMethod: Message.descriptor(streaming: true),
      deserializer: ProtobufDeserializer<Message>(), serializer: ProtobufSerializer<Message>()
    ) { request, _ in
      StreamingServerResponse { writer in
        for try await message in request.messages { try await writer.write(message) }
        return [:]
      }
    }
  }
}
