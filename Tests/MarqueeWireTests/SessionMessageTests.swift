import MarqueeModel
import MarqueeTestSupport
import MarqueeWire
import Testing

/// Messages about sessions and open streams.
@Suite(.timeLimit(.minutes(1)))
struct SessionMessageTests {
  @Test("Every message about sessions round-trips", arguments: UInt64(1)...40)
  func sessions(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let device: DeviceID = try chance.identifier()
    let (role, name) = (chance.one(of: SessionRole.allCases), try chance.maybe { try $0.identifier(SessionName.self) })
    try expectReturn(
      CreateSessionRequest(
        role: role, device: role.hasDevice ? device : nil,
        lifetime: .minutes(Int64(chance.number(in: 1...527_040))), name: name))
    let session = AccessSession(
      id: try chance.identifier(), role: role, device: role.hasDevice ? device : nil, created: chance.instant(),
      expiry: chance.instant(), creator: chance.text(), name: name)
    try expectReturn(CreateSessionResponse(session: session, token: chance.text(), urls: chance.array { $0.text() }))
    try expectReturn(ListSessionsRequest())
    try expectReturn(ListSessionsResponse(sessions: [session, session]))
    try expectReturn(RevokeSessionRequest(id: try chance.identifier()))
    try expectReturn(RevokeSessionResponse(isRevoked: chance.once(in: 2)))
  }

  @Test("Every message about open streams round-trips", arguments: UInt64(1)...40)
  func streams(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    try expectReturn(
      ListStreamsRequest(device: try chance.maybe { try $0.identifier() }, count: chance.number(in: 1...10_000)))
    let stream = StreamSummary(
      method: chance.text(), device: try chance.maybe { try $0.identifier() },
      app: try chance.maybe { try $0.identifier() }, principal: chance.text(), address: chance.text(),
      callProtocol: chance.text(), opened: chance.instant(), node: chance.text())
    try expectReturn(
      ListStreamsResponse(
        streams: [stream, stream], streamCount: chance.number(in: 2...100_000), at: chance.instant()))
  }

  @Test("A request for a screen of others keeps all but an unlocked screen")
  func screens() throws {
    for (screen, bounded) in [(ScreenState.unlocked, ScreenState.shared), (.shared, .shared), (.locked, .locked)] {
      let (device, stack) = (try DeviceID("phone"), try StackID("home"))
      func request(_ screen: ScreenState) throws -> WatchRequest {
        try WatchRequest(device: device, stacks: [stack], screen: screen, heartbeat: HeartbeatInterval(.seconds(9)))
      }
      #expect(try request(screen).forScreenOfOthers == request(bounded))
    }
  }

  @Test("A session's request names the field of an invalid device or lifetime")
  func invalidSessions() throws {
    func field(_ make: () throws(RequestError) -> CreateSessionRequest) -> String? {
      do { _ = try make() } catch { return error.field }
      return nil
    }
    let device = try DeviceID("phone")
    for role in [SessionRole.display, .kiosk] {
      #expect(field { () throws(RequestError) in try .init(role: role, lifetime: .hours(1)) } == "device")
    }
    let viewer = field { () throws(RequestError) in try .init(role: .viewer, device: device, lifetime: .hours(1)) }
    #expect(viewer == "device")
    for lifetime in [.zero, .seconds(59), .hours(366 * 24 + 1), TimeSpan(milliseconds: .min)] {
      #expect(field { () throws(RequestError) in try .init(role: .viewer, lifetime: lifetime) } == "lifetime_ms")
    }
    #expect(field { () throws(RequestError) in try .init(role: .viewer, lifetime: .hours(366 * 24)) } == nil)
  }
}
