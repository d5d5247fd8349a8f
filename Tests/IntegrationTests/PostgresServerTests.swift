import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import PostgresProcess
import Testing

/// The process `marqueed` with its devices in PostgreSQL.
@Suite(
  "Servers on PostgreSQL", .serialized, .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"),
  .timeLimit(.minutes(5)))
struct PostgresServerTests {
  /// Texts of donations and timelines.
  private static let needles = ["needle-7f3a", "America's Finest City", "needle-content-41bb"]

  private static func donation(_ number: Int) -> Donation {
    let place = IntentValue.object(DisplayIdentity(identifier: needles[0], display: needles[1]))
    return Habits.donation(
      "\(needles[0])-\(number)", Habits.intent("CheckWeather", ["location": place]), at: Fixture.start, group: "diego")
  }

  private static func donate(_ connection: RPCClient) async throws -> ProviderClient {
    try await Fixture.build(connection)
    let weather = Habits.provider(connection, Fixture.weatherApp)
    try await weather.registerIntentTypes([
      Habits.type("CheckWeather", of: Fixture.weatherApp, ["location": .object], [["location"]])
    ])
    try await weather.donate([donation(0), donation(1)])
    var stream = try await ProviderStream(connection, app: Fixture.weatherApp)
    let content = try EntryContent(mediaType: "text/plain", bytes: Array(needles[2].utf8))
    let answer = try await stream.publish(
      1, Fixture.forecast, [TimelineEntry(date: Fixture.after(.seconds(60)), content: content)])
    #expect(answer == .accepted(1))
    return weather
  }

  @Test("D5 No byte of content is in PostgreSQL's files, log or backups, before and after its deletion; names are")
  func needles() async throws {
    let database = try PostgresProcess()
    let server = try PostgresServer(info: database.database())
    func check() async throws {
      for path in [database.data, try database.baseBackup(), server.directory.path] {
        #expect(try await PostgresServer.found(Self.needles, in: path) == [], "\(path)")
      }
      // The search finds a text that is there.
      #expect(try await PostgresServer.found([Fixture.device.text], in: database.data) == [Fixture.device.text])
    }
    try await Daemon.run(server.arguments) { daemon, endpoints in
      let connection = RPCClient(endpoints[0])
      let weather = try await Self.donate(connection)
      try await server.execute("CHECKPOINT")
      try await check()
      #expect(try await weather.deleteDonations(.group(.init("diego"))) == 2)
      try await server.execute("CHECKPOINT")
      try await check()
      #expect(try await OperatorClient(connection).donations(on: Fixture.device).donationCount == 0)
      try await daemon.kill()
    }
    try await Daemon.run(server.arguments) { daemon, endpoints in
      let admin = OperatorClient(RPCClient(endpoints[0]))
      let donations = try await admin.donations(on: Fixture.device)
      let timeline = try await admin.timeline(of: Fixture.forecast, on: Fixture.device)
      #expect(donations.donationCount == 0 && timeline.timeline?.entries.count == 1)
      daemon.send(signal: SIGTERM)
      #expect(try await daemon.wait() == .code(0))
    }
    let verified = try await PostgresServer.run(["verify"] + server.options)
    #expect(verified.exit == .code(0), "\(verified.log)")
    database.remove()
  }

  /// The commands of the article *Operations*, for a database of the test.
  private static func command(_ text: String, _ server: PostgresServer, _ configuration: String = "") -> [String] {
    let words = text.replacing("/etc/marquee/keys", with: server.keys).split(separator: " '").flatMap { part in
      let halves = part.split(separator: "'", maxSplits: 1)
      return halves.count == 1
        ? part.split(separator: " ").map(String.init)
        : ["postgres:\(server.info)"] + halves[1].split(separator: " ").map(String.init)
    }
    return words.dropFirst().map { $0 == "marqueed.yaml" ? configuration : $0 }
  }

