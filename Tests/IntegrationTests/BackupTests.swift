import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import ServerProcess
import Testing

@Suite("Backups over sockets", .serialized, .timeLimit(.minutes(2)))
struct BackupTests {
  @Test("A restored backup of a running server has the same devices, history and decisions")
  func restored() async throws {
    try await TestServer.run { server in
      try await Home.build(server.connection())
      var sport = try await ProviderStream(server.connection(), app: Home.sportApp)
      let entries = [Home.entry(Home.after(.minutes(1)), "1:0", score: 2)]
      #expect(try await sport.publish(1, Home.score, entries) == .accepted(1))
      server.clock.advance(to: Home.after(.minutes(2)))
      let stack = try await server.admin().inspect(Home.stack, on: Home.device)
      let decisions = try await server.admin().decisions(on: Home.device).decisions
      #expect(decisions.count == 1)
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let (file, restored) = (server.directory.file("backup"), server.directory.file("restored"))
      let told = try await marquee.json("backup", file)
      #expect(told["device_count"].number == 1 && told["decision_count"].number == 1)
      let size = try Data(contentsOf: URL(filePath: file)).count
      #expect(told["findings"].list.isEmpty && told["size"].number == Double(size))
      #expect(try await marquee("verify", file)[0].hasSuffix("format \"7 XXH3\", intact."))
      #expect(try await marquee("verify", server.directory.file("data"))[0].contains(" 1 device,"))
      #expect(try await marquee("restore", file, restored) == ["Restored \(file) to \(restored)."])
      // Later events are not in the backup.
      try await server.admin().setDeveloperMode(true, on: Home.device)
      let arguments = ["--data-dir", restored, "--listen", "unix:\(server.directory.file("other"))"]
      try await Daemon.run(arguments) { _, endpoints in
        let admin = OperatorClient(RPCClient(endpoints[0]))
        #expect(try await admin.decisions(on: Home.device).decisions == decisions)
        let found = try await admin.inspect(Home.stack, on: Home.device)
        #expect(found.stack == stack.stack && !found.isDeveloperModeOn)
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: server.directory.file("data"))
      #expect(left.allSatisfy { $0 == "lock" || $0.hasPrefix("marquee.sqlite") })
    }
  }

  @Test("Existing files are not overwritten, and damaged backups are reported and not restored")
  func refused() async throws {
    try await TestServer.run { server in
      try await Home.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let file = server.directory.file("backup")
      _ = try await marquee("backup", file)
      let taken = try await marquee.run(["backup", file])
      #expect(taken.exit == .code(1) && taken.errors.contains("File exists"))
      #expect(!FileManager.default.fileExists(atPath: file + ".part"))
      let inUse = try await marquee.run(["restore", file, server.directory.file("data")])
      #expect(inUse.exit == .code(1) && inUse.errors.contains("in use"))
      var bytes = try Data(contentsOf: URL(filePath: file))
      let place = try #require(bytes.range(of: Data("com.example.weather".utf8))).lowerBound
      bytes[place] ^= 1
      try bytes.write(to: URL(filePath: file))
      let damaged = try await marquee.run(["verify", file])
      #expect(damaged.exit == .code(1) && damaged.output.contains("phone: record"))
      let restored = try await marquee.run(["restore", file, server.directory.file("other")])
      #expect(restored.exit == .code(1) && restored.errors.contains("the backup is damaged"))
      #expect(!FileManager.default.fileExists(atPath: server.directory.file("other/marquee.sqlite")))
    }
  }

  @Test("The next backup can begin after the previous one has ended")
  func oneAfterAnother() async throws {
    try await TestServer.run { server in
      try await Home.build(server.connection())
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
