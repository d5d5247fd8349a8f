import SwiftProtobuf

/// A message that peers echo.
package protocol EchoMessage: SwiftProtobuf.Message {
  /// The name of the unary method.
  static var method: String { get }

  /// Whether `answer` can be an echo of this message. A cheap check, so that its cost does not affect the measurement.
  func resembles(_ answer: Self) -> Bool
}

extension Marquee_Bench_V1_SmallMessage: EchoMessage {
  package static let method = "Small"

  package func resembles(_ answer: Self) -> Bool { service == answer.service }
}

extension Marquee_Bench_V1_TimelineMessage: EchoMessage {
  package static let method = "Timeline"

  package func resembles(_ answer: Self) -> Bool {
    timeline.publishID == answer.timeline.publishID && timeline.commit == answer.timeline.commit
      && timeline.entries.count == answer.timeline.entries.count
      && timeline.entries.last?.content.data == answer.timeline.entries.last?.content.data
  }
}
