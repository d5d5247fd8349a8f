import Foundation
import MarqueeModel
import Testing

@testable import MarqueeConsole

/// The console makes the engine's sentences from codes in languages other than English.
@Suite("Sentences of the engine in other languages")
struct SentenceTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let protos = root.appending(path: "Protos/marquee/v1")

  private static func file(_ name: String) throws -> String {
    let file = try #require(ConsoleFiles.embedded.first { $0.name == name })
    return String(decoding: file.content, as: UTF8.self)
  }

  /// The codes that have a German template.
  private static var templates: Set<String> {
    get throws { Set(try file("sentencesde.js").matches(of: /(?m)^  "say\.([^"]+)":/).map { String($0.1) }) }
  }

  /// Returns the text of a definition in a file of the protocol, to the line that ends it.
  private static func definition(_ start: String, in name: String) throws -> Substring {
    let text = try String(contentsOf: protos.appending(path: name), encoding: .utf8)
    let begin = try #require(text.range(of: "\n\(start) {\n"))
    return text[begin.upperBound...].prefix { $0 != "}" }
  }

  /// Returns the values of an enumeration of the protocol that mean something.
  private static func values(of name: String, in file: String) throws -> [String] {
    try definition("enum \(name)", in: file).matches(of: /([A-Z_]+) = [1-9]/).map { String($0.1) }
  }

  /// Returns the names in JSON of the fields of a message's first `oneof`.
  private static func fields(of name: String, in file: String = "admin.proto") throws -> [String] {
    try definition("message \(name)", in: file).matches(of: /(?m)^    \w+ (\w+) = \d/).map { match in
      let parts = match.1.split(separator: "_")
      return parts[0] + parts.dropFirst().map(\.capitalized).joined()
    }
  }

  @Test("Every gate has a sentence, open and closed, with a measured value and without")
  func gates() throws {
    let templates = try Self.templates
    for gate in Gate.allCases {
      let name = "\(gate)"
      #expect(
        templates.contains(name) || templates.isSuperset(of: ["\(name)+", "\(name)-"]), "no template of \(name)")
      if ["evidence", "seconds", "probability"].contains(gate.unit) || gate == .episode {
        #expect(templates.contains("\(name) none"), "\(name) without a value")
      }
    }
    for name in ["dwell", "hold"] { #expect(templates.contains("\(name) obstacle")) }
  }

  @Test("Every signal, reason and obstacle has a sentence")
  func codes() throws {
    var codes = SignalShare.Signal.allCases.map(\.description)
    codes += try Self.values(of: "EpisodeEnd", in: "explanation.proto") + ["EPISODE_END_UNSPECIFIED"]
    for situation in try Self.values(of: "RoutineSituation", in: "widget.proto") {
      codes += ["\(situation) began", "\(situation) now"]
    }
    let (gaps, obstacles) = (try Self.fields(of: "EvidenceGap"), try Self.fields(of: "Obstacle"))
    let reasons = try Self.fields(of: "WatchFaceItem", in: "explanation.proto")
    let bases = try Self.fields(of: "SuggestionBasis", in: "display.proto")
    // These consist of another message, whose codes are among the others.
    let others = ["gate", "noEvidence", "habit", "relevance"]
    codes += gaps + reasons + (obstacles + bases).filter { !others.contains($0) }
    #expect(gaps.count == 13 && reasons.count == 8 && obstacles.count == 8 && bases.count == 7 && codes.count == 58)
    let templates = try Self.templates
    for code in codes { #expect(templates.contains(code), "no template of \(code)") }
  }

  @Test("Every finding about a text has a sentence, of the values with which it is reported")
  func findings() throws {
    let sources = Self.root.appending(path: "Sources/MarqueeLint")
    let list = try String(contentsOf: sources.appending(path: "LintCode.swift"), encoding: .utf8)
    let codes = list.matches(of: /(?m)^  case \w+ = "([a-z-]+)"/).map { String($0.1) }
    #expect(codes.count == 39)
    var values: Set = ["key", "more"]
    for name in try FileManager.default.contentsOfDirectory(atPath: sources.path) where name.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
      values.formUnion(text.matches(of: /FindingValue\("([a-z]+)"/).map { String($0.1) })
    }
    let templates = try Self.file("lintde.js").split(separator: "\n  \"say.finding ").dropFirst().map { template in
      (key: template.prefix { $0 != "\"" }.split(separator: " ").map(String.init), text: template)
    }
    for code in codes + ["unknown-key"] {
      #expect(templates.contains { $0.key.first == code }, "no template of \(code)")
    }
    for (key, text) in templates {
      for name in text.matches(of: /\{(\w+)\}/).map({ String($0.1) }) {
        #expect(values.contains(name), "no finding has a value \(name) for \(key)")
      }
      // A second word is a value that the template needs, or for some values the text that it stands for.
      #expect(key.count == 1 || codes.contains(key[0]) && values.contains(key[1]) || values.contains(key[0]))
    }
  }

  @Test("The script uses no other templates than there are")
  func uses() throws {
    let (templates, script) = (try Self.templates, try Self.file("sentence.js"))
    let used = script.matches(of: /\.(?:say|also)\("([^"]+)"/).map { String($0.1) }.filter { $0 != "finding more" }
    #expect(used.count > 20)
    for code in used { #expect(templates.contains(code), "no template of \(code)") }
  }
}
