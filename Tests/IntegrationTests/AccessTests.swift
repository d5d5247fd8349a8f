import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSchema
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@testable import MarqueeServer

@Suite("Access", .timeLimit(.minutes(2)))
struct AccessTests {
  private let directory: TemporaryDirectory
  private let mint: TokenMint
  private let policy: String

  init() throws {
    directory = try TemporaryDirectory()
    mint = try TokenMint()
    policy = try mint.write(to: directory)
  }

  /// A TCP connection with the credentials of `principal`.
  private func connection(
    of principal: TestPrincipal, _ server: InProcessServer, over callProtocol: TestProtocol = .standard
  ) async throws -> RPCClient {
    if let claims = principal.claims {
      return callProtocol.client(server.tcpEndpoint, .bearing(try await mint.token(claims)))
    }
    guard principal == .forger else { return callProtocol.client(server.tcpEndpoint) }
    let forged = try await TokenMint().token(.init(role: "operator"))
    return callProtocol.client(server.tcpEndpoint, .bearing(forged))
  }

  private func run(_ body: @escaping (InProcessServer) async throws -> Void) async throws {
    let policy = policy
    try await InProcessServer.run({ $0.accessPolicy = policy }) { server in
      try await Fixture.build(server.connection())
      try await body(server)
    }
  }

  /// The paths of all methods declared in the .proto files.
  private static var paths: [String] { Schema.marquee.services.flatMap(\.methods).map(\.path) }

  @Test("Every method has an access case: a new method must declare its permitted callers")
  func complete() throws {
    let cases = try AccessCase.all().map(\.path)
    #expect(Set(cases) == Set(Self.paths))
    #expect(cases.count == Self.paths.count && cases.count == 81)
  }

