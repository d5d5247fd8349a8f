import Foundation
import MarqueeModel
import MarqueeTestSupport
import MarqueeWire
import Testing

/// Shell completion on a terminal of the names of a real server.
@Suite("Shell completion", .timeLimit(.minutes(2)))
struct CompletionTests {
  /// Lines up to the Tab key, and the shell's words after completion.
  private static let cases: [(typed: String, words: [String])] = [
    ("inspect ph", ["inspect", "phone/home"]),
    ("inspect tab", ["inspect", "tablet/my stack"]),
    ("inspect my", ["inspect", "my stack"]),
    ("inspect \"tablet/my", ["inspect", "tablet/my stack"]),
    ("inspect tablet/my\\ s", ["inspect", "tablet/my stack"]),
    ("stacks ta", ["stacks", "tablet"]),
    ("timeline phone:com.example.w", ["timeline", "phone:com.example.weather/Forecast"]),
    ("timeline com.example.weather/F", ["timeline", "com.example.weather/Forecast"]),
    ("timeline Fo", ["timeline", "Forecast"]),
    ("timeline phone:com.example.c", ["timeline", "phone:com.example.cards/Purchases(card=object:amex)"]),
    ("timeline Purchases\\(card=obj", ["timeline", "Purchases(card=object:amex)"]),
    (
      "timeline 'phone:com.example.cards/Purchases(c",
      ["timeline", "phone:com.example.cards/Purchases(card=object:amex)"]
    ),
    (
      "events phone --app com.example.cards --kind ",
      ["events", "phone", "--app", "com.example.cards", "--kind", "Purchases"]
    ),
    (
      "events phone --app=com.example.weather --kind ",
      ["events", "phone", "--app=com.example.weather", "--kind", "Forecast"]
    ),
    ("remove-kinds phone com.example.w", ["remove-kinds", "phone", "com.example.weather"]),
    ("remove-kinds phone com.example.cards ", ["remove-kinds", "phone", "com.example.cards", "Purchases"]),
    ("explain home --at '-1h' --js", ["explain", "home", "--at", "-1h", "--json"]),
  ]

  /// A phone with a stack whose widgets have configurations, and a tablet whose stack has a space in its name.
  private func build(_ server: InProcessServer) async throws {
    try await Fixture.build(server.connection(), members: [Fixture.forecast])
    _ = try await Relevance.provider(server.connection(), of: Relevance.amex).setRelevantShortcuts([])
    try await server.display().edit(Fixture.stack, on: Fixture.device, .add(Relevance.amex, at: nil))
    try await server.display().registerDevice(Fixture.otherDevice, timeZone: Fixture.berlin)
    try await server.display().edit(StackID("my stack"), on: Fixture.otherDevice, .create(.systemSmall))
  }

  @Test("Bash completes the names of the server in the line, with any special characters, and executes nothing")
  func bash() async throws {
    try await InProcessServer.run { server in
      try await build(server)
      let bash = try TerminalProcess(
        ["/bin/bash", "--norc", "--noprofile", "-i"],
        environment: [
          "PATH": "\(Marquee.folder):/usr/bin:/bin", "PS1": "$ ", "MARQUEE_SERVER": "unix:/nowhere/marqueed.sock",
        ], columns: 400)
      bash.type(
        "args() { printf '%s' \"$((++number))\"; printf '<%s>' \"$@\"; echo; }; "
          + "eval \"$(marquee --generate-completion-script bash)\"\r")
      var shell = CompletingShell(terminal: bash)
      for (typed, words) in Self.cases {
        let (command, rest) = (typed.prefix { $0 != " " }, typed.drop { $0 != " " })
        let expected = ["marquee", words[0], "--server", "\(server.endpoint)"] + words.dropFirst()
        try await shell.expect(expected, of: "marquee \(command) --server \(server.endpoint)\(rest)")
      }
      try await shell.expect(
        ["marquee", "inspect", "--server=\(server.endpoint)", "phone/home"],
        of: "marquee inspect --server=\(server.endpoint) ph")
      try await shell.expect(
        ["marquee", "stack", "toggle", "phone/home", "smart-rotate", "off"],
        of: "marquee stack toggle phone/home smart-rotate of")
      let created = try await server.admin().createSession(CreateSessionRequest(role: .viewer, lifetime: .hours(1)))
      try await shell.expect(
        ["marquee", "revoke-session", "--server", "\(server.endpoint)", created.session.id.text],
        of: "marquee revoke-session --server \(server.endpoint) ")
      // The default server is not running.
      try await shell.expect(["marquee", "inspect", "ph"], of: "marquee inspect ph")
      #expect(!bash.log.text.contains("Error") && !bash.log.text.contains("no server answers"))
      try await bash.kill()
    }
  }

  /// The program's response to a completion request for stacks, and its duration beyond that of a start of the program.
  private func offers(_ server: String, _ typed: String = "") async throws -> (Marquee.Outcome, Duration) {
    let directory = try TemporaryDirectory()
    let marquee = Marquee(endpoint: .unix(path: "/nowhere/marqueed.sock"), directory: directory)
    let line = ["marquee", "inspect", "--server", server, typed]
    let start = try await ContinuousClock().measure { _ = try await marquee.run(["--version"]) }
    let begin = ContinuousClock.now
    let outcome = try await marquee.run(
      ["---completion", "inspect", "--", "positional@0", "4", "\(typed.count)"] + line)
    return (outcome, begin.duration(to: .now) - start)
  }

  @Test("Without a server, or with a slow one, completion offers and prints nothing, within a second")
  func noServer() async throws {
    let silent = try SilentServer()
    for server in ["unix:/nowhere/marqueed.sock", silent.endpoint, "tcp:127.0.0.1:1", "nonsense", ""] {
      var shortest = Duration.seconds(60)
      // The machine may be busy with other tests.
      for _ in 0..<5 where shortest > .milliseconds(500) {
        let (outcome, duration) = try await offers(server)
        shortest = min(shortest, duration)
        #expect(outcome.exit == .code(0) && outcome.errors.isEmpty)
        #expect(outcome.output.allSatisfy { $0.isWhitespace }, "\(server): \(outcome.output)")
      }
      #expect(shortest < .seconds(1), "\(server)")
    }
  }
}

/// A shell whose function `args` numbers its calls and writes its arguments.
private struct CompletingShell {
  /// The maximum number of attempts per line: on a busy machine, the server can be too slow to offer names.
  private static let attemptCountMax = 10

  let terminal: TerminalProcess
  private var callCount = 0

  init(terminal: TerminalProcess) {
    self.terminal = terminal
  }

  /// Types a line and the Tab key, and expects these words after completion.
  mutating func expect(_ words: [String], of line: String) async throws {
    var found = ""
    let expected = "<\(words.joined(separator: "><"))>"
    for _ in 0..<Self.attemptCountMax where found != expected {
      callCount += 1
      // The second key moves to the beginning of the line, where the function name is inserted.
      terminal.type("\(line)\t\u{1}args \r")
      let answer = try await terminal.log.line(with: "\(callCount)<marquee>")
      found = String(answer.drop { $0 != "<" })
    }
    #expect(found == expected, "\(line)")
  }
}
