import Configuration
import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import Testing

@Suite("Configuration of marqueed", .serialized, .timeLimit(.minutes(5)))
struct ConfigurationTests {
  /// The required values of a stack's gates, by gate.
  static func required(_ endpoint: Endpoint) async throws -> [Gate: Double] {
    let connection = RPCClient(endpoint)
    try await Fixture.build(connection)
    let explanation = try await OperatorClient(connection).explanation(of: Fixture.stack, on: Fixture.device)
      .explanation
    let gates = try #require(explanation.candidates.first { !$0.isInFront }).gates
    return Dictionary(uniqueKeysWithValues: gates.map { ($0.gate, $0.required) })
  }

  @Test("An option overrides a variable, a variable the file, and the file the defaults")
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

  @Test("Variables alone can configure the server, including several endpoints")
  func variables() async throws {
    let directory = try TemporaryDirectory()
    let environment = [
      "MARQUEED_DATA_DIR": directory.file("data"),
      "MARQUEED_LISTEN": "unix:\(directory.file("socket")),tcp:127.0.0.1:0", "MARQUEED_LIMITS_STACK_COUNT_MAX": "1",
      "MARQUEED_ACCESS_POLICY": try directory.write(InProcessServer.openPolicy, to: "access.yaml"),
    ]
    try await Daemon.run([], environment: environment) { _, endpoints in
      #expect(endpoints.count == 2)
      try await Fixture.build(RPCClient(endpoints[1]))
      let end = try await callStatus {
        try await DisplayClient(RPCClient(endpoints[0])).edit(
          StackID("second"), on: Fixture.device, .create(.systemSmall))
      }
      #expect(end?.code == .resourceExhausted && end?.message.contains("stack-count-max") == true)
    }
  }

