import Foundation
import MarqueeLint
import MarqueeModel
import Testing
import Yams

/// Timelines of published apps, from `../shared/data/relevance/cases.yaml` next to the package, with their findings.
@Suite struct VectorTests {
  /// A case of the file with its expected findings.
  struct Case: Decodable, CustomTestStringConvertible {
    struct Publication: Decodable {
      let at: Double
      let entries: [Entry]
    }

    struct IntentSet: Decodable {
      let at: Double
      let windows: [[Double]]
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
    let relevantIntents: [IntentSet]?
    let lint: [String]?

    enum CodingKeys: CodingKey { case name, publishedAt, entries, policy, then, relevantIntents, lint }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      name = try fields.decode(String.self, forKey: .name)
      publishedAt = try fields.decodeIfPresent(Double.self, forKey: .publishedAt)
      entries = try fields.decodeIfPresent([Entry].self, forKey: .entries)
      then = try fields.decodeIfPresent([Publication].self, forKey: .then)
      relevantIntents = try fields.decodeIfPresent([IntentSet].self, forKey: .relevantIntents)
      lint = try fields.decodeIfPresent([String].self, forKey: .lint)
      if !fields.contains(.policy) {
        policy = .never
      } else if let word = try? fields.decode(String.self, forKey: .policy) {
        // A value that is not a word is a mapping, which the last case parses.
        policy = try #require(["atEnd": .atEnd, "never": .never][word])
      } else {
        policy = .after(Lint.time(try fields.decode(After.self, forKey: .policy).after))
      }
    }

    var testDescription: String { name }
  }

  static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../../shared/data/relevance/cases.yaml")

  /// The file's names of findings.
  static let words = Dictionary(uniqueKeysWithValues: LintCode.allCases.map { ($0.name, $0) })

  /// The cases with expected findings, or none if the file is absent.
  static var cases: [Case] {
    get throws {
      guard FileManager.default.fileExists(atPath: file.path) else { return [] }
      return try YAMLDecoder().decode([Case].self, from: try String(contentsOf: file, encoding: .utf8))
        .filter { $0.lint != nil }
    }
  }

  @Test("L The timelines of published apps have exactly the expected findings", arguments: try cases)
  func findings(of vector: Case) throws {
    var rehearsal = TimelineRehearsal()
    var found: Set<String> = []
    if let entries = vector.entries {
      let submitted = SubmittedTimeline(try Self.entries(entries), policy: vector.policy)
      let warnings = rehearsal.publish(submitted, at: Lint.time(vector.publishedAt ?? 0))
      found.formUnion(warnings.map(\.code))
    }
    for next in vector.then ?? [] {
      let submitted = SubmittedTimeline(try Self.entries(next.entries), policy: .never)
      found.formUnion(rehearsal.publish(submitted, at: Lint.time(next.at)).map(\.code))
    }
    for set in vector.relevantIntents ?? [] { found.formUnion(try Self.warnings(of: set).map(\.code)) }
    let wanted = try (vector.lint ?? []).map { try #require(Self.words[$0], "\($0)").rawValue }
    #expect(found == Set(wanted))
  }

  /// The windows are those of different intents.
  private static func warnings(of set: Case.IntentSet) throws -> [LintWarning] {
    let intents = try set.windows.enumerated().map { number, window in
      let name = try IntentParameter.Name("number")
      let parameter = IntentParameter(name: name, value: .single(.integer(Int64(number))))
      return RelevantIntent(
        intent: try Intent(type: IntentType("Case"), parameters: [parameter]), kind: try KindName("Case"),
        window: try DateWindow(start: Lint.time(window[0]), end: window.count > 1 ? Lint.time(window[1]) : nil))
    }
    return ShortcutLint.warnings(set: intents, context: ShortcutLintContext(now: Lint.time(set.at)))
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
