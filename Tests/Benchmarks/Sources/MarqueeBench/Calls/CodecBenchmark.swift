import CAllocationCount
import Foundation
import MarqueeRPC
import MarqueeWire

/// A benchmark that converts a timeline of 24 entries from bytes to the validated model and back, compared with
/// swift-protobuf, which only decodes and encodes.
struct CodecBenchmark {
  /// The number of messages per round.
  private static let messageCount = 20_000

  private let rounds: Int
  /// The swift-protobuf peer, if it was built.
  private let peer: URL?

  /// Creates a benchmark. The peer in the folder `peers` is included, if it exists.
  init(rounds: Int, peers: String?) {
    self.rounds = rounds
    peer = peers.map { URL(filePath: $0).appending(path: "release/codec-peer") }
  }

  /// The output of `codec-peer`.
  private struct PeerReport: Decodable {
    let decode: Double
    let both: Double

    enum CodingKeys: String, CodingKey {
      case decode = "decode_ns"
      case both = "decode_encode_ns"
    }
  }

  /// Returns a table with a row per system.
  func report() throws -> BenchmarkReport {
    let kernel = TimelineKernel()
    var own: (decode: [Double], both: [Double]) = ([], [])
    var peers: (decode: [Double], both: [Double]) = ([], [])
    let file = FileManager.default.temporaryDirectory
      .appending(path: "marquee-bench-\(ProcessInfo.processInfo.processIdentifier).bin")
    try Data(EchoPayload.timeline.encoded).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }  // best effort: it is in the temporary folder
    for _ in 0..<rounds {
      own.decode.append(try nanoseconds { for _ in 0..<Self.messageCount { keep(try kernel.decoded()) } })
      own.both.append(try nanoseconds { try kernel.run(count: Self.messageCount) })
      guard let peer else { continue }
      let line = try Self.output(peer, ["--message-file", file.path, "--rounds", "1"])
      let report = try JSONDecoder().decode(PeerReport.self, from: line)
      peers.decode.append(report.decode)
      peers.both.append(report.both)
    }
    var table = MarkdownTable(
      ["a timeline of 24 entries", "decode, ns", "and encode, ns", "allocations", "with encoding"])
    let counts = [
      try allocations { keep(try kernel.decoded()) }, try allocations { try kernel.run(count: 1) },
    ].map(String.init)
    table.add(["Marquee, checked and converted", Spread(own.decode).whole, Spread(own.both).whole] + counts)
    var figures: [Figure] = []
    if peer != nil {
      let both = Spread(zip(own.both, peers.decode).map { $0 / $1 }).median
      figures.append(Figure("a timeline decoded, checked, converted and back, of swift-protobuf decoding", both))
      table.add(["swift-protobuf", Spread(peers.decode).whole, Spread(peers.both).whole, "", ""])
    }
    return BenchmarkReport(text: table.text, figures: figures)
  }

  private func allocations(_ body: () throws -> Void) rethrows -> UInt64 {
    allocation_count_set(true)
    defer { allocation_count_set(false) }
    try body()
    return allocation_count()
  }

  /// The CPU time per message, in nanoseconds.
  private func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = Spread.cpuMicroseconds()
    try body()
    return (Spread.cpuMicroseconds() - start) * 1e3 / Double(Self.messageCount)
  }

  private static func output(_ program: URL, _ arguments: [String]) throws -> Data {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchmarkError("\(program.lastPathComponent) failed") }
    return output
  }
}
