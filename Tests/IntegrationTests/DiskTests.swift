import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// The behavior of `marqueed` with a full disk or a damaged file.
@Suite("Disk failures", .serialized, .timeLimit(.minutes(2)))
struct DiskTests {
  private static func arguments(_ disk: String) -> [String] {
    ["--data-dir", "\(disk)/data", "--listen", "unix:\(disk)/socket"]
  }

  /// A timeline with content of a given size, whose date encodes the number.
  private static func large(_ number: UInt64) throws -> [TimelineEntry] {
    let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number % 251), count: 60_000))
    return [TimelineEntry(date: Fixture.after(.seconds(Int64(number))), content: content)]
  }

  @Test(
    "On a full disk, writes are rejected, reads and decisions continue, and writing resumes; kill -9 loses nothing",
    .enabled("only root can mount a file system") { try SmallDisk.isPossible() })
  func full() async throws {
    let disk = try #require(try SmallDisk(size: 8_388_608))
    let ballast = "\(disk.path)/ballast"
    let last = try await Daemon.run(Self.arguments(disk.path)) { _, endpoints in
      let connection = RPCClient(endpoints[0])
      let (admin, display) = (OperatorClient(connection), DisplayClient(connection))
      try await Fixture.build(connection)
      try await admin.setDeveloperMode(true, on: Fixture.device)
      // The score soon leads to a decision by itself, whether or not writes succeed at that time.
      let soon = Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000) + 1_500)
      let lead = TimelineEntry(
        date: try #require(soon), relevance: try TimelineEntryRelevance(score: 1))
      var sport = try await ProviderStream(connection, app: Fixture.sportApp)
      #expect(try await sport.publish(1, Fixture.score, [lead]) == .accepted(1))
      var watcher = try await Watcher(display)
      let health = HealthClient(connection)
      let watch = try await connection.serverStreaming(
        HealthService.watch, HealthCheckRequest(service: ProviderService.name))
      var states = watch.responses.makeAsyncIterator()
      #expect(try await states.nextInTime()?.status == .serving)
      try Data(count: 5_242_880).write(to: URL(filePath: ballast))
      var weather = try await ProviderStream(connection, app: Fixture.weatherApp)
      var number: UInt64 = 0
      var answer = ProviderEvent.accepted(1)
      while case .accepted = answer {
        number += 1
        answer = try await weather.publish(number, Fixture.forecast, Self.large(number))
      }
      guard case .rejected(_, .resourceExhausted, let message, let delay) = answer else { throw UnexpectedEvent() }
      #expect(message.contains("the disk is full") && delay == .seconds(1))
      #expect(try await states.nextInTime()?.status == .notServing)
      #expect(try await health.check(DisplayService.name) == .notServing)
      #expect(try await health.check(AdminService.name) == .serving)
      let stored = try await admin.timeline(of: Fixture.forecast, on: Fixture.device).timeline?.entries.map(\.date)
      let accepted = try Self.large(number - 1).map(\.date)
      #expect(number > 1 && stored == accepted)
      while watcher.screen.stacks[Fixture.stack]?.frontWidget != Fixture.score { _ = try await watcher.next() }
      try FileManager.default.removeItem(atPath: ballast)
      // The stream of the rejected timeline is still open.
      #expect(try await weather.publish(number + 1, Fixture.forecast, Self.large(number + 1)) == .accepted(number + 1))
      var state = try await states.nextInTime()?.status
      while state == .notServing { state = try await states.nextInTime()?.status }
      #expect(state == .serving)
      #expect(try await health.check() == .serving)
      return number + 1
    }
    try await Daemon.run(Self.arguments(disk.path)) { _, endpoints in
      let admin = OperatorClient(RPCClient(endpoints[0]))
      let stored = try await admin.timeline(of: Fixture.forecast, on: Fixture.device).timeline?.entries.map(\.date)
      #expect(try stored == Self.large(last).map(\.date))
      #expect(try await admin.decisions(on: Fixture.device).decisions.contains { $0.to == Fixture.score })
    }
  }

  @Test("A device that cannot be read is listed with the reason, and commands continue with the other devices")
  func damagedDevice() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let kind = Fixture.widget("OnlyOnTheTablet", of: Fixture.weatherApp)
      try await Fixture.register(server.connection(), device: Fixture.otherDevice, widgets: [kind])
      let file = URL(filePath: server.directory.file("data/marquee.sqlite"))
      try await server.restart {
        var bytes = try Data(contentsOf: file)
        var count = 0
        while let place = bytes.firstRange(of: Data("OnlyOnTheTablet".utf8)) {
          bytes[place.lowerBound] ^= 1
          count += 1
        }
        #expect(count > 0)
        try bytes.write(to: file)
      }
      let devices = try await server.admin().devices().devices
      #expect(devices.map(\.device) == [Fixture.device, Fixture.otherDevice])
      #expect(devices[0].error.isEmpty && devices[0].stackCount == 1)
      #expect(devices[1].error.hasPrefix("\(StatusCode.dataLoss): "), "\(devices[1].error)")
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let problem = "tablet cannot be read: \(devices[1].error)"
      #expect(try await marquee("devices").last == problem)
      let listed = try await marquee.json("devices")["devices"].list
      #expect(listed.count == 2 && listed[0]["error"].isNull && listed[1]["error"].text == devices[1].error)
      #expect(try await marquee("stacks").count == 2)
      let top = try await marquee("top", "--once")
      #expect(top.contains { $0.contains("phone/home") } && top.contains { $0.hasPrefix("tablet cannot be read: ") })
    }
  }

  @Test("A damaged file is rejected at the start with a hint, and not modified")
  func damaged() async throws {
    let directory = try TemporaryDirectory()
    let file = URL(filePath: directory.file("data/marquee.sqlite"))
    try await Daemon.run(Self.arguments(directory.path)) { _, endpoints in
      try await Fixture.build(RPCClient(endpoints[0]))
    }
    for bytes in [Data(), Data(repeating: 7, count: 8_192)] {
      try bytes.write(to: file)
      let daemon = try Daemon(Self.arguments(directory.path))
      #expect(try await daemon.wait() == .code(1))
      #expect(daemon.log.text.contains("corrupt") && daemon.log.text.contains("marqueed restore"))
      #expect(try Data(contentsOf: file) == bytes)
    }
  }
}
