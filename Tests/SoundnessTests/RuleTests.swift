import Foundation
import Testing

/// The article *Rules* defines every rule that the code cites, and names suites that prove each rule.
@Suite struct RuleTests {
  private struct Rule {
    let identifier: String
    let suites: [String]
  }

  private static let article = "Sources/MarqueeScheduler/MarqueeScheduler.docc/Rules.md"

  private static func rules() throws -> [Rule] {
    let text = try String(contentsOf: SourceTree.root.appending(path: article), encoding: .utf8)
    return text.matches(of: #/(?m)^\| ([A-Z][0-9]+) \|.*\| ([^|]+) \|$/#).map { match in
      Rule(identifier: String(match.1), suites: match.2.split(separator: ", ").map(String.init))
    }
  }

  @Test("Every rule that a comment or an article cites is defined")
  func citations() throws {
    let defined = Set(try Self.rules().map(\.identifier))
    #expect(defined.count > 40)
    for file in try SourceTree.texts() {
      for (number, line) in file.lines.enumerated() where line.contains("rule") {
        for citation in line.matches(of: #/\brules? ((?:[A-Z][0-9]+(?:, | and | to )?)+)/#) {
          for identifier in citation.1.matches(of: #/[A-Z][0-9]+/#) where !defined.contains(String(identifier.0)) {
            Issue.record("\(file.path):\(number + 1) cites rule \(identifier.0), which is not defined")
          }
        }
      }
    }
  }

  @Test("Every rule has a test in each suite that the article names")
  func proofs() throws {
    let tests = try SourceTree.paths(under: "Tests")
    for rule in try Self.rules() {
      let proof = try Regex("(?:\"|# )(?:[A-Z][0-9]+ )*\(rule.identifier)[ ,]")
      for suite in rule.suites {
        let files = tests.filter { $0.hasSuffix("/\(suite).swift") || $0.hasSuffix("/\(suite).script") }
        let isProven = try files.contains { path in
          try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8).contains(proof)
        }
        #expect(isProven, "\(suite) has no test of rule \(rule.identifier)")
      }
    }
  }
}
