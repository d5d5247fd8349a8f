import Foundation
import ServerProcess
import Testing

/// What the real `marquee` says on a terminal while it works.
@Suite("Progress on a terminal", .timeLimit(.minutes(2)))
struct ProgressTests {
  /// Two months of somebody's days.
  private static let log: String = (1...2).flatMap { month in
    (1...28).flatMap { day in
      (0..<6).map { number in
        let date = "2024-0\(month)-\(day < 10 ? "0" : "")\(day)"
        return "regular\t\(date)T\(10 + number):\(10 + (day * 7 + number) % 50)\tuse\titem \(number * day % 7)"
      }
    }
  }.joined(separator: "\n")

  /// Runs a command on a terminal to its end, and gives what it showed.
  private func shown(_ arguments: [String], _ redirection: String = "") async throws -> String {
    let shell = try TerminalProcess(
      ["/bin/bash", "-c", "\"$@\" \(redirection); echo \"STATUS $?\"", "bash", Marquee.program] + arguments)
    return try await shell.log.text(with: "STATUS ")
  }

  @Test("The share that is done is shown after a second, and nothing of it stays beside the results")
  func share() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Self.log, to: "log.tsv")
    let text = try await shown(["evaluate", file])
    #expect(text.contains("STATUS 0"))
    let lines = text.matches(of: /\r([^\r\n\e]+: [0-9]{1,3} %, [0-9]+ s)\e\[K/)
    #expect(!lines.isEmpty, "\(text.prefix(400))")
    // The first thing beside the line takes it away.
    #expect(text.contains("\r\u{1B}[KNext action: 1 people"))
    #expect(!text.split(separator: "Next action: 1 people")[1].contains("\u{1B}"))
  }

  @Test("Nothing is said where standard error is no terminal")
  func noTerminal() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Self.log, to: "log.tsv")
    let text = try await shown(["evaluate", file], "2>\(directory.file("errors"))")
    #expect(text.contains("STATUS 0") && !text.contains("\u{1B}"))
    #expect(try String(contentsOfFile: directory.file("errors"), encoding: .utf8).isEmpty)
  }

  @Test("A server that is slow to answer is said to be waited for")
  func waiting() async throws {
    let silent = try SilentServer()
    let marquee = try TerminalProcess([Marquee.program, "devices", "--server", silent.endpoint])
    try await marquee.log.text(with: "\rWaiting for the server at \(silent.endpoint), 1 s\u{1B}[K")
    try await marquee.kill()
  }
}
