import Foundation
import MarqueeScheduler
import Testing

@testable import MarqueeServer

/// The descriptions of settings, policy fields and limits in documents are those in the code.
@Suite struct ConfigurationArticleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A table in Markdown.
  private static func table(_ columns: [String], _ rows: [[String]]) -> String {
    ([columns, columns.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
  }

  private static func code(_ text: some StringProtocol) -> String { text.isEmpty ? "" : "`\(text)`" }

  private static func settings(in section: String?) -> [Setting] {
    Setting.all.filter { $0.section.map(String.init) == section }
  }

  /// The settings outside the sections `policy` and `limits`.
  private static var serverSettings: String {
    let settings = settings(in: nil) + settings(in: "cluster") + settings(in: "tls")
    return table(
      ["Key", "Option", "Environment variable", "Default", "Description"],
      settings.map { setting in
        [
          code(setting.key), code("--\(setting.option)"), code(setting.variable), code(setting.defaultValue),
          [setting.description, setting.details].filter { !$0.isEmpty }.joined(separator: " "),
        ]
      })
  }

  /// The settings of a section.
  private static func section(_ name: String, _ description: String) -> String {
    table(
      ["Key", "Default", "Unit", "Range", description],
      settings(in: name).map { [code($0.name), $0.defaultValue, $0.unit, $0.range, $0.summary] })
  }

  /// The limits that are not settings.
  private static var otherLimits: String {
    let limits = LimitEntry.all.filter { Setting(limit: $0) == nil }
    return table(
      ["Name", "Value", "Unit", "Bounded quantity"],
      limits.map { limit in
        var value = "\(limit.defaultValue)"
        if case .accessPolicy = limit.source { value += " (default)" }
        return [code(limit.name), value, limit.unit.words, limit.bounds]
      })
  }

  private static var parts: [(name: String, text: String)] {
    [
      ("settings", serverSettings), ("policy", section("policy", "Description")),
      ("limits", section("limits", "Bounded quantity")), ("other limits", otherLimits),
    ]
  }

  /// With `MARQUEE_WRITE_ARTICLES=1`, the tables are written in place of a comparison.
  @Test("The tables in the article Configuration are generated from the code")
  func tables() throws {
    let article = Self.root.appending(path: "Sources/MarqueeDaemon/MarqueeDaemon.docc/Configuration.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    var generated = text
    for part in Self.parts {
      let (start, end) = ("<!-- Generated: \(part.name) -->\n\n", "\n\n<!-- End: \(part.name) -->\n")
      let begin = try #require(generated.range(of: start), "the article has no place for the \(part.name)")
      let rest = try #require(generated.range(of: end, range: begin.upperBound..<generated.endIndex))
      generated.replaceSubrange(begin.upperBound..<rest.lowerBound, with: part.text)
    }
    if ProcessInfo.processInfo.environment["MARQUEE_WRITE_ARTICLES"] == "1" {
      try generated.write(to: article, atomically: true, encoding: .utf8)
    } else {
      #expect(text == generated, "run MARQUEE_WRITE_ARTICLES=1 swift test --filter ConfigurationArticleTests")
    }
  }

  @Test("The documentation comment of each policy field begins with the field's description")
  func comments() throws {
    let path = "Sources/MarqueeScheduler/Policy.swift"
    let lines = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8).split(separator: "\n")
    var comment = ""
    var comments: [String] = []
    for line in lines.map({ $0.drop { $0 == " " } }) {
      if line.hasPrefix("/// ") {
        comment += (comment.isEmpty ? "" : " ") + line.dropFirst(4)
      } else {
        if line.hasPrefix("public var ") { comments.append(comment) }
        comment = ""
      }
    }
    #expect(comments.count == PolicyField.all.count)
    for (field, comment) in zip(PolicyField.all, comments) {
      #expect(comment.hasPrefix(field.summary), "\(field.name): \(comment)")
    }
  }
}
