import Foundation
import MarqueeTestSupport
import Testing

/// Progress of the real `marquee` on a terminal.
@Suite("Progress meter", .timeLimit(.minutes(2)))
struct ProgressTests {
  /// A log of two months of one person.
  private static let log: String = (1...2).flatMap { month in
    (1...28).flatMap { day in
      (0..<6).map { number in
        let date = "2024-0\(month)-\(day < 10 ? "0" : "")\(day)"
        return "regular\t\(date)T\(10 + number):\(10 + (day * 7 + number) % 50)\tuse\titem \(number * day % 7)"
      }
    }
  }.joined(separator: "\n")

  /// Runs a command on a terminal and returns its output.
  private func shown(_ arguments: [String], _ redirection: String = "") async throws -> String {
    let shell = try TerminalProcess(
      ["/bin/bash", "-c", "\"$@\" \(redirection); echo \"STATUS $?\"", "bash", Marquee.program] + arguments)
    return try await shell.log.text(with: "STATUS ")
  }

  @Test("Progress is shown after a second, and erased before the results")
  func share() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Self.log, to: "log.tsv")
    let text = try await shown(["evaluate-predictor", file])
    #expect(text.contains("STATUS 0"))
    let lines = text.matches(of: /\r([^\r\n\e]+: [0-9]{1,3} %, [0-9]+ s)\e\[K/)
    #expect(!lines.isEmpty, "\(text.prefix(400))")
    // The first other output erases the line.
    #expect(text.contains("\r\u{1B}[KNext action: 1 person"))
    #expect(!text.split(separator: "Next action: 1 person")[1].contains("\u{1B}"))
  }

  @Test("No progress is shown if standard error is not a terminal")
  func noTerminal() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Self.log, to: "log.tsv")
    let text = try await shown(["evaluate-predictor", file], "2>\(directory.file("errors"))")
    #expect(text.contains("STATUS 0") && !text.contains("\u{1B}"))
    #expect(try String(contentsOfFile: directory.file("errors"), encoding: .utf8).isEmpty)
  }

  @Test("The wait for a slow server is shown")
  func waiting() async throws {
    let silent = try SilentServer()
    let marquee = try TerminalProcess([Marquee.program, "devices", "--server", silent.endpoint])
    try await marquee.log.text(with: "\rWaiting for the server at \(silent.endpoint), 1 s\u{1B}[K")
    try await marquee.kill()
  }
}
