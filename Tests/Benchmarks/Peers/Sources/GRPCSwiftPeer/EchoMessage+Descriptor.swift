import EchoMessages
import GRPCCore

extension EchoMessage {
  /// Returns the descriptor of the message's unary or streaming method.
  static func descriptor(streaming: Bool) -> MethodDescriptor {
    MethodDescriptor(fullyQualifiedService: "marquee.bench.v1.Echo", method: streaming ? "\(method)Stream" : method)
  }
}
