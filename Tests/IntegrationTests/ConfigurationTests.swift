import MarqueeClient
import MarqueeModel
import MarqueeTransport
import ServerProcess
import Testing

@Suite("Settings of marqueed", .serialized, .timeLimit(.minutes(5)))
struct ConfigurationTests {
  /// The numbers that a stack's gates require, by gate.
  static func required(_ endpoint: Endpoint) async throws -> [Gate: Double] {
    let connection = RPCClient(endpoint)
    try await Home.build(connection)
    let explanation = try await OperatorClient(connection).explanation(of: Home.stack, on: Home.device).explanation
    let gates = try #require(explanation.candidates.first { !$0.isInFront }).gates
    return Dictionary(uniqueKeysWithValues: gates.map { ($0.gate, $0.required) })
  }

  @Test("An option wins over a variable, a variable over the file, and the file over the defaults")
  func precedence() async throws {
    let directory = try TemporaryDirectory()
    let socket = { (name: String) in "unix:\(directory.file(name))" }
    let file = try directory.write(
      """
      data-dir: \(directory.file("file"))
      listen: ["\(socket("file.sock"))"]
      policy:
        dwell: 60
        hold: 120
      """, to: "marqueed.yaml")
    let variables = ["MARQUEED_LISTEN": socket("variable.sock"), "MARQUEED_POLICY_DWELL": "30"]
    try await Daemon.run(["--config", file]) { _, endpoints in
      #expect(endpoints.map(\.description) == [socket("file.sock")])
      let required = try await Self.required(endpoints[0])
      #expect(required[.dwell] == 60 && required[.hold] == 120 && required[.rotationBudget] == 48)
    }
    let second = ["--config", file, "--data-dir", directory.file("second")]
    try await Daemon.run(second, environment: variables) { _, endpoints in
      #expect(endpoints.map(\.description) == [socket("variable.sock")])
      let required = try await Self.required(endpoints[0])
      #expect(required[.dwell] == 30 && required[.hold] == 120)
    }
    let third = ["--config", file, "--data-dir", directory.file("third"), "--listen", socket("option.sock")]
    try await Daemon.run(third, environment: variables) { _, endpoints in
      #expect(endpoints.map(\.description) == [socket("option.sock")])
    }
  }

  @Test("It can be set up by variables alone, several endpoints among them")
  func variables() async throws {
    let directory = try TemporaryDirectory()
    let environment = [
      "MARQUEED_DATA_DIR": directory.file("data"),
      "MARQUEED_LISTEN": "unix:\(directory.file("socket")),tcp:127.0.0.1:0", "MARQUEED_LIMITS_STACK_COUNT_MAX": "1",
      "MARQUEED_ACCESS_POLICY": try directory.write(TestServer.openPolicy, to: "access.yaml"),
    ]
    try await Daemon.run([], environment: environment) { _, endpoints in
      #expect(endpoints.count == 2)
      try await Home.build(RPCClient(endpoints[1]))
      let end = try await status {
        try await DisplayClient(RPCClient(endpoints[0])).edit(
          StackID("second"), on: Home.device, .create(.systemSmall))
      }
      #expect(end?.code == .resourceExhausted && end?.message.contains("stack-count-max") == true)
    }
  }

  /// Settings that cannot be meant, and what the message must say.
  struct Mistake: Sendable, CustomTestStringConvertible {
    var options: [String] = []
    var variables: [String: String] = [:]
    var file: String?
    var isComplete = true
    let words: [String]
    var testDescription: String { words.joined(separator: " ") }

    static let all = [
      Mistake(isComplete: false, words: ["data-dir", "required"]),
      Mistake(options: ["--data-dir", "/tmp"], isComplete: false, words: ["listen", "no endpoint"]),
      Mistake(options: ["--listen", "tcp:0.0.0.0:0"], words: ["listen", "0.0.0.0", "allow-remote"]),
      Mistake(options: ["--listen", "tcp:[::]:0", "--allow-remote"], words: ["listen", "[::]", "allow-plaintext"]),
      Mistake(options: ["--listen", "http://x"], words: ["listen", "'tcp:' or 'unix:'"]),
      Mistake(options: ["--listen", "tcp:127.0.0.1:70000"], words: ["listen", "65535"]),
      Mistake(options: ["--shutdown-grace=-1"], words: ["shutdown-grace", "negative"]),
      Mistake(options: ["--clock", "sundial"], words: ["clock", "sundial", "manual=TIME"]),
      Mistake(options: ["--clock", "manual=noon"], words: ["clock", "noon", "2026-03-04T08:00:00Z"]),
      Mistake(options: ["--log-level", "loud"], words: ["log-level", "loud"]),
      Mistake(options: ["--tls-private-key", "/x"], words: ["tls", "together"]),
      Mistake(options: ["--tls-client-roots", "/x"], words: ["tls", "together"]),
      Mistake(options: ["--socket-mode", "777"], words: ["socket-mode", "777"]),
      Mistake(options: ["--access-policy", "/nowhere"], words: ["access-policy", "cannot be read"]),
      Mistake(variables: ["MARQUEED_POLICY_DWELL": "soon"], words: ["policy.dwell", "not a number"]),
      Mistake(variables: ["MARQUEED_POLICY_TIMELINE_WEIGHT": "1"], words: ["policy.timeline-weight", "below 1"]),
      Mistake(variables: ["MARQUEED_LIMITS_ENTRY_COUNT_MAX": "-3"], words: ["limits.entry-count-max", "-3"]),
      Mistake(variables: ["MARQUEED_LISTEN": "nowhere"], words: ["listen", "'tcp:' or 'unix:'"]),
      Mistake(variables: ["MARQUEED_ALLOW_REMOTE": "perhaps"], words: ["allow-remote", "neither true nor false"]),
      Mistake(file: "policy:\n  hold: soon\n", words: ["policy.hold", "not a number"]),
      Mistake(file: "policy: [", words: ["--config", "YAML"]),
    ]
  }

  @Test("A wrong setting ends the start with exit code 64 and a message that names the key", arguments: Mistake.all)
  func mistakes(mistake: Mistake) async throws {
    let directory = try TemporaryDirectory()
    var options = mistake.options
    if let file = mistake.file { options += ["--config", try directory.write(file, to: "marqueed.yaml")] }
    if mistake.isComplete {
      options += ["--data-dir", directory.file("data")]
      let isListening = options.contains("--listen") || mistake.variables["MARQUEED_LISTEN"] != nil
      if !isListening { options += ["--listen", "unix:\(directory.file("socket"))"] }
    }
    let daemon = try Daemon(options, environment: mistake.variables)
    #expect(try await daemon.wait() == .code(64))
    for word in mistake.words { #expect(daemon.log.text.contains(word), "\(daemon.log.text)") }
  }

  @Test("TCP beyond loopback is served without TLS when that is allowed too")
  func remote() async throws {
    let directory = try TemporaryDirectory()
    let arguments = [
      "--data-dir", directory.file("data"), "--listen", "tcp:0.0.0.0:0", "--allow-remote", "--allow-plaintext",
    ]
    try await Daemon.run(arguments) { _, endpoints in
      guard case .tcp("0.0.0.0", let port) = endpoints[0] else { throw UnexpectedEvent() }
      let health = try await HealthClient(RPCClient(.tcp(host: "127.0.0.1", port: port))).check()
      #expect(health == .serving)
    }
  }
}
