import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import NIOSSL
import Testing

@Suite("The process marqueed", .serialized, .timeLimit(.minutes(5)))
struct DaemonTests {
  static func arguments(_ directory: TemporaryDirectory) -> [String] {
    ["--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))"]
  }

  @Test("Acknowledged timelines of all providers survive kill -9 right after the acknowledgement")
  func killed() async throws {
    let directory = try TemporaryDirectory()
    let apps = try (1...4).map { try AppID("com.example.app\($0)") }
    let widgets = apps.map { Fixture.widget("Count", of: $0) }
    var published = [UInt64](repeating: 0, count: apps.count)
    for round in 1...5 {
      published = try await Daemon.run(Self.arguments(directory)) { daemon, endpoints in
        let connection = RPCClient(endpoints[0])
        if round == 1 { try await Fixture.build(connection, members: widgets) }
        try await Self.expect(widgets, atLeast: published, on: connection)
        let (before, total) = (published, Counter())
        let acknowledged = try await withThrowingTaskGroup(of: (Int, UInt64).self) { group in
          for (index, widget) in widgets.enumerated() {
            group.addTask {
              let last = try await Self.publish(widget, from: before[index] + 1, to: RPCClient(endpoints[0])) {
                // Kill the process immediately after the acknowledgement.
                if total.increment() == 40 * round { daemon.send(signal: SIGKILL) }
              }
              return (index, last)
            }
          }
          return try await group.reduce(into: before) { $0[$1.0] = $1.1 }
        }
        #expect(try await daemon.wait() == .signal(SIGKILL))
        #expect(zip(acknowledged, before).map { $0 - $1 }.reduce(0, +) >= UInt64(40 * round))
        return acknowledged
      }
    }
    try await Daemon.run(Self.arguments(directory)) { _, endpoints in
      try await Self.expect(widgets, atLeast: published, on: RPCClient(endpoints[0]))
    }
  }

  /// Publishes timelines numbered from `first`, one after another, until the connection is lost. Returns the last
  /// acknowledged number, or `first - 1`.
  static func publish(
    _ widget: Widget, from first: UInt64, to connection: RPCClient, acknowledged: @Sendable () -> Void
  ) async throws -> UInt64 {
    var last = first - 1
    let end = try await callStatus {
      var provider = try await ProviderStream(connection, app: widget.kind.app)
      while true {
        let answer = try await provider.publish(last + 1, widget, numbered(last + 1))
        #expect(answer == .accepted(last + 1))
        last += 1
        acknowledged()
      }
    }
    #expect(end?.code == .unavailable)
    return last
  }

  /// A timeline whose number is encoded in the date and score of its only entry.
  static func numbered(_ number: UInt64) -> [TimelineEntry] {
    [Fixture.entry(Fixture.after(.seconds(Int64(number))), "\(number)", score: Double(number))]
  }

  /// Checks that each widget's timeline is complete, and is the last acknowledged one or the one in flight after it.
  static func expect(_ widgets: [Widget], atLeast numbers: [UInt64], on connection: RPCClient) async throws {
    let admin = OperatorClient(connection)
    #expect(try await admin.stacks(of: Fixture.device).map(\.members) == [widgets])
    let screen = try await Watcher(DisplayClient(connection)).screen
    for (widget, number) in zip(widgets, numbers) where number > 0 {
      let found = screen.entries[widget.small]
      #expect(found == numbered(number).first || found == numbered(number + 1).first)
      let stored = try await admin.timeline(of: widget, on: Fixture.device).timeline?.entries.map(\.date)
      #expect(stored == [found?.date].compactMap { $0 })
    }
  }

  @Test("All programs print their version, and the server logs it when it listens")
  func version() async throws {
    let directory = try TemporaryDirectory()
    let marquee = Marquee(endpoint: .unix(path: directory.file("socket")), directory: directory)
    let reminders = Marquee(
      endpoint: marquee.endpoint, directory: directory, executable: "\(Marquee.folder)/marquee-reminders")
    for program in [marquee, marquee.daemon, reminders] {
      #expect(try await program("--version") == [MarqueeVersion.current])
    }
    #expect(try await marquee("stack", "create", "--version") == [MarqueeVersion.current])
    try await Daemon.run(Self.arguments(directory)) { daemon, _ in
      let listening = try await daemon.log.line(with: "] listening")
      #expect(listening.contains("version=\(MarqueeVersion.current)"))
    }
  }

