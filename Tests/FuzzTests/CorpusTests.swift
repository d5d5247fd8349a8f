import Foundation
import FuzzTargets
import Testing

/// Replays the fuzzer's seed corpus and all inputs that once crashed.
///
/// `Tests/Fuzz/Corpus` has a directory for each target. An input whose name starts with `rejected` must be rejected,
/// and any other accepted, so that the seeds reach deep code paths.
@Suite("Fuzzing corpus", .timeLimit(.minutes(2)))
struct CorpusTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the names and bytes of a target's inputs.
  private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: Data)] {
    let folder = root.appending(path: "Fuzz/Corpus/\(target.rawValue)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    return try names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) }
  }

  @Test(
    "No input traps, and each is accepted unless its name starts with `rejected`", arguments: FuzzTarget.allCases)
  func inputs(target: FuzzTarget) throws {
    let inputs = try Self.inputs(of: target)
    #expect(!inputs.isEmpty)
    for (name, bytes) in inputs {
      let isAccepted = bytes.withUnsafeBytes(target.run)
      #expect(isAccepted != name.hasPrefix("rejected"), "\(target.rawValue)/\(name)")
    }
  }

  @Test("Every message of the services has an accepted input")
  func messages() throws {
    let accepted = try Self.inputs(of: .messages).filter { !$0.name.hasPrefix("rejected") }
    let numbers = Set(accepted.compactMap(\.bytes.first).map(Int.init))
    for (number, message) in MessageFuzz.all.enumerated() {
      #expect(numbers.contains(number), "number \(number), \(message.name), has no input in Tests/Fuzz/Corpus/messages")
    }
  }

  @Test("The messages of every method are fuzzed")
  func methods() throws {
    let folder = Self.root.deletingLastPathComponent().appending(path: "Protos")
    var count = 0
    let walk = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    for case let file as URL in walk where file.pathExtension == "proto" {
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      count += lines.count { $0.drop { $0 == " " }.hasPrefix("rpc ") }
    }
    #expect(Set(MessageFuzz.all.map(\.name)).count == 2 * count)
  }
}
