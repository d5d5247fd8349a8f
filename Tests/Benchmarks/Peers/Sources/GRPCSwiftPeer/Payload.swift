import EchoMessages
import GRPCCore
import SwiftProtobuf

/// A message type that peers echo, as one message per call or many.
protocol Payload: SwiftProtobuf.Message {
  /// The name of the unary method.
  static var method: String { get }

  /// Whether `answer` can be an echo of this message. A cheap check, so that its cost does not affect the measurement.
  func resembles(_ answer: Self) -> Bool
}

extension Payload {
  static func descriptor(streaming: Bool) -> MethodDescriptor {
    MethodDescriptor(fullyQualifiedService: "marquee.bench.v1.Echo", method: streaming ? "\(method)Stream" : method)
  }
}

extension Grpc_Health_V1_HealthCheckRequest: Payload {
  static let method = "Small"

  func resembles(_ answer: Self) -> Bool { service == answer.service }
}

extension Marquee_V1_ProviderMessage: Payload {
  static let method = "Timeline"

  func resembles(_ answer: Self) -> Bool {
    timeline.publishID == answer.timeline.publishID && timeline.commit == answer.timeline.commit
      && timeline.entries.count == answer.timeline.entries.count
      && timeline.entries.last?.content.data == answer.timeline.entries.last?.content.data
  }
}
