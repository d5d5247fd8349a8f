import MarqueeClient
import MarqueeModel
import MarqueeServer
import MarqueeTestSupport
import MarqueeWire
import Testing

@Suite("Limits over sockets", .timeLimit(.minutes(2)))
struct LimitTests {
  @Test("Exceeding a limit is rejected with an error that names the limit", arguments: LimitCase.all)
  func rejected(limit: LimitCase) async throws {
    try await InProcessServer.run(limit.change) { server in
      let end = try await limit.pass(server)
      #expect(end?.code == limit.code, "\(end as Any)")
      let names = ["\(limit.name) (", "\(limit.name): ", "(\(limit.name))"]
      #expect(names.contains { end?.message.contains($0) == true }, "\(end as Any)")
    }
  }

  /// Limits of the metrics endpoint, which the tests of MarqueePrometheus cover, and limits that reject nothing.
  private static let otherNames =
    ["connection-count", "address-connection-count", "header-time", "idle-time"].map { "metrics-\($0)-max" }
    + ["unplaced-timeline-count-max", "unplaced-timeline-size-max"]
    + ["past-event-count-max", "past-timeline-count-max", "past-entry-count-max"]

  @Test("Every limit in GetLimits has a limit case")
  func complete() async throws {
    let told = try await InProcessServer.run { server in try await server.admin().limits() }
    #expect(told.map(\.name).sorted() == (LimitCase.names + Self.otherNames).sorted())
    #expect(told.filter { $0.origin == .settings }.map(\.name) == MarqueeConfiguration.limitNames)
    let differing = told.filter { $0.maximum != $0.defaultValue }.map(\.name)
    // Without an access policy, only the server's own user has permissions, and its calls are not limited.
    #expect(differing == ["call-rate-max", "call-burst-max"])
  }

  @Test("Limits are listed with current use and user, for the server and for one device")
  func uses() async throws {
    let directory = try TemporaryDirectory()
    let policy = try directory.write(InProcessServer.openPolicy + "limits: {call-rate-max: 7}\n", to: "access.yaml")
    try await InProcessServer.run({
      $0.accessPolicy = policy
      $0.limits.stackCountMax = 3
    }) { server in
      let connection = server.connection()
      try await Fixture.build(connection)
      try await Fixture.build(connection, device: Fixture.otherDevice)
      try await DisplayClient(connection).edit(StackID("second"), on: Fixture.otherDevice, .create(.systemSmall))
      let soup = Habits.provider(connection)
      try await soup.donate([Habits.donation("a", Habits.intent("T")), Habits.donation("b", Habits.intent("T"))])
      let watch = try await Watcher(DisplayClient(connection))
      let limits = try await OperatorClient(connection).limits()
      func limit(_ name: String) -> LimitStatus? { limits.first { $0.name == name } }
      let stacks = try #require(limit("stack-count-max"))
      #expect(stacks.use == 2 && stacks.usedBy == "tablet" && stacks.maximum == 3 && stacks.defaultValue == 64)
      #expect(limit("donation-count-max")?.use == 2 && limit("donation-count-max")?.usedBy == "phone")
      #expect(limit("device-count-max")?.use == 2)
      #expect(limit("connection-count-max")?.use == 1 && limit("address-connection-count-max")?.use == 0)
      // The watch, and this call.
      #expect(limit("stream-count-max")?.use == 2)
      #expect(limit("queued-event-count-max")?.use == 0 && limit("backup-count-max")?.use == 0)
      #expect(limit("call-rate-max")?.maximum == 7 && limit("call-rate-max")?.origin == .accessPolicy)
      let own = try await OperatorClient(connection).limits(of: Fixture.device)
      let uses = Dictionary(uniqueKeysWithValues: own.map { ($0.name, $0.use) })
      #expect(uses["stack-count-max"] == 1 && uses["member-count-max"] == 2 && uses["app-count-max"] == 3)
      #expect(uses["app-donation-count-max"] == 2 && uses["kind-count-max"] == 1 && uses["device-count-max"] == nil)
      #expect(own.first { $0.name == "app-donation-count-max" }?.usedBy == Habits.soupApp.text)
      #expect(try await callStatus { _ = try await server.admin().limits(of: DeviceID("none")) }?.code == .notFound)
      _ = watch
    }
  }

  @Test("The device count is restored after a restart, and existing devices can always be registered")
  func population() async throws {
    try await InProcessServer.run({ $0.deviceCountMax = 2 }) { server in
      for device in [Fixture.device, Fixture.otherDevice] {
        try await server.display().registerDevice(device, timeZone: Fixture.berlin)
      }
      try await server.restart()
      try await server.display().registerDevice(Fixture.device, timeZone: Fixture.berlin)
      let third = try await callStatus {
        try await server.display().registerDevice(DeviceID("third"), timeZone: Fixture.berlin)
      }
      #expect(third?.code == .resourceExhausted)
      #expect(try await server.admin().limits().first { $0.name == "device-count-max" }?.use == 2)
    }
  }

  @Test("The command lists limits as a table or as JSON, for the server and for a device")
  func command() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let lines = try await marquee("limits")
      #expect(lines.count == LimitCase.names.count + Self.otherNames.count + 1)
      #expect(lines[0].split(separator: " ").prefix(3) == ["NAME", "USED", "LIMIT"])
      let stacks = try #require(lines.first { $0.hasPrefix("stack-count-max ") })
      #expect(stacks.split(separator: " ").map(String.init).prefix(4) == ["stack-count-max", "1", "64", "64"])
      let own = try await marquee.json("limits", "phone")
      let members = own["limits"].list.first { $0["name"].text == "member-count-max" }
      #expect(own["device"].text == "phone" && members?["use"].number == 2 && members?["used_by"].text == "home")
      #expect(members?["set_in"].text == "settings" && members?["bounds"].text == "widgets in a stack")
    }
  }
}
