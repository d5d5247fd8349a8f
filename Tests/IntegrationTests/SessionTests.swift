import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Sessions of browsers, and `marquee console`, `sessions` and `revoke-session`.
@Suite("Sessions over sockets", .timeLimit(.minutes(2)))
struct SessionTests {
  /// A client over TCP with a session's token.
  private static func client(_ server: InProcessServer, _ token: String) -> RPCClient {
    server.callProtocol.client(server.tcpEndpoint, .bearing(token))
  }

  private static func create(
    _ server: InProcessServer, _ role: SessionRole, _ device: DeviceID? = nil
  ) async throws -> CreateSessionResponse {
    try await server.admin().createSession(CreateSessionRequest(role: role, device: device, lifetime: .hours(1)))
  }

  @Test("A session has the rights of its role without an access policy, until it is revoked")
  func rights() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let viewer = OperatorClient(Self.client(server, try await Self.create(server, .viewer).token))
      #expect(try await viewer.devices().devices.count == 1)
      let denied = try await callStatus { try await viewer.setDeveloperMode(true, on: Fixture.device) }
      #expect(denied?.code == .permissionDenied)
      let created = try await Self.create(server, .operator)
      let operators = OperatorClient(Self.client(server, created.token))
      try await operators.setDeveloperMode(true, on: Fixture.device)
      #expect(created.urls.count == 1 && created.urls[0].hasPrefix("http://127.0.0.1:"))
      let nested = try await callStatus {
        _ = try await operators.createSession(CreateSessionRequest(role: .viewer, lifetime: .hours(1)))
      }
      #expect(nested?.code == .permissionDenied && nested?.message.contains("a session cannot create sessions") == true)
      #expect(try await operators.revokeSession(created.session.id))
      let revoked = try await callStatus { _ = try await operators.devices() }
      #expect(revoked?.code == .unauthenticated && revoked?.message.contains("revoked") == true)
      #expect(try await viewer.devices().devices.count == 1, "another session is not affected")
    }
  }

  @Test("A command whose credentials may not list devices asks for the name of one")
  func unlistedDevices() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let token = try await Self.create(server, .display, Fixture.device).token
      let file = try server.directory.write(token, to: "token")
      let marquee = Marquee(endpoint: server.tcpEndpoint, directory: server.directory)
      let refused = try await marquee.run(["watch", "home", "--token-file", file])
      #expect(refused.exit == .code(1) && refused.errors.contains("These credentials may not list devices"))
    }
  }

  @Test("A display's session serves its device only, and its streams end when it is revoked")
  func display() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let created = try await Self.create(server, .display, Fixture.device)
      let client = Self.client(server, created.token)
      let other = try await callStatus { _ = try await DisplayClient(client).time(of: Fixture.otherDevice) }
      #expect(other?.code == .permissionDenied)
      let removal = try await callStatus {
        _ = try await DisplayClient(client).removeApp(Fixture.weatherApp, from: Fixture.device)
      }
      #expect(removal?.code == .permissionDenied && removal?.message.contains("cannot remove apps") == true)
      let call = try await client.serverStreaming(DisplayService.watch, try WatchRequest(device: Fixture.device))
      var updates = call.responses.makeAsyncIterator()
      #expect(try await updates.next() != nil)
      #expect(try await server.admin().revokeSession(created.session.id))
      let end = try await callStatus { while try await updates.next() != nil {} }
      #expect(end?.code == .unauthenticated)
      #expect(try await !server.admin().revokeSession(created.session.id))
    }
  }

  @Test("W5 A kiosk's session receives no private entries, whatever its screen is said to be, and a display's does")
  func screens() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let content = try EntryContent(mediaType: "text/plain", bytes: Array("secret".utf8))
      let entry = try TimelineEntry(
        date: Fixture.start, content: content, details: EntryDetails(sensitivity: .isPrivate(nil)))
      #expect(try await provider.publish(1, Fixture.forecast, [entry]) == .accepted(1))
      for (role, screen, shown) in [
        (SessionRole.kiosk, ScreenState.unlocked, ScreenState.shared), (.kiosk, .locked, .locked),
        (.display, .unlocked, .unlocked), (.display, .shared, .shared),
      ] {
        let display = DisplayClient(Self.client(server, try await Self.create(server, role, Fixture.device).token))
        var updates = try display.watch(Fixture.device, on: screen).makeAsyncIterator()
        guard case .state(let state) = try await updates.next()?.change else { throw UnexpectedEvent() }
        #expect(state.entries == [CurrentEntry(Fixture.forecast.small, entry).on(shown)], "\(role) \(screen)")
      }
    }
  }

  @Test("Sessions outlast a restart, and those of a removed device leave the files with it")
  func lifetime() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let viewer = try await Self.create(server, .viewer)
      let kiosk = try await Self.create(server, .kiosk, Fixture.device)
      try await server.restart()
      #expect(try await server.admin().sessions().map(\.role) == [.viewer, .kiosk])
      #expect(try await OperatorClient(Self.client(server, viewer.token)).devices().devices.count == 1)
      let file = server.directory.file("data/sessions.json")
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains(Fixture.device.text))
      #expect(try await server.admin().removeDevice(Fixture.device))
      #expect(try !String(contentsOfFile: file, encoding: .utf8).contains(Fixture.device.text))
      #expect(try await server.admin().sessions().map(\.id) == [viewer.session.id])
      let status = try await callStatus {
        _ = try await DisplayClient(Self.client(server, kiosk.token)).time(of: Fixture.device)
      }
      #expect(status?.code == .unauthenticated)
    }
  }

  @Test("Callers create sessions with at most their own rights")
  func atMostOwnRights() async throws {
    let (directory, mint) = (try TemporaryDirectory(), try TokenMint())
    let policy = try mint.write(to: directory)
    try await InProcessServer.run({ $0.accessPolicy = policy }) { server in
      try await Fixture.build(server.connection())
      let all: [(SessionRole, DeviceID?)] = [
        (.viewer, nil), (.operator, nil), (.display, Fixture.device), (.display, Fixture.otherDevice),
        (.kiosk, Fixture.device), (.kiosk, Fixture.otherDevice),
      ]
      let expected: [(TestPrincipal, [Bool])] = [
        (.viewer, [true, false, false, false, false, false]), (.display, [false, false, true, false, true, false]),
        (.operator, Array(repeating: true, count: 6)), (.provider, Array(repeating: false, count: 6)),
      ]
      for (principal, allowed) in expected {
        let claims = try #require(principal.claims)
        let client = OperatorClient(Self.client(server, try await mint.token(claims)))
        for ((role, device), isAllowed) in zip(all, allowed) {
          let request = try CreateSessionRequest(role: role, device: device, lifetime: .minutes(1))
          let status = try await callStatus { _ = try await client.createSession(request) }
          #expect(status?.code == (isAllowed ? nil : .permissionDenied), "\(principal) \(role) \(device?.text ?? "")")
        }
      }
      #expect(try await Set(server.admin().sessions().map(\.creator)).count == 3)
    }
  }

  @Test("Any number of valid tokens can alternate on one connection, as on that of a proxy")
  func alternatingTokens() async throws {
    try await InProcessServer.run { server in
      var tokens: [String] = []
      for _ in 0..<2 { tokens.append(try await Self.create(server, .viewer).token) }
      let (count, known) = (Counter(), tokens)
      var configuration = ClientConfiguration()
      configuration.authorization = { "Bearer \(known[count.increment() % 2])" }
      let client = OperatorClient(RPCClient(server.tcpEndpoint, configuration: configuration))
      for _ in 0..<200 { _ = try await client.devices() }
    }
  }

  @Test("The link of marquee console has an IPv6 host in brackets")
  func addresses() async throws {
    try await InProcessServer.run({ $0.hosts = ["[fd00::2]"] }) { server in
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let link = try #require(try await marquee("console").first)
      #expect(link.hasPrefix("http://[fd00::2]:"), "\(link)")
    }
  }

  @Test("marquee console says which links no other machine can open, and which hosts the server refuses")
  func reachability() async throws {
    try await InProcessServer.run({ $0.hosts = ["home.example"] }) { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let port = server.tcpEndpoint.description.split(separator: ":").last ?? ""
      for (url, isLocal, isAccepted) in [
        ("http://localhost:\(port)", true, true), ("http://[::1]:\(port)", true, true),
        ("http://HOME.example:\(port)", false, true), ("http://192.168.1.7:\(port)", false, true),
        ("http://kiosk.local:\(port)", false, false),
      ] {
        let outcome = try await marquee.run(["console", "--kiosk", "phone", "--url", url])
        #expect(outcome.exit == .code(0) && outcome.output.contains("name its address with --url") == isLocal, "\(url)")
        #expect(outcome.errors.isEmpty == isAccepted, "\(url): \(outcome.errors)")
        #expect(isAccepted || outcome.errors.contains("the host kiosk.local; add it to its setting hosts"))
      }
      #expect(try await marquee("console", "--kiosk", "phone").count == 2, "the first host is used")
    }
  }

  @Test("marquee console prints a link that signs in, and sessions are listed and revoked")
  func commands() async throws {
    try await InProcessServer.run({ $0.hosts = ["home.example"] }) { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      #expect(try await marquee("sessions") == ["There are no sessions; \"marquee console\" creates one."])
      // The command of the article about the console.
      let outcome = try await marquee.run("marquee console".split(separator: " ").dropFirst().map(String.init))
      let lines = outcome.output.split(separator: "\n").map(String.init)
      let parts = lines[0].split(separator: "/#token=")
      #expect(lines.count == 2 && parts.count == 2 && parts[0].hasPrefix("http://home.example:"))
      let viewer = OperatorClient(Self.client(server, String(parts[1])))
      #expect(try await viewer.devices().devices.count == 1)
      let kiosk = try await marquee.json(
        "console", "--kiosk", "phone", "--name", "hall", "--url", "https://home.example/")
      #expect(try #require(kiosk["link"].text).hasPrefix("https://home.example/kiosk?device=phone#token=mqs_"))
      #expect(kiosk["role"].text == "kiosk" && kiosk["device"].text == "phone" && kiosk["name"].text == "hall")
      let unlocked = try await marquee.json("console", "--kiosk", "phone", "--unlocked")
      #expect(try #require(unlocked["link"].text).contains("/kiosk?device=phone&screen=unlocked#token=mqs_"))
      #expect(unlocked["role"].text == "display")
      #expect(try await server.admin().revokeSession(SessionID(#require(unlocked["id"].text))))
      let list = try await marquee("sessions")
      #expect(list.count == 3 && list[1].contains("viewer") && list[2].contains("hall"))
      let id = try #require(kiosk["id"].text)
      #expect(try await marquee("revoke-session", id) == ["Revoked session \(id)."])
      let again = try await marquee.run(["revoke-session", id])
      #expect(again.exit == .code(1) && again.errors.contains("\"\(id)\""), "\(again.errors)")
      #expect(try await marquee("revoke-session", "--all").count == 1)
      let revoked = try await callStatus { _ = try await viewer.devices() }
      #expect(revoked?.code == .unauthenticated)
    }
  }

  @Test(
    "Invalid options of marquee console are named, and create nothing",
    arguments: [
      ["--lifetime", "59s"], ["--lifetime", "367d"], ["--lifetime", "soon"], ["--url", "home"], ["--kiosk", "none"],
      ["--kiosk", "phone", "--role", "viewer"], ["--unlocked"], ["--name", ""], ["--role", "king"],
    ])
  func invalid(options: [String]) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let outcome = try await marquee.run(["console"] + options)
      #expect(outcome.exit != .code(0) && outcome.output.isEmpty && !outcome.errors.isEmpty)
      #expect(try await server.admin().sessions().isEmpty)
    }
  }

  @Test("Without a TCP endpoint, marquee console says how to serve pages, and keeps no session")
  func noPages() async throws {
    try await InProcessServer.run({ $0.servesConsole = false }) { server in
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let outcome = try await marquee.run(["console"])
      #expect(outcome.exit != .code(0) && outcome.errors.contains("serves no pages"))
      #expect(try await server.admin().sessions().isEmpty)
    }
  }
}