  @Test(
    "A call without permission is rejected, discloses nothing, and changes nothing", arguments: TestPrincipal.allCases)
  func rejected(principal: TestPrincipal) async throws {
    try await run { server in
      let before = try await server.eventCount()
      var messages: Set<String> = []
      for method in try AccessCase.all() where !method.allowed.contains(principal) {
        // A connection of its own, because invalid tokens on one connection are limited.
        let connection = try await connection(of: principal, server)
        let end = try await method.call(connection)
        #expect(end?.code == principal.rejection, "\(method.path) as \(principal): \(String(describing: end))")
        messages.insert(end?.message ?? "")
      }
      for message in messages {
        for name in ["com.example", "phone", "home", "Forecast"] { #expect(!message.contains(name), "\(message)") }
      }
      #expect(try await server.eventCount() == before)
    }
  }

  @Test("A call with permission reaches the method", arguments: TestPrincipal.allCases)
  func allowed(principal: TestPrincipal) async throws {
    try await run { server in
      let connection = try await connection(of: principal, server)
      for method in try AccessCase.all() where method.allowed.contains(principal) {
        let end = try await method.call(connection)
        let isRejected = end?.code == .permissionDenied || end?.code == .unauthenticated
        #expect(!isRejected, "\(method.path) as \(principal): \(String(describing: end))")
      }
    }
  }

  @Test("Every method gives a principal the same answer in every protocol", arguments: TestPrincipal.allCases)
  func sameInAllProtocols(principal: TestPrincipal) async throws {
    for isDuplex in [true, false] {
      let expected = try await answers(to: principal, over: .native, isDuplex: isDuplex)
      for callProtocol in TestProtocol.foreign where callProtocol.isDuplex == isDuplex {
        let answers = try await answers(to: principal, over: callProtocol, isDuplex: isDuplex)
        for (path, answer) in expected {
          #expect(answers[path] == answer, "\(path) as \(principal) over \(callProtocol)")
        }
        #expect(answers.count == expected.count && answers.count > 60)
      }
    }
  }

  /// The answers of all methods on a new server, or of those whose client does not stream.
  private func answers(
    to principal: TestPrincipal, over callProtocol: TestProtocol, isDuplex: Bool
  ) async throws -> [String: AccessCase.Answer] {
    let policy = policy
    return try await InProcessServer.run({ $0.accessPolicy = policy }) { server in
      try await Fixture.build(RPCClient(server.endpoint, configuration: .eager))
      var answers: [String: AccessCase.Answer] = [:]
      for method in try AccessCase.all() where isDuplex || method.kind != .bidirectional {
        let connection = try await connection(of: principal, server, over: callProtocol)
        var answer = try await method.answer(connection)
        answer.response = answer.response.map { Self.comparable($0, method.path) }
        answers[method.path] = answer
      }
      return answers
    }
  }

  /// The methods whose response contains a random key, the bytes of a file, numbers in use, or the system's time.
  private static let variableMethods: Set<String> = [
    ProviderService.watchQueries.path, AdminService.backup.path, AdminService.getLimits.path,
    AdminService.createSession.path, AdminService.listSessions.path, AdminService.listStreams.path,
  ]

  /// Returns what must be equal of a response on two servers.
  private static func comparable(_ response: String, _ path: String) -> String {
    if variableMethods.contains(path) { return "" }
    // Dictionaries have no order.
    guard path == AdminService.explain.path else { return response }
    return response.split { "[](), ".contains($0) }.sorted().joined(separator: " ")
  }

  @Test("Rejections do not disclose whether another principal's app or device exists")
  func existence() async throws {
    try await run { server in
      let provider = try await connection(of: .provider, server)
      let display = try await connection(of: .otherDisplay, server)
      var ends: [[RPCStatus?]] = [[], []]
      for (app, device) in [
        (Fixture.sportApp, Fixture.device), (try AppID("com.example.nothing"), Fixture.device),
        (Fixture.sportApp, try DeviceID("nothing")),
      ] {
        ends[0].append(
          try await callStatus {
            let request = try RegisterKindsRequest(device: device, app: app, kinds: [])
            _ = try await provider.unary(ProviderService.registerKinds, request)
          })
        ends[0].append(try await callStatus { _ = try await ProviderStream(provider, device: device, app: app) })
        ends[1].append(
          try await callStatus {
            let request = EditStackRequest(device: device, stack: Fixture.stack, edit: .create(.systemSmall))
            _ = try await display.unary(DisplayService.editStack, request)
          })
        ends[1].append(
          try await callStatus {
            let call = try await display.serverStreaming(DisplayService.watch, WatchRequest(device: device))
            for try await _ in call.responses {}
          })
      }
      for end in ends { #expect(Set(end).count == 1 && end.first??.code == .permissionDenied, "\(end)") }
    }
  }

  @Test("A provider receives the same responses with and without other apps on the device")
  func others() async throws {
    let first = try await answers { _ in }
    let second = try await answers { server in
      try await Fixture.build(server.connection(), members: [Fixture.score])
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      _ = try await sport.publish(1, Fixture.score, [Fixture.entry(Fixture.start, "win", score: 900)])
      let habits = Habits.provider(server.connection(), Fixture.sportApp)
      _ = try await habits.donate([Habits.donation("theirs", Habits.intent("com.example.ShowRain"))])
    }
    #expect(first == second)
    #expect(first.count == 6)
  }

  /// The responses to the weather app on a server after `prepare`.
  private func answers(_ prepare: @escaping (InProcessServer) async throws -> Void) async throws -> [String] {
    let policy = policy
    return try await InProcessServer.run({ $0.accessPolicy = policy }) { server in
      try await server.display().registerDevice(Fixture.device, timeZone: Fixture.berlin)
      try await prepare(server)
      let connection = try await connection(of: .provider, server)
      let (device, app) = (Fixture.device, Fixture.weatherApp)
      let kinds = try RegisterKindsRequest(device: device, app: app, kinds: Fixture.descriptors(of: [Fixture.forecast]))
      var answers = ["\(try await connection.unary(ProviderService.registerKinds, kinds))"]
      let call = try await connection.bidirectional(ProviderService.provide)
      try await call.send(.attach(device, app))
      let part = TimelinePart(
        publish: valid { try ProviderStream.id(1) }, widget: Fixture.forecast, policy: .never,
        entries: [Fixture.entry(Fixture.start, "x", score: 1)], isCommit: true)
      try await call.send(.timeline(part))
      call.finish()
      for try await event in call.responses { answers.append("\(event)") }
      let donation = Habits.donation("ours", Habits.intent("com.example.ShowRain"))
      let donate = try DonateRequest(device: device, app: app, donations: [donation])
      answers.append("\(try await connection.unary(ProviderService.donate, donate))")
      let shortcuts = SetRelevantShortcutsRequest(device: device, app: app, shortcuts: [])
      answers.append("\(try await connection.unary(ProviderService.setRelevantShortcuts, shortcuts))")
      let delete = DeleteDonationsRequest(device: device, app: app, selection: .everything)
      answers.append("\(try await connection.unary(ProviderService.deleteDonations, delete))")
      return answers
    }
  }

  @Test("A token overrides the connection's identity, even with fewer permissions; without one, the Unix user counts")
  func tokenOnSocket() async throws {
    try await run { server in
      let token = try await mint.token(TestPrincipal.provider.claims ?? .init())
      let bearing = OperatorClient(RPCClient(server.endpoint, configuration: .bearing(token)))
      #expect(try await callStatus { _ = try await bearing.devices() }?.code == .permissionDenied)
      #expect(try await server.admin().devices().devices.count == 1)
    }
  }

  @Test("A call with two tokens is rejected, even if they are equal or the call needs no credentials")
  func twoTokens() async throws {
    try await run { server in
      let token = try await mint.token(TestPrincipal.operator.claims ?? .init())
      var metadata = Metadata()
      for _ in 1...2 { metadata.append("authorization", "Bearer \(token)") }
      let options = CallOptions(metadata: metadata)
      for endpoint in [server.endpoint, server.tcpEndpoint] {
        let connection = RPCClient(endpoint)
        let ends = [
          try await callStatus { _ = try await connection.unary(AdminService.listDevices, .init(), options: options) },
          try await callStatus { _ = try await connection.unary(HealthService.check, .init(), options: options) },
        ]
        for end in ends { #expect(end == RPCStatus(.unauthenticated, "duplicate metadata: authorization")) }
      }
    }
  }

  @Test("The command line of a display names the widgets of its stacks, and adds one by its full name")
  func displayNames() async throws {
    try await run { server in
      let token = server.directory.file("display.token")
      let text = try await mint.token(TestPrincipal.display.claims ?? .init())
      try text.write(toFile: token, atomically: true, encoding: .utf8)
      #expect(chmod(token, 0o600) == 0)
      let marquee = Marquee(
        endpoint: server.tcpEndpoint, directory: server.directory, environment: ["MARQUEE_TOKEN_FILE": token])
      #expect(try await marquee("report-interaction", "tapped", "phone/home", "Score") == ["Reported."])
      let score = "\(Fixture.score.kind)"
      #expect(try await marquee("stack", "remove", "phone/home", score).allSatisfy { !$0.contains(score) })
      #expect(try await marquee("stack", "add", "phone/home", score).last?.hasSuffix(score) == true)
      _ = try await marquee("stack", "remove", "phone/home", score)
      // The form that "publish" prints.
      #expect(try await marquee("stack", "add", "phone/home", "phone:\(score)").last?.hasSuffix(score) == true)
      let short = try await marquee.run(["stack", "add", "phone/home", "Score"])
      #expect(short.errors.contains("the role of the caller does not permit listing widget kinds"))
      #expect(short.exit == .code(1) && short.errors.contains("Write APP/KIND in full."))
    }
  }

  @Test("The command line of a provider is told that its role lists no widgets, and not that there are none")
  func providerNames() async throws {
    try await run { server in
      let token = server.directory.file("provider.token")
      let text = try await mint.token(TestPrincipal.provider.claims ?? .init())
      try text.write(toFile: token, atomically: true, encoding: .utf8)
      #expect(chmod(token, 0o600) == 0)
      let marquee = Marquee(
        endpoint: server.tcpEndpoint, directory: server.directory, environment: ["MARQUEE_TOKEN_FILE": token])
      let denied = try await marquee.run(["timeline", "phone:\(Fixture.forecast.kind)"])
      #expect(denied.exit == .code(1) && !denied.errors.contains("No widget exists"))
      #expect(denied.errors.contains("the role of the caller does not permit listing widgets"), "\(denied.errors)")
    }
  }

  @Test("A stream ends when its token expires, and can be opened again with a renewed token")
  func expiry() async throws {
    try await run { server in
      var claims = TestPrincipal.display.claims ?? .init()
      claims.exp = Int(Principal.now) + 2
      let connection = RPCClient(server.tcpEndpoint, configuration: .bearing(try await mint.token(claims)))
      let watch = try await connection.serverStreaming(DisplayService.watch, WatchRequest(device: Fixture.device))
      let end = try await callStatus { for try await _ in watch.responses {} }
      #expect(end?.code == .unavailable && end?.message.contains("expired") == true)
      let after = try await callStatus {
        let watch = try await connection.serverStreaming(DisplayService.watch, WatchRequest(device: Fixture.device))
        for try await _ in watch.responses {}
      }
      #expect(after == RPCStatus(.unauthenticated, "the token or certificate has expired"))
    }
  }

  @Test("The call rate is limited per principal, across connections and tokens")
  func rates() async throws {
    let policy = try mint.write(
      TokenMint.policy + "\nlimits: {call-rate-max: 1, call-burst-max: 20}\n", to: directory)
    try await InProcessServer.run({ $0.accessPolicy = policy }) { server in
      try await Fixture.build(server.connection())
      var ends: [RPCStatus?] = []
      for expiry in [1_000, 2_000] {
        var claims = TestPrincipal.display.claims ?? .init()
        claims.exp += expiry
        let display = DisplayClient(
          RPCClient(server.tcpEndpoint, configuration: .bearing(try await mint.token(claims))))
        for _ in 1...15 {
          ends.append(try await callStatus { try await display.report(.shown(Fixture.stack), on: Fixture.device) })
        }
      }
      #expect(ends.prefix(20).allSatisfy { $0 == nil })
      #expect(ends.last??.code == .resourceExhausted)
      #expect(ends.last??.message.contains("(call-rate-max: 1, call-burst-max: 20)") == true)
      let other = OperatorClient(try await connection(of: .viewer, server))
      #expect(try await other.devices().devices.count == 1)
      // Calls of the server's own user are not limited.
      for _ in 1...40 { _ = try await server.admin().devices() }
    }
  }
}

extension InProcessServer {
  /// The number of events applied to the device.
  func eventCount() async throws -> UInt64 {
    for try await record in admin().history(of: Fixture.device) {
      if case .origin(let origin) = record.step { return origin.eventCount }
    }
    throw UnexpectedEvent()
  }
}