  /// Invalid settings, and the words that the message must contain.
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
      Mistake(options: ["--protocols", "http"], words: ["protocols", "'http' is not one of native, grpc, connect"]),
      Mistake(
        options: ["--protocols", "grpc", "--protocols", "grpc"], words: ["protocols", "duplicate value 'grpc'"]),
      Mistake(file: "protocols: []\n", words: ["protocols", "no protocol configured"]),
      Mistake(options: ["--hosts", "a.example:80"], words: ["hosts", "'a.example:80' is not a host"]),
      Mistake(options: ["--origins", "https://a.example/"], words: ["origins", "a.example/' is not"]),
      Mistake(options: ["--origins", "*"], words: ["origins", "'*' is not an origin"]),
      Mistake(options: ["--shutdown-grace=-1"], words: ["shutdown-grace", "0 to 86400"]),
      Mistake(options: ["--shutdown-grace=inf"], words: ["shutdown-grace", "inf is out of range: must be 0 to 86400"]),
      Mistake(
        file: "slow-call-threshold: .nan\n",
        words: ["slow-call-threshold", "nan is out of range: must be 0 to 86400"]),
      Mistake(options: ["--clock", "manual=9999999999-01-01T00:00:00Z"], words: ["clock", "1970 to 9999"]),
      Mistake(options: ["--log-level", "a\u{1B}[2Jb"], words: ["log-level", "a\\u{1B}[2Jb"]),
      Mistake(options: ["--a\u{1B}[2Jb"], words: ["Unknown option", "a\\u{1B}[2Jb", "Usage: marqueed"]),
      Mistake(options: ["verify", "/nowhere"], words: ["options", "subcommand"]),
      Mistake(options: ["\u{202E}"], words: ["no command is called", "\\u{202E}"]),
      Mistake(file: "a: &a {x: y}\nb: {? *a : 1}\n", words: ["--config", "line 2: YAML aliases"]),
      Mistake(options: ["--clock", "sundial"], words: ["clock", "sundial", "manual=TIME"]),
      Mistake(options: ["--clock", "manual=noon"], words: ["clock", "noon", "2026-03-04T08:00:00Z"]),
      Mistake(options: ["--log-level", "loud"], words: ["log-level", "loud"]),
      Mistake(options: ["--tls-private-key", "/x"], words: ["tls", "together"]),
      Mistake(options: ["--tls-client-roots", "/x"], words: ["tls", "together"]),
      Mistake(options: ["--socket-mode", "777"], words: ["socket-mode", "777"]),
      Mistake(options: ["--access-policy", "/nowhere"], words: ["access-policy", "cannot be read"]),
      Mistake(variables: ["MARQUEED_POLICY_DWELL": "soon"], words: ["policy.dwell", "must be a number"]),
      Mistake(variables: ["MARQUEED_POLICY_TIMELINE_WEIGHT": "1"], words: ["policy.timeline-weight", "below 1"]),
      Mistake(variables: ["MARQUEED_LIMITS_ENTRY_COUNT_MAX": "-3"], words: ["limits.entry-count-max", "-3"]),
      Mistake(variables: ["MARQUEED_LISTEN": "nowhere"], words: ["listen", "'tcp:' or 'unix:'"]),
      Mistake(variables: ["MARQUEED_ALLOW_REMOTE": "perhaps"], words: ["allow-remote", "must be true or false"]),
      Mistake(file: "policy:\n  hold: soon\n", words: ["policy.hold", "must be a number"]),
      Mistake(file: "policy:\n  hold: 5 min\n", words: ["policy.hold", "a duration such as 5m or 1h30m"]),
      Mistake(
        options: ["--tls-certificate-chain", "/nowhere/chain", "--tls-private-key", "/nowhere/key"],
        words: ["tls.certificate-chain: the file /nowhere/chain cannot be read"]),
      Mistake(file: "policy: [", words: ["--config", "YAML"]),
      Mistake(options: ["--tls-version-min", "1.3"], words: ["tls.version-min", "without certificate-chain"]),
      Mistake(
        file: "limits: {entry-count-maxx: 1}\n",
        words: [
          "--config: line 1, column 10: limits.entry-count-maxx: unknown setting",
          "did you mean limits.entry-count-max?",
        ]),
      Mistake(
        file: "\nshutdowngrace: 3\n", words: ["line 2, column 1: shutdowngrace", "did you mean shutdown-grace?"]),
      Mistake(file: "tls: {version-mni: 1.3}\n", words: ["tls.version-mni", "did you mean tls.version-min?"]),
      Mistake(file: "limits: {entry-count-max: [1]}\n", words: ["limits.entry-count-max", "one value, found a list"]),
      Mistake(file: "policy: {dwell: {seconds: 1}}\n", words: ["policy.dwell", "one value, found a mapping"]),
      Mistake(file: "policy: 1\n", words: ["policy", "a mapping, found one value"]),
      Mistake(file: "listen: unix:/socket\n", words: ["listen", "a list, found one value"]),
      Mistake(file: "[a]\n", words: ["--config", "a mapping of settings"]),
      Mistake(
        variables: ["MARQUEED_SLOWCALL_THRESHOLD": "1"],
        words: ["MARQUEED_SLOWCALL_THRESHOLD", "did you mean MARQUEED_SLOW_CALL_THRESHOLD?"]),
    ]
  }

  @Test("An invalid setting ends the start with exit code 64 and a message that names the key", arguments: Mistake.all)
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
    #expect(daemon.log.text.visible(keepsLines: true) == daemon.log.text)
    for word in mistake.words { #expect(daemon.log.text.contains(word), "\(daemon.log.text)") }
  }

  @Test(
    "A settings file that is expensive to parse as YAML ends the start at once",
    arguments: [
      "\"" + String(repeating: "\u{301}\u{316}", count: 250_000) + "\": 1\n",
      "\"" + String(repeating: #"\u0301\u0316"#, count: 80_000) + "\": 1\n",
      String(repeating: "%TAG !a! b\n", count: 80_000) + "--- {}\n",
      (1...100_000).map { "a\($0):" }.joined(separator: "\n"),
    ])
  func costlyFiles(text: String) async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(text, to: "marqueed.yaml")
    let daemon = try Daemon(["--config", file, "--data-dir", directory.file("data")], environment: [:])
    #expect(try await daemon.wait() == .code(64))
    #expect(daemon.log.text.contains("--config: line"), "\(daemon.log.text)")
  }

  @Test("The settings that 'marqueed settings' prints change nothing, and are the defaults once the # is removed")
  func template() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("settings.yaml")
    let process = try Daemon(["-c", "exec '\(Daemon.program)' settings >'\(file)'"], program: "/bin/bash")
    #expect(try await process.wait() == .code(0), "\(process.log.text)")
    try await Daemon.run(DaemonTests.arguments(directory) + ["--config", file]) { _, endpoints in
      #expect(endpoints.count == 1)
    }
    let template = try String(contentsOfFile: file, encoding: .utf8)
    let settings = template.replacing(#/(?m)^( *)#([a-z])/#) { "\($0.1)\($0.2)" }
    let set = try directory.write(settings, to: "set.yaml")
    try SettingsFile.check(settingsAt: set)
    let reader = ConfigReader(provider: try await FileProvider<YAMLSnapshot>(filePath: .init(set)))
    let shown = try MarqueeConfiguration(reading: reader)
    let standard = MarqueeConfiguration(dataDirectory: "", endpoints: [])
    #expect(shown.policy == standard.policy && shown.limits == standard.limits)
    for name in MarqueeConfiguration.limitNames { #expect(shown[limit: name] == standard[limit: name], "\(name)") }
    #expect(shown.shutdownGrace == standard.shutdownGrace && shown.clock == standard.clock)
    #expect(shown.cachedDeviceCountMax == standard.cachedDeviceCountMax)
    #expect(shown.tls?.versionMin == .tls12 && shown.metricsHosts == ["metrics.example.com:8080"])
    let keys = settings.split(separator: "\n").filter { !$0.contains(/^ *#/) && !$0.hasSuffix(":") }
    #expect(keys.count == Setting.all.count)
  }

  @Test("Times in seconds can be written with units, in the settings file and in variables")
  func durations() async throws {
    let directory = try TemporaryDirectory()
    let text = """
      data-dir: /nowhere
      listen: [unix:/nowhere/socket]
      policy: {dwell: 5m, hold: 1h30m, point-length: 90}
      shutdown-grace: 2m
      """
    let file = try directory.write(text, to: "marqueed.yaml")
    try SettingsFile.check(settingsAt: file)
    let reader = ConfigReader(provider: try await FileProvider<YAMLSnapshot>(filePath: .init(file)))
    let configuration = try MarqueeConfiguration(reading: reader)
    #expect(configuration.policy.dwell == .minutes(5) && configuration.policy.hold == .minutes(90))
    #expect(configuration.policy.pointLength == .seconds(90) && configuration.shutdownGrace == .seconds(120))
  }

  @Test("The variables that Kubernetes sets for a service named marqueed are ignored")
  func kubernetes() async throws {
    let directory = try TemporaryDirectory()
    let variables = [
      "MARQUEED_SERVICE_HOST": "10.0.0.1", "MARQUEED_SERVICE_PORT_GRPC": "7000", "MARQUEED_PORT": "tcp://10.0.0.1:7000",
      "MARQUEED_PORT_7000_TCP_ADDR": "10.0.0.1",
    ]
    try await Daemon.run(DaemonTests.arguments(directory), environment: variables) { _, endpoints in
      #expect(endpoints.count == 1)
    }
  }

  @Test("TCP on non-loopback addresses is served without TLS if allow-plaintext is set")
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