  @Test("The usage of marqueed has all of its subcommands")
  func usage() async throws {
    let directory = try TemporaryDirectory()
    let marquee = Marquee(endpoint: .unix(path: directory.file("socket")), directory: directory)
    let outcome = try await marquee.daemon.run(["--help"])
    let usage = outcome.output.components(separatedBy: "OPTIONS:")[0]
    for command in ["verify", "restore", "keys", "import", "cluster init", "settings"] {
      #expect(usage.contains("marqueed \(command)"), "\(usage)")
    }
  }

  @Test("marquee and marqueed describe all of their commands in JSON, from which man pages are generated")
  func manual() async throws {
    let directory = try TemporaryDirectory()
    let marquee = Marquee(endpoint: .unix(path: directory.file("socket")), directory: directory)
    for (program, name, subcommand) in [(marquee, "marquee", "inspect"), (marquee.daemon, "marqueed", "verify")] {
      let outcome = try await program.run(["--experimental-dump-help"])
      let help = JSONDocument(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)))
      #expect(outcome.exit == .code(0) && help["serializationVersion"].number == 0)
      #expect(help["command"]["commandName"].text == name && help["command"]["abstract"].text?.isEmpty == false)
      #expect(help["command"]["subcommands"].list.contains { $0["commandName"].text == subcommand })
    }
  }

  @Test("SIGTERM drains: health is NOT_SERVING, streams end with a status, exit 0, and acknowledged data is durable")
  func drained() async throws {
    let directory = try TemporaryDirectory()
    let last = try await Daemon.run(Self.arguments(directory)) { daemon, endpoints in
      let connection = RPCClient(endpoints[0])
      try await Fixture.build(connection)
      let health = try await connection.serverStreaming(HealthService.watch, HealthCheckRequest())
      var states = health.responses.makeAsyncIterator()
      #expect(try await states.nextInTime()?.status == .serving)
      let watch = try await connection.serverStreaming(DisplayService.watch, WatchRequest(device: Fixture.device))
      let total = Counter()
      async let publishing = Self.publish(Fixture.forecast, from: 1, to: RPCClient(endpoints[0])) {
        if total.increment() == 50 { daemon.send(signal: SIGTERM) }
      }
      #expect(try await states.nextInTime()?.status == .notServing)
      #expect(try await states.nextInTime() == nil)
      let end = try await callStatus { for try await _ in watch.responses {} }
      #expect(end == RPCStatus(.unavailable, "the server is shutting down; retry later"))
      let last = try await publishing
      #expect(last >= 50)
      #expect(try await daemon.wait() == .code(0))
      #expect(!FileManager.default.fileExists(atPath: directory.file("socket")))
      return last
    }
    try await Daemon.run(Self.arguments(directory)) { _, endpoints in
      let admin = OperatorClient(RPCClient(endpoints[0]))
      let timeline = try await admin.timeline(of: Fixture.forecast, on: Fixture.device)
      let dates = timeline.timeline?.entries.map(\.date)
      #expect([last, last + 1].map { Self.numbered($0).map(\.date) }.contains(dates))
    }
  }

  @Test("SIGTERM waits for an unfinished call only for the grace period")
  func grace() async throws {
    let directory = try TemporaryDirectory()
    try await Daemon.run(Self.arguments(directory) + ["--shutdown-grace", "0.2"]) { daemon, endpoints in
      let connection = RPCClient(endpoints[0])
      try await Fixture.build(connection)
      // The call is open and has no request: only its client or the end of the grace period ends it.
      let method = AdminService.listDevices
      let call = try await connection.bidirectional(
        RPCMethod(path: method.path, kind: .bidirectional, request: method.request, response: method.response))
      _ = try await HealthClient(connection).check()
      daemon.send(signal: SIGTERM)
      let end = try await callStatus { for try await _ in call.responses {} }
      #expect(end?.code == .deadlineExceeded)
      #expect(try await daemon.wait() == .code(0))
    }
  }

  @Test("With a low file descriptor limit, connections are rejected before none is left for a backup")
  func fewFiles() async throws {
    let directory = try TemporaryDirectory()
    let command = ["-c", "ulimit -n 256; exec \"$@\"", "bash", Daemon.program] + Self.arguments(directory)
    let daemon = try Daemon(command, program: "/bin/bash")
    defer { daemon.send(signal: SIGKILL) }
    let endpoint = try await daemon.listening()[0]
    let client = RPCClient(endpoint)
    try await Fixture.build(client)
    #expect(daemon.log.text.contains("files=256") && daemon.log.text.contains("file descriptor limit"))
    var others: [RawClient] = []
    for _ in 1...300 {
      let other = try await RawClient(endpoint)
      other.push(RawFrame.hello)
      others.append(other)
    }
    var last = try #require(others.last)
    last.push(RawFrame.open(1, HealthService.check.path) + RawFrame.message(1, []))
    let answer = await last.frames()
    #expect(!answer.contains { $0.type == 4 }, "the last was not turned away")
    for try await _ in OperatorClient(client).backup() {}
  }

  @Test("The stale socket of a killed process is replaced; the socket of a running process is not")
  func staleSocket() async throws {
    let directory = try TemporaryDirectory()
    try await Daemon.run(Self.arguments(directory)) { daemon, _ in
      let other = ["--data-dir", directory.file("other"), "--listen", "unix:\(directory.file("socket"))"]
      let second = try Daemon(other)
      #expect(try await second.wait() == .code(1))
      #expect(second.log.text.contains("another server is listening on this Unix socket"))
      #expect(second.log.text.contains("cannot listen on unix:\(directory.file("socket")): "))
      let third = try Daemon(["--data-dir", directory.file("data"), "--listen", "tcp:127.0.0.1:0"])
      #expect(try await third.wait() == .code(1))
      #expect(third.log.text.contains("the data directory is in use"))
      #expect(try await daemon.kill() == .signal(SIGKILL))
    }
    #expect(FileManager.default.fileExists(atPath: directory.file("socket")))
    try await Daemon.run(Self.arguments(directory)) { _, endpoints in
      let health = try await HealthClient(RPCClient(endpoints[0])).check()
      #expect(health == .serving)
    }
  }

  @Test("A TCP endpoint accepts only TLS, with the configured certificate")
  func tls() async throws {
    let directory = try TemporaryDirectory()
    let (certificate, key) = (directory.file("certificate.pem"), directory.file("key.pem"))
    let request = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
      "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
    ]
    #expect(try await Daemon(request, program: "/usr/bin/openssl").wait() == .code(0))
    let arguments = [
      "--data-dir", directory.file("data"), "--listen", "tcp:127.0.0.1:0", "--tls-certificate-chain", certificate,
      "--tls-private-key", key, "--access-policy", try directory.write(InProcessServer.openPolicy, to: "access.yaml"),
    ]
    try await Daemon.run(arguments) { _, endpoints in
      var configuration = ClientConfiguration()
      configuration.tls = .makeClientConfiguration()
      configuration.tls?.trustRoots = .file(certificate)
      configuration.tlsServerName = "localhost"
      try await Fixture.build(RPCClient(endpoints[0], configuration: configuration))
      configuration.tlsServerName = "example.com"
      for untrusted in [RPCClient(endpoints[0], configuration: configuration), RPCClient(endpoints[0])] {
        let end = try await callStatus { _ = try await OperatorClient(untrusted).devices() }
        #expect(end?.code == .unavailable)
      }
      let plain = try await callStatus { _ = try await OperatorClient(RPCClient(endpoints[0])).devices() }
      #expect(plain?.message.hasSuffix("the peer requires TLS") == true, "\(plain?.message ?? "")")
      let marquee = Marquee(endpoint: endpoints[0], directory: directory)
      let outcome = try await marquee.run(["devices"])
      #expect(outcome.exit == .code(69))
      #expect(outcome.errors.contains("requires TLS") && outcome.errors.contains("--tls-roots"))
    }
  }
}
