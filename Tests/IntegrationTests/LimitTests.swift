import MarqueeClient
import MarqueeModel
import MarqueeServer
import MarqueeWire
import ServerProcess
import Testing

@Suite("Limits through the sockets", .timeLimit(.minutes(2)))
struct LimitTests {
  @Test("What passes a limit is refused with its name", arguments: LimitCase.all)
  func refused(limit: LimitCase) async throws {
    try await TestServer.run(limit.change) { server in
      let end = try await limit.pass(server)
      #expect(end?.code == limit.code, "\(end as Any)")
      #expect(end?.message.contains("\(limit.name) is ") == true, "\(end as Any)")
    }
  }

  @Test("Every limit that an operator is told of has a way here to pass it")
  func complete() async throws {
    let told = try await TestServer.run { server in try await server.admin().limits() }
    #expect(told.map(\.name).sorted() == LimitCase.all.map(\.name).sorted())
    #expect(told.filter { $0.origin == .settings }.map(\.name) == MarqueeConfiguration.limitNames)
    let differing = told.filter { $0.maximum != $0.standard }.map(\.name)
    // Nobody but the server's own user may call without an access policy, and that one is not counted.
    #expect(differing == ["call-rate-max"])
  }

  @Test("Limits come with how much is used, by whom, and what a device uses is told of it alone")
  func uses() async throws {
    let directory = try TemporaryDirectory()
    let policy = try directory.write(TestServer.openPolicy + "limits: {call-rate-max: 7}\n", to: "access.yaml")
    try await TestServer.run({
      $0.accessPolicy = policy
      $0.limits.stackCountMax = 3
    }) { server in
      let connection = server.connection()
      try await Home.build(connection)
      try await Home.build(connection, device: Home.otherDevice)
      try await DisplayClient(connection).edit(StackID("second"), on: Home.otherDevice, .create(.systemSmall))
      let soup = Habits.provider(connection)
      try await soup.donate([Habits.donation("a", Habits.intent("T")), Habits.donation("b", Habits.intent("T"))])
      let watch = try await Watcher(DisplayClient(connection))
      let limits = try await OperatorClient(connection).limits()
      func limit(_ name: String) -> LimitReading? { limits.first { $0.name == name } }
      let stacks = try #require(limit("stack-count-max"))
      #expect(stacks.use == 2 && stacks.usedBy == "tablet" && stacks.maximum == 3 && stacks.standard == 64)
      #expect(limit("donation-count-max")?.use == 2 && limit("donation-count-max")?.usedBy == "phone")
      #expect(limit("device-count-max")?.use == 2)
      #expect(limit("connection-count-max")?.use == 1 && limit("address-connection-count-max")?.use == 0)
      // The watch, and the question itself.
      #expect(limit("stream-count-max")?.use == 2)
      #expect(limit("queued-event-count-max")?.use == 0 && limit("backup-count-max")?.use == 0)
      #expect(limit("call-rate-max")?.maximum == 7 && limit("call-rate-max")?.origin == .accessPolicy)
      let own = try await OperatorClient(connection).limits(of: Home.device)
      let uses = Dictionary(uniqueKeysWithValues: own.map { ($0.name, $0.use) })
      #expect(uses["stack-count-max"] == 1 && uses["member-count-max"] == 2 && uses["app-count-max"] == 3)
      #expect(uses["app-donation-count-max"] == 2 && uses["kind-count-max"] == 1 && uses["device-count-max"] == nil)
      #expect(own.first { $0.name == "app-donation-count-max" }?.usedBy == Habits.soupApp.text)
      #expect(try await status { _ = try await server.admin().limits(of: DeviceID("none")) }?.code == .notFound)
      _ = watch
    }
  }

  @Test("Devices are counted again after a restart, and one that is there may always be registered")
  func population() async throws {
    try await TestServer.run({ $0.deviceCountMax = 2 }) { server in
      for device in [Home.device, Home.otherDevice] {
        try await server.display().registerDevice(device, timeZone: Home.berlin)
      }
      try await server.restart()
      try await server.display().registerDevice(Home.device, timeZone: Home.berlin)
      let third = try await status {
        try await server.display().registerDevice(DeviceID("third"), timeZone: Home.berlin)
      }
      #expect(third?.code == .resourceExhausted)
      #expect(try await server.admin().limits().first { $0.name == "device-count-max" }?.use == 2)
    }
  }

  @Test("The command lists them in columns, or as JSON, for the server and for a device")
  func command() async throws {
    try await TestServer.run { server in
      try await Home.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let lines = try await marquee("limits")
      #expect(lines.count == LimitCase.all.count + 1)
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
