import Foundation
import MarqueeLint
import MarqueeModel
import Testing
import Yams

/// What published apps send, from `../shared/data/relevance/cases.yaml` beside the package, and what is found on it.
@Suite struct VectorTests {
  /// A case of the file that says what is to be found.
  struct Case: Decodable, CustomTestStringConvertible {
    struct Publication: Decodable {
      let at: Double
      let entries: [Entry]
    }

    struct Entry: Decodable {
      let minute: Double
      let relevance: (score: Double, seconds: Int64)?

      init(from decoder: any Decoder) throws {
        var fields = try decoder.unkeyedContainer()
        minute = try fields.decode(Double.self)
        relevance = fields.count == 2 ? nil : (try fields.decode(Double.self), try fields.decode(Int64.self))
      }
    }

    struct After: Decodable {
      let after: Double
    }

    let name: String
    let publishedAt: Double?
    let entries: [Entry]?
    let policy: TimelineReloadPolicy
    let then: [Publication]?
    let lint: [String]?

    enum CodingKeys: CodingKey { case name, publishedAt, entries, policy, then, lint }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      name = try fields.decode(String.self, forKey: .name)
      publishedAt = try fields.decodeIfPresent(Double.self, forKey: .publishedAt)
      entries = try fields.decodeIfPresent([Entry].self, forKey: .entries)
      then = try fields.decodeIfPresent([Publication].self, forKey: .then)
      lint = try fields.decodeIfPresent([String].self, forKey: .lint)
      if !fields.contains(.policy) {
        policy = .never
      } else if let word = try? fields.decode(String.self, forKey: .policy) {
        // What is no word is a mapping, which the last case reads.
        policy = try #require(["atEnd": .atEnd, "never": .never][word])
      } else {
        policy = .after(Lint.time(try fields.decode(After.self, forKey: .policy).after))
      }
    }

    var testDescription: String { name }
  }

  static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../../shared/data/relevance/cases.yaml")

  /// The file's words for findings.
  static let words = Dictionary(uniqueKeysWithValues: LintCode.allCases.map { ($0.name, $0) })

  /// The cases that have entries and findings; none when the file is absent.
  static var cases: [Case] {
    get throws {
      guard FileManager.default.fileExists(atPath: file.path) else { return [] }
      return try YAMLDecoder().decode([Case].self, from: try String(contentsOf: file, encoding: .utf8))
        .filter { $0.entries != nil && $0.lint != nil }
    }
  }

  @Test("L On what published apps send, exactly what is doubtful is found", arguments: try cases)
  func findings(of vector: Case) throws {
    var rehearsal = TimelineRehearsal()
    var warnings = rehearsal.publish(
      submitted: try Self.entries(vector.entries ?? []), policy: vector.policy, at: Lint.time(vector.publishedAt ?? 0))
    for next in vector.then ?? [] {
      warnings += rehearsal.publish(
        submitted: try Self.entries(next.entries), policy: .never, at: Lint.time(next.at))
    }
    let wanted = try (vector.lint ?? []).map { try #require(Self.words[$0], "\($0)").rawValue }
    #expect(Set(warnings.map(\.code)) == Set(wanted))
  }

  @Test(
    "The file of vectors is there", .enabled(if: FileManager.default.fileExists(atPath: file.path), "no shared data"))
  func presence() throws {
    #expect(try Self.cases.count >= 4)
  }

  private static func entries(_ entries: [Case.Entry]) throws -> [TimelineEntry] {
    try entries.map { entry in
      guard let relevance = entry.relevance else { return Lint.entry(entry.minute) }
      return try Lint.entry(entry.minute, relevance.score, relevance.seconds)
    }
  }
}
