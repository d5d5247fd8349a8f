import ArgumentParser
import EchoMessages
import Foundation
import Measuring
import SwiftProtobuf

/// Measures the CPU time in which swift-protobuf decodes and encodes one timeline, without a call.
@main
struct CodecPeer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codec-peer",
    abstract: "Measure the CPU time of decoding a timeline with swift-protobuf, and of decoding and encoding it.",
    discussion: "Prints one line of JSON with the medians of the rounds, in nanoseconds per message.")

  /// The number of messages per round, large enough that the resolution of the clock does not matter.
  private static let roundMessageCount = 20_000

  @Option(help: "The file with the serialized timeline.")
  var messageFile: String

  @Option(help: "The number of rounds per measurement.")
  var rounds = 9

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
  }

  func run() throws {
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: messageFile)))
    let decode = try median { try Self.decoded(bytes).timeline.entries.count }
    let both = try median { try (Self.decoded(bytes).serializedBytes() as [UInt8]).count }
    print(#"{"decode_ns":\#(decode),"decode_encode_ns":\#(both)}"#)
  }

  private static func decoded(_ bytes: [UInt8]) throws -> Marquee_Bench_V1_TimelineMessage {
    try Marquee_Bench_V1_TimelineMessage(serializedBytes: bytes)
  }

  /// Returns the median over the rounds of the nanoseconds per `body`. Its result is used, so that the compiler cannot
  /// remove it.
  private func median(_ body: () throws -> Int) throws -> Int {
    var figures: [Int] = []
    for _ in 0..<rounds {
      var sum = 0
      let start = cpuTime()
      for _ in 0..<Self.roundMessageCount { sum &+= try body() }
      let time = cpuTime() - start
      guard sum > 0 else { throw ValidationError("\(messageFile) contains no timeline") }
      figures.append(Int(time / .nanoseconds(1)) / Self.roundMessageCount)
    }
    figures.sort()
    return (figures[(rounds - 1) / 2] + figures[rounds / 2]) / 2
  }
}
