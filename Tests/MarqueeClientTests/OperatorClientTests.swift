import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

@testable import MarqueeClient

@Suite(.timeLimit(.minutes(1)))
struct OperatorClientTests {
  private static let cluster = GetClusterResponse(
    node: "a",
    nodes: [
      NodeSummary(name: "a", address: "", isLive: true, shardCount: 1, isDraining: false, advertisedAddress: "")
    ],
    shardCount: 2, unservedShardCount: 1, movingShardCount: 0, placedShards: [PlacedShard(shard: 1, node: "a")])

  @Test("Calls fail at once with UNAVAILABLE if the server is unreachable")
  func unavailable() async throws {
    let client = OperatorClient(RPCClient(.unix(path: "/nowhere/marqueed.sock")))
    let status = await #expect(throws: RPCStatus.self) { try await client.devices() }
    #expect(status?.code == .unavailable)
  }

  @Test("A stream is opened again at once if the server asks for it, and after a delay if that fails")
  func reopening() async throws {
    let pauseCount = Mutex(0)
    var reconnection = Reconnection()
    reconnection.sleep = { _ in pauseCount.withLock { $0 += 1 } }
    let status = RPCStatus(.unavailable, "moved").retryableAtOnce()
    #expect(status.retryDelay == .zero)
    try await reconnection.pause(after: 1, status)
    #expect(pauseCount.withLock(\.self) == 0)
    try await reconnection.pause(after: 2, status)
    try await reconnection.pause(after: 1, RPCStatus(.unavailable, "ended"))
    #expect(pauseCount.withLock(\.self) == 2)
  }

  @Test("Every call transmits its arguments")
  func arguments() async throws {
    let (device, stack, zone) = (Fixture.device, Fixture.weatherStack(front: 0), try TimeZoneID("Asia/Tokyo"))
    let id = try SessionID("8c1f2a3b")
    let server = try await FakeServer(others: { Self.route(&$0, device, stack, zone, id) })
    let client = OperatorClient(server.client())
    #expect(try await client.devices(after: device, count: 7).hasMore)
    #expect(try await client.stacks(of: device) == [stack])
    #expect(try await client.widgets(of: device).widgets == stack.members)
    #expect(try await client.inspect(stack.id, on: device).stack == stack)
    #expect(try await client.timeline(of: stack.members[0], on: device).timeZone == zone)
    #expect(try await client.timeline(of: stack.members[0], on: device, at: .max).at == .max)
    #expect(try await client.currentEntry(of: stack.members[0], on: device).at == .max)
    let (large, none) = (WidgetFamily.systemLarge, try await client.timeline(of: stack.members[0], on: device))
    #expect(none.timeline?.family == nil)
    #expect(try await client.timeline(of: stack.members[0], in: large, on: device).timeline?.family == large)
    #expect(try await client.currentEntry(of: stack.members[0], in: large, on: device).timeline?.family == large)
    #expect(try await client.explanation(of: stack.id, on: device, at: .max).explanation.at == .max)
    #expect(try await client.decisions(on: device, stack: stack.id, before: 5, count: 3).timeZone == zone)
    let whyNot = try await client.whyNot(stack.members[0], in: stack.id, on: device, at: .max).whyNot
    #expect(whyNot == WhyNot(widget: stack.members[0], stack: stack.id, at: .max, obstacles: []))
    let app = stack.members[0].kind.app
    #expect(try await client.shortcuts(on: device, of: app, after: app).apps.map(\.app) == [app])
    #expect(try await client.watchFace(of: device, count: 7).hasMore)
    #expect(try await client.foresight(of: device, until: .max).until == .max)
    #expect(try await client.statistics(on: device, of: app, skipping: 5, count: 7).hasMore)
    #expect(try await client.simulate("a", setting: [.init(name: "dwell", value: 7)], until: .max).device == device)
    #expect(try await client.lint("a", as: .cases).caseCount == 1)
    #expect(try await client.policy(on: device) == [Self.setting])
    let set = [PolicyNumber(name: "dwell", value: 7)]
    #expect(try await client.setPolicy(set, reset: ["hold"], on: device) == [Self.setting])
    try await client.setDeveloperMode(true, on: device)
    #expect(try await client.resetClock(of: device) == ResetDeviceClockResponse(before: .max, now: .min))
    #expect(try await client.removeDevice(device))
    #expect(try await !client.removeDevice(Fixture.otherDevice))
    let request = try CreateSessionRequest(role: .display, device: device, lifetime: .hours(1))
    let session = try await client.createSession(request).session
    #expect(session.device == device && session.expiry == Instant.min.advanced(by: .hours(1)))
    #expect(try await client.sessions().isEmpty)
    #expect(try await client.revokeSession(session.id))
    #expect(try await client.streams(of: device, count: 7).streamCount == 9)
    #expect(try await client.limits().map(\.usedBy) == [""])
    #expect(try await client.limits(of: device).map(\.usedBy) == [device.text])
    #expect(try await client.cluster() == Self.cluster)
    #expect(try await client.drain(node: "a").shardCount == 1)
    #expect(try await client.drain(node: "a", undo: true).shardCount == 2)
    #expect(try await client.moveShard(7, to: "a").shard == 7)
    #expect(try await client.moveShard(of: device, to: nil).shard == 8)
    #expect(try await client.clock() == ClockStatus(now: .min, isManual: false, nextChange: .max))
    #expect(try await client.advanceClock(to: .max) == ClockStatus(now: .max, isManual: true, nextChange: nil))
    #expect(try await HealthClient(server.client()).check("marquee.v1.Admin") == .notServing)
    await server.shutDown()
  }

