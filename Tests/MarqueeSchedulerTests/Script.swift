import Foundation
import Testing

/// Events and the expected actions, as text.
///
///     # R4 A title that is a sentence.
///     0:00 stack home weather calendar
///     0:00 publish calendar 9:30=5/30m
///     24:00 end
///     ----
///     9:30 rotate home weather > calendar
///
/// Times are hours, minutes and optionally seconds, and may exceed 24:00. A line that begins with a space has the time
/// of the previous one. ``Scene`` defines the commands. A file can contain several scripts.
struct Script: CustomTestStringConvertible {
  struct Line {
    let second: Int
    let words: [String]

    init(second: Int, words: [String]) {
      self.second = second
      self.words = words
    }

    /// Parses a line, which begins with its time.
    init(_ text: String) throws {
      let words = text.split(separator: " ").map(String.init)
      self.init(second: try Scene.second(words[0]), words: Array(words.dropFirst()))
    }
  }

  let title: String
  private(set) var lines: [Line] = []
  private(set) var expected: [String] = []

  var testDescription: String { title }

  /// The scripts in the folder `Scripts`, by file name.
  static var all: [Script] {
    get throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts")
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      return try files.filter { $0.pathExtension == "script" }.sorted { $0.path < $1.path }
        .flatMap { try scripts(in: String(contentsOf: $0, encoding: .utf8)) }
    }
  }

  /// Parses the scripts in `text`.
  static func scripts(in text: String) throws -> [Script] {
    var scripts: [Script] = []
    var isExpecting = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#") {
        scripts.append(Script(title: String(line.dropFirst(2))))
        isExpecting = false
      } else if line == "----" {
        isExpecting = true
      } else {
        try #require(!scripts.isEmpty, "a line before the first title")
        try scripts[scripts.count - 1].take(line, isExpecting: isExpecting)
      }
    }
    return scripts
  }

  private init(title: String) {
    self.title = title
  }

  private mutating func take(_ line: Substring, isExpecting: Bool) throws {
    var words = line.split(separator: " ").map(String.init)
    if isExpecting {
      expected.append(words.joined(separator: " "))
    } else {
      var second = lines.last?.second ?? 0
      if !line.hasPrefix(" ") { second = try Scene.second(words.removeFirst()) }
      lines.append(Line(second: second, words: words))
    }
  }

  /// Plays the script in three ways, which must all give the expected results: unmodified, with an additional advance
  /// every half minute, and with the device encoded and decoded before every line.
  func check(_ ways: [Scene.Way] = Scene.Way.allCases, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for way in ways {
      var scene = try Scene(way)
      for line in lines { try scene.play(line) }
      #expect(scene.output == expected, "\(title) (\(way))", sourceLocation: sourceLocation)
    }
  }
}

/// Plays a script given inline in a test.
func play(
  _ text: String, ways: [Scene.Way] = Scene.Way.allCases, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for script in try Script.scripts(in: "# \(Test.current?.displayName ?? "")\n" + text) {
    try script.check(ways, sourceLocation: sourceLocation)
  }
}

@Suite struct ScriptTests {
  @Test("Every script gives the expected actions", arguments: try Script.all)
  func script(_ script: Script) throws {
    try script.check()
  }

  @Test("There are scripts, and each expects something")
  func presence() throws {
    let scripts = try Script.all
    #expect(scripts.count > 10)
    #expect(scripts.allSatisfy { !$0.expected.isEmpty })
  }
}