  @Test("The commands of the article start a server, and list, rotate and verify while it runs")
  func commands() async throws {
    let server = try PostgresServer(info: PostgresProcess.shared().database())
    let start =
      "marqueed --config marqueed.yaml --store 'postgres:dbname=marquee' --keys /etc/marquee/keys"
    let others = [
      "marqueed keys rotate --store 'postgres:dbname=marquee' --keys /etc/marquee/keys",
      "marqueed keys list --store 'postgres:dbname=marquee' --keys /etc/marquee/keys",
      "marqueed verify --store 'postgres:dbname=marquee' --keys /etc/marquee/keys",
    ]
    let settings = """
      data-dir: \(server.directory.file("data"))
      listen: ["unix:\(server.directory.file("socket"))"]
      """
    let configuration = try server.directory.write(settings, to: "marqueed.yaml")
    func keys() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: server.keys).sorted() }
    try await Daemon.run(Self.command(start, server, configuration)) { _, endpoints in
      let connection = RPCClient(endpoints[0])
      let weather = try await Self.donate(connection)
      let first = try keys()
      #expect(first.count == 1)
      for command in others {
        let (exit, log) = try await PostgresServer.run(Self.command(command, server))
        #expect(exit == .code(0), "\(log)")
      }
      #expect(try keys().count == 2)
      #expect(try await weather.deleteDonations(.group(.init("diego"))) == 2)
      let (exit, log) = try await PostgresServer.run(Self.command(others[0], server))
      #expect(exit == .code(0), "\(log)")
      #expect(try keys().count == 2 && !keys().contains(first[0]))
      #expect(try await OperatorClient(connection).donations(on: Fixture.device).donationCount == 0)
      let backup = try await callStatus { for try await _ in OperatorClient(connection).backup() {} }
      #expect(backup?.code == .failedPrecondition && backup?.message.contains("pg_basebackup") == true)
    }
    let restore = try await PostgresServer.run(["restore", "--store", "postgres:x", "file", "directory"])
    #expect(restore.exit == .code(64) && restore.log.contains("PostgreSQL is restored with its own tools"))
  }

  @Test("The devices of a data directory can be copied to a database, which then becomes that of a cluster")
  func importAndCluster() async throws {
    let servers = try ClusterServers()
    let server = servers.server
    let single = DaemonTests.arguments(server.directory)
    try await Daemon.run(single) { daemon, endpoints in
      let weather = try await Self.donate(RPCClient(endpoints[0]))
      #expect(try await weather.deleteDonations(.group(.init("diego"))) == 2)
      let busy = try await PostgresServer.run(Self.importCommand(server, single))
      #expect(busy.exit == .code(1) && busy.log.contains("another"), "\(busy.log)")
      daemon.send(signal: SIGTERM)
      #expect(try await daemon.wait() == .code(0))
    }
    for _ in 1...2 {
      let (exit, log) = try await PostgresServer.run(Self.importCommand(server, single))
      #expect(exit == .code(0), "\(log)")
    }
    var arguments = server.arguments
    arguments[try #require(arguments.firstIndex(of: "--data-dir")) + 1] = server.directory.file("other")
    try await Daemon.run(arguments) { _, endpoints in
      let donations = try await OperatorClient(RPCClient(endpoints[0])).donations(on: Fixture.device)
      #expect(donations.donationCount == 0)
      let used = try await PostgresServer.run(Self.command(Self.initCommand, server))
      #expect(used.exit == .code(1) && used.log.contains("another server uses"), "\(used.log)")
    }
    let initial = try await PostgresServer.run(
      Self.command(Self.initCommand, server) + ["--shard-count", "\(ClusterServers.shardCount)"])
    #expect(initial.exit == .code(0), "\(initial.log)")
    let again = try await PostgresServer.run(Self.command(Self.initCommand, server))
    #expect(again.exit == .code(1) && again.log.contains("it belongs to a cluster"), "\(again.log)")
    let late = try await PostgresServer.run(Self.importCommand(server, single))
    #expect(late.exit == .code(1) && late.log.contains("it belongs to a cluster"), "\(late.log)")
    try await servers.run(["a"]) { nodes in
      let admin = OperatorClient(nodes[0].connection)
      let timeline = try await admin.timeline(of: Fixture.forecast, on: Fixture.device)
      let cluster = try await admin.cluster()
      #expect(timeline.timeline?.entries.count == 1 && cluster.nodes.map(\.name) == ["a"])
    }
    let verified = try await PostgresServer.run(["verify"] + server.options)
    #expect(verified.exit == .code(0), "\(verified.log)")
  }

  /// The commands of the article *Clusters*.
  private static let initCommand =
    "marqueed cluster init --store 'postgres:dbname=marquee' --keys /etc/marquee/keys"

  private static func importCommand(_ server: PostgresServer, _ arguments: [String]) throws -> [String] {
    let directory = try #require(arguments.firstIndex(of: "--data-dir")) + 1
    let command =
      "marqueed import /var/lib/marquee --store 'postgres:dbname=marquee' --keys /etc/marquee/keys"
    return Self.command(command, server).map { $0 == "/var/lib/marquee" ? arguments[directory] : $0 }
  }

  @Test("Without the database, calls end with UNAVAILABLE, and succeed again once it is back, without a restart")
  func gone() async throws {
    let database = try PostgresProcess()
    let server = try PostgresServer(info: database.database())
    try await Daemon.run(server.arguments) { daemon, endpoints in
      let connection = RPCClient(endpoints[0])
      _ = try await Self.donate(connection)
      let display = DisplayClient(connection)
      for kill in [true, false] {
        let tablet = try DeviceID("tablet-\(kill)")
        try kill ? database.kill() : database.stop()
        let status = try await callStatus { try await display.registerDevice(tablet, timeZone: Fixture.berlin) }
        #expect(status?.code == .unavailable, "\(String(describing: status))")
        #expect(status?.message.contains(database.directory.path) == false)
        try database.start()
        // The device may be loaded a second after a failure.
        var next: RPCStatus? = status
        while let last = next {
          try #require(last.code == .unavailable)
          next = try await callStatus { try await display.registerDevice(tablet, timeZone: Fixture.berlin) }
        }
        #expect(try await OperatorClient(connection).donations(on: Fixture.device).donationCount == 2)
      }
      daemon.send(signal: SIGTERM)
      #expect(try await daemon.wait() == .code(0))
    }
    database.remove()
  }

  @Test(
    "A full disk of the database rejects writes with RESOURCE_EXHAUSTED, and writing resumes",
    .enabled("only root can mount a file system") { try SmallDisk.isPossible() })
  func full() async throws {
    let database = try PostgresProcess()
    let disk = try #require(try SmallDisk(size: 25_165_824))
    database.own(disk.path)
    try database.createDatabase("small", in: disk.path)
    let server = try PostgresServer(info: database.info("small"))
    try await Daemon.run(server.arguments) { _, endpoints in
      let connection = RPCClient(endpoints[0])
      try await Fixture.build(connection)
      let ballast = "\(disk.path)/ballast"
      try Data(count: 8_388_608).write(to: URL(filePath: ballast))
      var weather = try await ProviderStream(connection, app: Fixture.weatherApp)
      var number: UInt64 = 0
      var rejection: RPCStatus?
      while rejection == nil {
        number += 1
        let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number % 251), count: 60_000))
        let answer = try await weather.publish(
          number, Fixture.forecast, [TimelineEntry(date: Fixture.after(.seconds(Int64(number))), content: content)])
        if answer != .accepted(number) { rejection = answer.rejection }
      }
      #expect(rejection?.code == .resourceExhausted, "\(String(describing: rejection))")
      try FileManager.default.removeItem(atPath: ballast)
      let display = DisplayClient(connection)
      let device = try DeviceID("new")
      #expect(try await callStatus { try await display.registerDevice(device, timeZone: Fixture.berlin) } == nil)
    }
    database.remove()
  }
}
