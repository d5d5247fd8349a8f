import Foundation
import Testing

@testable import MarqueeBench

@Suite struct GoalTests {
  /// The goals of this package.
  static func goals() throws -> [Goal] {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = package.appending(path: "Thresholds/goals.tsv")
    return try Goal.goals(parsing: String(contentsOf: file, encoding: .utf8))
  }

  @Test("The goals of this package are well-formed, and no figure has two")
  func file() throws {
    let names = try Self.goals().map(\.name)
    #expect(Set(names).count == names.count && names.contains("prediction over 100 actions"))
  }

  @Test("The table contains every goal, with its figure or as not measured")
  func table() throws {
    let goals = try Goal.goals(parsing: "# a comment\n≥\t0.7\ttimes\tspeed\n\n≤\t5\tµs\tdelay\n≤\t1\ts\tother\n")
    let figures = [Figure("delay", 6), Figure("speed", 0.7), Figure("more", 1)]
    let lines = Goal.table(goals, figures).split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines[2] == "| speed | ≥ 0.7 times | 0.7 | yes |")
    #expect(lines[3] == "| delay | ≤ 5.0 µs | 6.0 | no |")
    #expect(lines[4] == "| other | ≤ 1.0 s | not measured |  |")
  }

  @Test(
    "A malformed line is named",
    arguments: ["≥ 0.7 times speed", "=\t1\tµs\tdelay", "≤\tone\tµs\tdelay", "≤\t1\tµs", "≤\t1\tµs\ta\tb"])
  func malformed(line: String) {
    #expect {
      try Goal.goals(parsing: "# a comment\n" + line)
    } throws: { error in
      "\(error)".hasPrefix("goals, line 2: ")
    }
  }
}
