import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import Testing

/// The real `marquee top` on a terminal. Clocks begin on 2021-06-07 at 11:41 in Berlin.
@Suite("top on a terminal", .serialized, .timeLimit(.minutes(2)))
struct TopCommandTests {
  /// The sequences that enter the alternate screen and hide the cursor, and that restore both.
  private static let (entrance, exit) = ("\u{1B}[?1049h\u{1B}[?25l", "\u{1B}[?25h\u{1B}[?1049l")

  /// Starts the command on a terminal under a shell, which prints its process ID and status: the end of a terminal's
  /// first process resets the terminal.
  private static func start(
    _ arguments: [String] = [], at endpoint: Endpoint, _ environment: [String: String] = [:], rows: Int = 30
  ) throws -> TerminalProcess {
    let script = "bash -c 'echo PID $$; exec \"$@\"' bash \"$@\"; echo \"STATUS $?\"; read -r"
    return try TerminalProcess(
      ["/bin/bash", "-c", script, "bash", Marquee.program, "top"] + arguments,
      environment: ["MARQUEE_SERVER": "\(endpoint)"].merging(environment) { $1 }, rows: rows)
  }

  private func run(
    _ arguments: [String] = [], _ environment: [String: String] = [:],
    _ body: (InProcessServer, TerminalProcess, _ before: [UInt32]) async throws -> Void
  ) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let top = try Self.start(arguments, at: server.endpoint, environment)
      let before = top.settings
      try await top.log.text(with: "▸ phone/home  com.example.weather/Forecast")
      #expect(before.count == 4 && top.settings != before)
      try await body(server, top, before)
      try await top.kill()
    }
  }

  /// Waits for the end with that status, and expects that the terminal is restored.
  private static func expectEnd(of top: TerminalProcess, _ status: Int, _ before: [UInt32]) async throws {
    let text = try await top.log.text(with: "STATUS \(status)", after: Self.exit)
    #expect(text.contains(Self.entrance) && top.settings == before)
  }

  @Test("A rotation is shown live, a key explains it, and q restores the terminal")
  func rotation() async throws {
    try await run { server, top, before in
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      _ = try await sport.publish(1, Fixture.score, [Fixture.entry(Fixture.after(.minutes(1)), score: 2)])
      server.clock.advance(to: Fixture.after(.minutes(1)))
      let text = try await top.log.text(with: "▸ phone/home  com.example.sport/Score")
      #expect(text.contains("phone  2021-06-07 11:41:00, Europe/Berlin"))
      try await top.log.text(with: "  11:42:00  phone/home  Score leads: its score 2 is 100 % of its kind's best")
      top.type("e")
      try await top.log.text(with: "Decision 1, rotation to com.example.sport/Score")
      try await top.log.text(with: "com.example.weather/Forecast  evidence 0")
      top.type("\u{1B}")
      try await top.log.text(with: "DECISIONS, NEWEST FIRST", after: "Decision 1, rotation to")
      top.type("q")
      try await Self.expectEnd(of: top, 0, before)
    }
  }

  @Test("Ctrl-C and signals end it and restore the terminal", arguments: ["", "TERM", "HUP", "QUIT"])
  func interrupted(signal: String) async throws {
    try await run { _, top, before in
      let text = top.log.text
      let number = try #require(text.firstMatch(of: /PID ([0-9]+)/).flatMap { pid_t($0.1) })
      let numbers = ["TERM": SIGTERM, "HUP": SIGHUP, "QUIT": SIGQUIT]
      if let signal = numbers[signal] { kill(number, signal) } else { top.type("\u{3}") }
      try await Self.expectEnd(of: top, 0, before)
    }
  }

  @Test("Ctrl-Z restores the terminal until the shell continues the job")
  func suspended() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let shell = try TerminalProcess(
        ["/bin/bash", "--norc", "--noprofile", "-i"],
        environment: [
          "MARQUEE_SERVER": "\(server.endpoint)", "PATH": "\(Marquee.folder):/usr/bin:/bin", "PS1": "$ ",
        ])
      shell.type("marquee top; echo STATUS $?\r")
      try await shell.log.text(with: "▸ phone/home", after: Self.entrance)
      shell.type("\u{1A}")
      try await shell.log.text(with: "Stopped", after: Self.exit)
      shell.type("fg\r")
      try await shell.log.text(with: "▸ phone/home", after: "Stopped")
      shell.type("q")
      try await shell.log.text(with: Self.exit, after: "fg\r")
      try await shell.kill()
    }
  }

  @Test("A resize redraws the screen, and NO_COLOR disables styles")
  func size() async throws {
    try await run([], ["NO_COLOR": "1"]) { _, top, before in
      top.resize(columns: 30, rows: 4)
      let text = try await top.log.text(with: "\u{1B}[4;1H\u{1B}[2Kq quit  ↑↓ select a stack  en…")
      #expect(!text.contains("\u{1B}[1m") && !text.contains("\u{1B}[2m"))
      top.type("q")
      try await Self.expectEnd(of: top, 0, before)
    }
  }

  @Test("A rejection by the server ends it, and is printed on the restored terminal")
  func rejected() async throws {
    try await run(["phone"]) { server, top, before in
      try await server.restart { try FileManager.default.removeItem(atPath: server.directory.file("data")) }
      try await Self.expectEnd(of: top, 1, before)
      #expect(top.log.text.contains("marquee: rejected: NOT_FOUND"))
    }
  }

  @Test("It reconnects to a restarted server, and shows the new state")
  func restarted() async throws {
    let directory = try TemporaryDirectory()
    let arguments = DaemonTests.arguments(directory)
    let first = try Daemon(arguments)
    let endpoint = try await first.listening()[0]
    try await Fixture.build(RPCClient(endpoint))
    let top = try Self.start(at: endpoint)
    try await top.log.text(with: "▸ phone/home  com.example.weather/Forecast")
    try await first.kill()
    try await top.log.text(with: "not responding; retrying")
    try await Daemon.run(arguments) { _, _ in
      try await top.log.text(with: "Europe/Berlin", after: "not responding; retrying")
      try await DisplayClient(RPCClient(endpoint)).edit(StackID("new"), on: Fixture.device, .create(.systemSmall))
      try await top.log.text(with: "  phone/new ")
    }
    try await top.kill()
  }

  @Test("Without a terminal it fails with a hint; --once prints text, and --json is rejected")
  func noTerminal() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let rejected = try await marquee.run(["top"])
      #expect(rejected.exit == .code(64) && rejected.errors.contains("standard output is not a terminal"))
      #expect(rejected.errors.contains("--once"))
      #expect(try await marquee.run(["top", "--json"]).exit == .code(64))
      let lines = try await marquee("top", "--once")
      #expect(lines[0].hasSuffix("phone  2021-06-07 11:41:00, Europe/Berlin"))
      #expect(lines[2].hasPrefix("  phone/home  com.example.weather/Forecast"))
      let dumb = try Self.start(at: server.endpoint, ["TERM": "dumb"])
      let text = try await dumb.log.text(with: "STATUS 64")
      #expect(text.contains("cannot draw a screen") && !text.contains("\u{1B}"))
      try await dumb.kill()
    }
  }
}
