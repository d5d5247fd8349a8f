import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Backups over sockets", .serialized, .timeLimit(.minutes(2)))
struct BackupTests {
  @Test("A restored backup of a running server has the same devices, history and decisions")
  func restored() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let entries = [Fixture.entry(Fixture.after(.minutes(1)), "1:0", score: 2)]
      #expect(try await sport.publish(1, Fixture.score, entries) == .accepted(1))
      server.clock.advance(to: Fixture.after(.minutes(2)))
      let stack = try await server.admin().inspect(Fixture.stack, on: Fixture.device)
      let decisions = try await server.admin().decisions(on: Fixture.device).decisions
      #expect(decisions.count == 1)
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let (file, restored) = (server.directory.file("backup"), server.directory.file("restored"))
      let told = try await marquee.json("backup", file)
      #expect(told["device_count"].number == 1 && told["decision_count"].number == 1)
      let size = try Data(contentsOf: URL(filePath: file)).count
      #expect(told["findings"].list.isEmpty && told["size"].number == Double(size))
      #expect(try await marquee.daemon("verify", file)[0].hasSuffix("format \"8 removal\", intact."))
      #expect(try await marquee.daemon("verify", server.directory.file("data"))[0].contains(" 1 device,"))
      #expect(try await marquee.daemon("restore", file, restored) == ["Restored \(file) to \(restored)."])
      // Later events are not in the backup.
      try await server.admin().setDeveloperMode(true, on: Fixture.device)
      let arguments = ["--data-dir", restored, "--listen", "unix:\(server.directory.file("other"))"]
      try await Daemon.run(arguments) { _, endpoints in
        let admin = OperatorClient(RPCClient(endpoints[0]))
        #expect(try await admin.decisions(on: Fixture.device).decisions == decisions)
        let found = try await admin.inspect(Fixture.stack, on: Fixture.device)
        #expect(found.stack == stack.stack && !found.isDeveloperModeOn)
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: server.directory.file("data"))
      #expect(left.allSatisfy { $0 == "lock" || $0.hasPrefix("marquee.sqlite") })
    }
  }

  @Test("Existing files are not overwritten, and damaged backups are reported and not restored")
  func rejected() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let file = server.directory.file("backup")
      // An interrupted backup has left it.
      try Data(count: 100_000_000).write(to: URL(filePath: file + ".part"))
      _ = try await marquee("backup", file)
      let taken = try await marquee.run(["backup", file])
      #expect(taken.exit == .code(1) && taken.errors.contains("File exists"))
      #expect(!FileManager.default.fileExists(atPath: file + ".part"))
      let inUse = try await marquee.daemon.run(["restore", file, server.directory.file("data")])
      #expect(inUse.exit == .code(1) && inUse.errors.contains("in use"))
      var bytes = try Data(contentsOf: URL(filePath: file))
      let place = try #require(bytes.range(of: Data("com.example.weather".utf8))).lowerBound
      bytes[place] ^= 1
      try bytes.write(to: URL(filePath: file))
      let damaged = try await marquee.daemon.run(["verify", file])
      #expect(damaged.exit == .code(1) && damaged.output.contains("phone: record"))
      let restored = try await marquee.daemon.run(["restore", file, server.directory.file("other")])
      #expect(restored.exit == .code(1) && restored.errors.contains("the backup is damaged"))
      #expect(!FileManager.default.fileExists(atPath: server.directory.file("other/marquee.sqlite")))
    }
  }

  @Test("Errors of verify and restore have the status 1, name the path, and cannot control the terminal")
  func unreadable() async throws {
    let directory = try TemporaryDirectory()
    let daemon = Marquee(endpoint: .unix(path: "/nowhere/marqueed.sock"), directory: directory).daemon
    let path = directory.file("a\u{1B}[2Jb")
    for arguments in [["verify", path], ["restore", path, directory.file("data")]] {
      let outcome = try await daemon.run(arguments)
      #expect(outcome.exit == .code(1) && outcome.output.isEmpty)
      #expect(outcome.errors.hasPrefix("Error: \(directory.file("a\\u{1B}[2Jb")): "), "\(outcome.errors)")
    }
    let outcome = try await daemon.run(["verify", path, "--json"])
    let start = #"{"error":{"code":"FAILED_PRECONDITION","message":"\#(directory.file(#"a\u001b[2Jb"#)): "#
    #expect(outcome.exit == .code(1) && outcome.output.isEmpty && outcome.errors.hasPrefix(start), "\(outcome.errors)")
    let incomplete = try await daemon.run(["restore", path])
    #expect(incomplete.exit == .code(64) && incomplete.errors.contains("<directory>"))
  }

  @Test("A mistyped command of marqueed gets a suggestion")
  func mistyped() async throws {
    let directory = try TemporaryDirectory()
    let daemon = Marquee(endpoint: .unix(path: "/nowhere/marqueed.sock"), directory: directory).daemon
    let outcome = try await daemon.run(["verfy", "/nowhere"])
    #expect(outcome.exit == .code(64) && outcome.output.isEmpty)
    #expect(
      outcome.errors.hasPrefix("Error: no command is called \"verfy\"\nDid you mean \"verify\"?\n"), "\(outcome.errors)"
    )
    let json = try await daemon.run(["setings", "--json"])
    #expect(json.exit == .code(64) && json.output.isEmpty)
    #expect(json.errors.contains(#""message":"no command is called \"setings\"","#), "\(json.errors)")
    #expect(json.errors.contains(#""hints":["Did you mean \"settings\"?"]"#), "\(json.errors)")
    let strange = try await daemon.run(["\u{1B}[2J"])
    #expect(strange.exit == .code(64) && strange.errors.hasPrefix(#"Error: no command is called "\u{1B}[2J""#))
    let option = try await daemon.run(["--data-dri", "/nowhere"])
    #expect(option.exit == .code(64) && option.errors.contains("--data-dri"))
  }

  @Test("A backup that marqueed finds damaged, or cannot verify, is a failure; it is not verified only on request")
  func verification() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let file = server.directory.file("backup")
      let missing = try await marquee.alone().run(["backup", file])
      #expect(missing.exit == .code(69) && missing.errors.contains("marqueed, which must be installed next to marquee"))
      #expect(!FileManager.default.fileExists(atPath: file))
      let unverified = try await marquee.alone().run(["backup", file, "--no-verify"])
      #expect(unverified.exit == .code(0) && unverified.errors.contains("not verified"))
      #expect(try await marquee.daemon("verify", file)[0].contains("intact"))
      let damaged = try await marquee.alone(server: "echo phone: record 1: damaged; exit 1").run(["backup", file + "2"])
      #expect(damaged.exit == .code(70) && damaged.output.hasSuffix(" bytes.\nphone: record 1: damaged\n"))
      #expect(damaged.errors == "marquee: the server's store is damaged\n")
      let broken = try await marquee.alone(server: "echo broken >&2; exit 1").run(["backup", file + "3"])
      #expect(broken.exit == .code(70) && broken.output.isEmpty)
      #expect(broken.errors.hasPrefix("broken\n") && broken.errors.contains("could not be verified"))
    }
  }

  @Test("The next backup can begin after the previous one has ended")
  func oneAfterAnother() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let first = try await server.connection().serverStreaming(AdminService.backup, BackupRequest())
      var parts = first.responses.makeAsyncIterator()
      #expect(try await parts.next()?.offset == 0)
      while try await parts.next() != nil {}
      var size = 0
      for try await part in server.admin().backup() { size += part.content.count }
      #expect(size > 4_096)
    }
  }
}
