import Foundation
import Testing

/// Every program and command in the README and the articles is compiled or run by a test.
@Suite struct SnippetTests {
  private struct Snippet {
    /// The file and the line of its start.
    let place: String
    /// The lines that are not empty, without indentation.
    let lines: [String]
  }

  /// Returns the snippets in a language.
  private static func snippets(in language: String) throws -> [Snippet] {
    let articles = try SourceTree.texts().filter { $0.path == "README.md" || $0.path.contains(".docc/") }
    return articles.filter { $0.path.hasSuffix(".md") }.flatMap { article in
      var found: [Snippet] = []
      var start: Int?
      for (index, line) in article.lines.enumerated() {
        if let first = start, line == "```" {
          found.append(
            Snippet(place: "\(article.path):\(first + 1)", lines: significant(article.lines[(first + 1)..<index])))
          start = nil
        } else if line == "```\(language)" {
          start = index
        }
      }
      return found
    }
  }

  private static func significant(_ lines: some Sequence<String>) -> [String] {
    lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  private static func tests() throws -> [SourceTree.File] { try SourceTree.files(under: "Tests") }

  @Test("The lines of every Swift program in the README and the articles are consecutive lines of a test")
  func programs() throws {
    let tests = try Self.tests().map { Self.significant($0.lines) }
    let snippets = try Self.snippets(in: "swift")
    #expect(snippets.count > 15)
    for snippet in snippets {
      let isTested = tests.contains { lines in
        lines.indices.contains { start in
          lines[start] == snippet.lines[0] && lines[start...].starts(with: snippet.lines)
        }
      }
      #expect(isTested, "\(snippet.place): no test contains the program; add it to ArticleSnippets, for example")
    }
  }

  /// The articles whose commands a script reads and runs, by article.
  private static let scripts = [
    "Sources/MarqueeDaemon/MarqueeDaemon.docc/ConnectClients.md": "Tests/Scripts/connect-clients.sh",
    "Sources/MarqueeDaemon/MarqueeDaemon.docc/GRPCClients.md": "Tests/Scripts/grpc-clients.sh",
    "Sources/MarqueeDaemon/MarqueeDaemon.docc/PythonClient.md": "Tests/Scripts/python-client.sh",
  ]

  /// Whether CI runs a script that reads the commands of the snippet's article.
  private static func isRead(_ snippet: Snippet, _ ci: String) throws -> Bool {
    let path = String(snippet.place.prefix { $0 != ":" })
    guard let script = scripts[path] else { return false }
    let text = try String(contentsOf: SourceTree.root.appending(path: script), encoding: .utf8)
    return ci.contains("step \(script)") && text.contains("article=\(path)")
  }

  @Test("Every command in the README and the articles is run by CI or named by a test that runs it")
  func commands() throws {
    let tests = try Self.tests().map { $0.lines.joined(separator: "\n") }
    let ci = try String(contentsOf: SourceTree.root.appending(path: ".ci/run"), encoding: .utf8)
    // Its blocks with several commands are run as they are.
    #expect(tests.contains { $0.contains("func session()") && $0.contains("README's first session") })
    let snippets = try Self.snippets(in: "sh")
    #expect(snippets.count > 5)
    for snippet in snippets where !(snippet.place.hasPrefix("README.md") && snippet.lines.count > 1) {
      for command in snippet.lines where !command.hasPrefix("#") {
        let isRun = ci.contains("step \(command)") || tests.contains { $0.contains("\"\(command)\"") }
        let isRead = try Self.isRead(snippet, ci)
        #expect(isRun || isRead, "\(snippet.place): nothing runs \"\(command)\"")
      }
    }
  }
}
