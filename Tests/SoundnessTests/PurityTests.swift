import Foundation
import Testing

/// The pure modules use no clock, randomness, I/O or concurrency: times and seeds are parameters.
@Suite struct PurityTests {
  static let pureTargets = [
    "MarqueeModel", "MarqueeScheduler", "MarqueeLint", "MarqueePredictor", "MarqueeRPC", "MarqueeHTTP",
    "MarqueeSchema", "MarqueeCards", "MarqueeConsole", "MarqueeCluster",
  ]

  /// The files that declare a port, whose methods others implement with I/O.
  static let ports = ["Cluster", "Lane", "Membership"].map { "Sources/MarqueeCluster/\($0).swift" }

  static let bannedWords: Set<String> = [
    "ContinuousClock", "SuspendingClock", "Date", "DispatchTime", "SystemRandomNumberGenerator", "random", "shuffle",
    "shuffled", "randomElement", "print", "debugPrint", "readLine", "async", "await", "Task", "actor", "Thread",
    "Mutex", "fatalError",
  ]

  @Test("Pure modules use no API for clocks, randomness, I/O or waiting", arguments: pureTargets)
  func words(target: String) throws {
    for file in try SourceTree.files(under: "Sources/\(target)") {
      let banned = Self.ports.contains(file.path) ? Self.bannedWords.subtracting(["async"]) : Self.bannedWords
      for (number, line) in file.code.enumerated() {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        for word in words where banned.contains(word) {
          Issue.record("\(file.path):\(number + 1) uses \(word)")
        }
      }
    }
  }

  @Test("The scan finds a banned word in code and not in comments or strings")
  func scan() {
    let file = SourceTree.File(
      path: "x", lines: ["let now = ContinuousClock().now", "// random", "let a = \"await\"", "/// print"])
    let words = file.code.flatMap { $0.split { !$0.isLetter }.map(String.init) }
    #expect(words.filter(Self.bannedWords.contains) == ["ContinuousClock"])
  }
}