  @Test("The default endpoint is the variable's, else in XDG_RUNTIME_DIR or /tmp, else the system's if it exists")
  func standardEndpoint() throws {
    let user: UInt32 = 4_000_000_001
    let directory = try TemporaryDirectory()
    let own = directory.file("marquee")
    func endpoint(system: String) throws -> Endpoint {
      try Endpoint.default(
        environment: ["XDG_RUNTIME_DIR": directory.path], user: user, systemSocket: directory.file(system))
    }
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    #expect(try endpoint(system: "none") == .unix(path: "\(own)/marqueed.sock"))
    #expect(try endpoint(system: "marquee") == .unix(path: own))
    _ = try directory.write("", to: "marquee/marqueed.sock")
    #expect(try endpoint(system: "marquee") == .unix(path: "\(own)/marqueed.sock"))
    #expect(
      try Endpoint.default(environment: ["MARQUEE_SERVER": "tcp:host:7", "XDG_RUNTIME_DIR": "/run"], user: user)
        == .tcp(host: "host", port: 7))
    #expect(
      try Endpoint.default(
        environment: ["MARQUEE_SERVER": "", "XDG_RUNTIME_DIR": "/run/user/1"], user: user, systemSocket: "/nowhere")
        == .unix(path: "/run/user/1/marquee/marqueed.sock"))
    #expect(
      try Endpoint.default(environment: ["XDG_RUNTIME_DIR": "relative"], user: user, systemSocket: "/nowhere")
        == .unix(path: "/tmp/marquee-4000000001/marqueed.sock"))
    #expect(throws: EndpointError.self) { try Endpoint.default(environment: ["MARQUEE_SERVER": "nowhere"]) }
  }

  @Test("Another user's directory in /tmp is rejected")
  func foreignDirectory() throws {
    let user: UInt32 = 4_000_000_002
    let path = "/tmp/marquee-\(user)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    defer { rmdir(path) }
    #expect(throws: ForeignDirectoryError(owner: getuid())) { try Endpoint.default(environment: [:], user: user) }
  }

  private static let setting = PolicySetting(
    name: "dwell", value: 7, isOverridden: true, unit: "seconds", configured: 300)

  private static func routeInspection(
    _ router: inout Router, _ device: DeviceID, _ stack: Stack, _ zone: TimeZoneID
  ) {
    router.synchronous(AdminService.listStacks) { request, _ in
      ListStacksResponse(stacks: request.device == device ? [stack] : [])
    }
    router.synchronous(AdminService.listWidgets) { request, _ in
      ListWidgetsResponse(kinds: [], widgets: request.device == device ? stack.members : [], homeWidgets: [])
    }
    router.synchronous(AdminService.inspectStack) { request, _ in
      guard request.stack == stack.id else { throw RPCStatus(.notFound, "") }
      return InspectStackResponse(at: .min, stack: stack, members: [], nextChange: nil, isDeveloperModeOn: false)
    }
    router.synchronous(AdminService.getTimeline) { request, _ in
      guard request.widget == stack.members[0] else { throw RPCStatus(.notFound, "") }
      return GetTimelineResponse(
        at: request.includesContent ? .max : request.at ?? .min, family: request.family ?? .systemSmall,
        timeline: request.family.map { Timeline(submitted: [], policy: .never, family: $0) }, relevance: nil,
        timeZone: zone)
    }
  }

  private static func routeCluster(_ router: inout Router, _ device: DeviceID) {
    router.synchronous(AdminService.getCluster) { _, _ in cluster }
    router.synchronous(AdminService.drainNode) { request, _ in
      guard request.node == "a" else { throw RPCStatus(.invalidArgument, "") }
      return DrainNodeResponse(shardCount: request.isUndo ? 2 : 1, movedShardCount: 0, pendingShardCount: 0)
    }
    router.synchronous(AdminService.moveShard) { request, _ in
      switch request {
      case MoveShardRequest(shard: 7, node: "a", isUndo: false):
        return MoveShardResponse(shard: 7, previousNode: "", node: "a", targetNode: "a")
      case MoveShardRequest(device: device, node: "", isUndo: true):
        return MoveShardResponse(shard: 8, previousNode: "a", node: "b", targetNode: "b")
      default: throw RPCStatus(.invalidArgument, "")
      }
    }
  }

  private static func routeSessions(_ router: inout Router, _ session: SessionID) {
    router.synchronous(AdminService.createSession) { request, _ in
      let created = AccessSession(
        id: session, role: request.role, device: request.device, created: .min,
        expiry: Instant.min.advanced(by: request.lifetime), creator: "user 0")
      return CreateSessionResponse(session: created, token: "token", urls: ["http://localhost:1"])
    }
    router.synchronous(AdminService.listSessions) { _, _ in ListSessionsResponse(sessions: []) }
    router.synchronous(AdminService.revokeSession) { request, _ in
      RevokeSessionResponse(isRevoked: request.id == session)
    }
    router.synchronous(AdminService.listStreams) { request, _ in
      guard request.device != nil, request.count == 7 else { throw RPCStatus(.invalidArgument, "") }
      return ListStreamsResponse(streams: [], streamCount: 9, at: .min)
    }
  }

  private static func routeSimulation(_ router: inout Router, _ device: DeviceID, _ zone: TimeZoneID) {
    router.synchronous(AdminService.simulate) { request, _ in
      let number = PolicyNumber(name: "dwell", value: 7)
      guard request.text == "a", request.set == [number], request.until == .max else {
        throw RPCStatus(.invalidArgument, "")
      }
      let result = ForeseeResponse(at: .min, until: .max, timeZone: zone, decisions: [], stacks: [])
      return SimulateResponse(device: device, result: result, settings: [])
    }
    router.synchronous(AdminService.lint) { request, _ in
      LintResponse(report: LintReport(caseCount: request.text == "a" && request.kind == .cases ? 1 : 0))
    }
  }

  private static func routeLists(_ router: inout Router, _ device: DeviceID, _ zone: TimeZoneID) {
    router.synchronous(AdminService.listShortcuts) { request, _ in
      guard let app = request.app, request.after == app else { throw RPCStatus(.invalidArgument, "") }
      let apps = [AppShortcuts(app: app, intentTypes: [], shortcuts: [], intents: [])]
      return ListShortcutsResponse(at: .min, apps: apps, hasMore: false, timeZone: zone)
    }
    router.synchronous(AdminService.listWatchFace) { request, _ in
      ListWatchFaceResponse(
        at: .min, items: [], hasMore: request.device == device && request.count == 7, nextChange: nil, timeZone: zone)
    }
    router.synchronous(AdminService.foresee) { request, _ in
      let isComplete = request.device == device && request.until == .max
      return ForeseeResponse(at: .min, until: isComplete ? .max : .min, timeZone: zone, decisions: [], stacks: [])
    }
    router.synchronous(AdminService.listStatistics) { request, _ in
      let isComplete = request.device == device && request.app != nil && request.skipCount == 5 && request.count == 7
      return ListStatisticsResponse(at: .min, timeZone: zone, apps: [], hasMore: isComplete)
    }
  }

  private static func route(
    _ router: inout Router, _ device: DeviceID, _ stack: Stack, _ zone: TimeZoneID, _ session: SessionID
  ) {
    router.synchronous(AdminService.listDevices) { request, _ in
      ListDevicesResponse(devices: [], hasMore: request.after == device && request.count == 7, at: .min)
    }
    routeInspection(&router, device, stack, zone)
    routeSimulation(&router, device, zone)
    router.synchronous(AdminService.explain) { request, _ in
      let explanation = Explanation(
        stack: request.stack, at: request.at ?? .min, front: nil, candidates: [], chosen: nil)
      return ExplainResponse(explanation: explanation, suggestions: explanation, timeZone: zone)
    }
    router.synchronous(AdminService.whyNot) { request, _ in
      let whyNot = WhyNot(widget: request.widget, stack: request.stack, at: request.at ?? .min, obstacles: [])
      return WhyNotResponse(whyNot: whyNot, timeZone: zone)
    }
    routeLists(&router, device, zone)
    router.synchronous(AdminService.getPolicy) { _, _ in GetPolicyResponse(settings: [setting]) }
    router.synchronous(AdminService.setPolicy) { request, _ in
      guard request.set == [PolicyNumber(name: "dwell", value: 7)], request.reset == ["hold"] else {
        throw RPCStatus(.invalidArgument, "")
      }
      return SetPolicyResponse(settings: [setting])
    }
    router.synchronous(AdminService.listDecisions) { request, _ in
      guard request.stack == stack.id, request.before == 5, request.count == 3 else {
        throw RPCStatus(.invalidArgument, "")
      }
      return ListDecisionsResponse(decisions: [], timeZone: zone)
    }
    router.synchronous(AdminService.setDeveloperMode) { request, _ in
      guard request.isEnabled else { throw RPCStatus(.invalidArgument, "") }
      return SetDeveloperModeResponse()
    }
    router.synchronous(AdminService.resetDeviceClock) { _, _ in ResetDeviceClockResponse(before: .max, now: .min) }
    router.synchronous(AdminService.removeDevice) { request, _ in
      RemoveDeviceResponse(isRemoved: request.device == device)
    }
    router.synchronous(AdminService.getLimits) { request, _ in
      let device = request.device?.text ?? ""
      let limit = LimitStatus(
        name: "a", bounds: "", unit: "count", defaultValue: 1, maximum: 1, origin: .fixed, usedBy: device)
      return GetLimitsResponse(limits: [limit])
    }
    routeSessions(&router, session)
    routeCluster(&router, device)
    router.synchronous(AdminService.getClock) { _, _ in
      GetClockResponse(clock: ClockStatus(now: .min, isManual: false, nextChange: .max))
    }
    router.synchronous(AdminService.advanceClock) { request, _ in
      AdvanceClockResponse(clock: ClockStatus(now: request.to, isManual: true, nextChange: nil))
    }
    router.synchronous(HealthService.check) { request, _ in
      HealthCheckResponse(status: request.service == AdminService.name ? .notServing : .serving)
    }
  }
}
