import ArgumentParser
import EchoMessages
import Foundation
import Measuring
import SwiftProtobuf

/// Measures what swift-protobuf takes for one timeline, with no call around it.
@main
struct CodecPeer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codec-peer",
    abstract: "Measures what swift-protobuf takes to decode a timeline, and to decode and encode it.",
    discussion: "Prints one line of JSON with the medians of the rounds, in nanoseconds of CPU time a message.")

  /// How many messages a round handles; one that is this long shows no single clock tick.
  private static let roundMessageCount = 20_000

  @Option(help: "The file that holds the serialized timeline.")
  var messageFile: String

  @Option(help: "Rounds of each measurement.")
  var rounds = 9

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds is at least 1") }
  }

  func run() throws {
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: messageFile)))
    let decode = try median { try Self.decoded(bytes).timeline.entries.count }
    let both = try median { try (Self.decoded(bytes).serializedBytes() as [UInt8]).count }
    print(#"{"decode_ns":\#(decode),"decode_encode_ns":\#(both)}"#)
  }

  private static func decoded(_ bytes: [UInt8]) throws -> Marquee_V1_ProviderMessage {
    try Marquee_V1_ProviderMessage(serializedBytes: bytes)
  }

  /// The median of the rounds' nanoseconds of each `body`, whose result keeps it from being left out.
  private func median(_ body: () throws -> Int) throws -> Int {
    var figures: [Int] = []
    for _ in 0..<rounds {
      var sum = 0
      let start = cpuTime()
      for _ in 0..<Self.roundMessageCount { sum &+= try body() }
      let time = cpuTime() - start
      guard sum > 0 else { throw ValidationError("\(messageFile) holds no timeline") }
      figures.append(Int(time / .nanoseconds(1)) / Self.roundMessageCount)
    }
    figures.sort()
    return (figures[(rounds - 1) / 2] + figures[rounds / 2]) / 2
  }
}
