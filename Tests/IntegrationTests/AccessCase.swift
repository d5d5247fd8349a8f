import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

/// A caller with certain credentials.
enum TestPrincipal: CaseIterable, Sendable {
  /// A TCP client without a token.
  case nobody
  /// A client whose token has the signature of an unknown key.
  case forger
  /// A client whose token matches no rule.
  case stranger
  /// Providers of the app that the calls name, and of another app.
  case provider, otherProvider
  /// Displays of the device that the calls name, and of another device.
  case display, otherDisplay
  case viewer
  case `operator`

  /// The claims of the token; `nil` without a token or with a forged one.
  var claims: TokenMint.Claims? {
    switch self {
    case .nobody, .forger: nil
    case .stranger: .init(sub: "stranger")
    case .provider: .init(sub: "weather", role: "provider", apps: [Fixture.weatherApp.text])
    case .otherProvider: .init(sub: "sport", role: "provider", apps: [Fixture.sportApp.text, "not an app"])
    case .display: .init(sub: "phone", role: "display", devices: [Fixture.device.text])
    case .otherDisplay: .init(sub: "tablet", role: "display", devices: [Fixture.otherDevice.text])
    case .viewer: .init(sub: "viewer", role: "viewer")
    case .operator: .init(sub: "operator", role: "operator")
    }
  }

  /// The status code of a call without permission.
  var rejection: StatusCode { self == .nobody || self == .forger ? .unauthenticated : .permissionDenied }
}

/// A method, the callers with permission, and a call of the method for the weather app on the phone.
struct AccessCase: Sendable {
  let path: String
  let allowed: Set<TestPrincipal>
  let kind: CallKind
  /// Makes the call up to the first response.
  let answer: @Sendable (RPCClient) async throws -> Answer

  /// The first response, or the status of a call that fails without one.
  struct Answer: Hashable, Sendable {
    /// The description of the response.
    var response: String?
    var status: RPCStatus?
  }

  /// Makes the call up to the first response; returns `nil` after a response, otherwise the call's status.
  func call(_ connection: RPCClient) async throws -> RPCStatus? { try await answer(connection).status }

  private static let providers: Set<TestPrincipal> = [.provider, .operator]
  private static let displays: Set<TestPrincipal> = [.display, .operator]
  private static let watchers: Set<TestPrincipal> = [.display, .viewer, .operator]
  private static let participants: Set<TestPrincipal> = [.provider, .otherProvider, .display, .viewer, .operator]
  private static let viewers: Set<TestPrincipal> = [.viewer, .operator]

  private static func unary<Q, S>(
    _ method: RPCMethod<Q, S>, _ request: Q, _ allowed: Set<TestPrincipal>
  ) -> AccessCase {
    AccessCase(path: method.path, allowed: allowed, kind: .unary) { connection in
      var response: S?
      let status = try await callStatus { response = try await connection.unary(method, request) }
      return Answer(response: response.map { "\($0)" }, status: status)
    }
  }

  private static func serverStreaming<Q, S>(
    _ method: RPCMethod<Q, S>, _ request: Q, _ allowed: Set<TestPrincipal>
  ) -> AccessCase {
    AccessCase(path: method.path, allowed: allowed, kind: .serverStreaming) { connection in
      var first: S?
      let status = try await callStatus {
        let call = try await connection.serverStreaming(method, request)
        defer { call.cancel() }
        for try await response in call.responses {
          first = response
          return
        }
      }
      return Answer(response: first.map { "\($0)" }, status: status)
    }
  }

  private static func provider<Q, S>(_ method: RPCMethod<Q, S>, attaching first: Q) -> AccessCase {
    bidirectional(method, first, providers)
  }

  private static func bidirectional<Q, S>(
    _ method: RPCMethod<Q, S>, _ first: Q, _ allowed: Set<TestPrincipal>
  ) -> AccessCase {
    AccessCase(path: method.path, allowed: allowed, kind: .bidirectional) { connection in
      var response: S?
      let status = try await callStatus {
        let call = try await connection.bidirectional(method)
        defer { call.cancel() }
        // A call that is rejected at once may end before the send: its status is more informative.
        try? await call.send(first)
        for try await message in call.responses {
          response = message
          return
        }
      }
      return Answer(response: response.map { "\($0)" }, status: status)
    }
  }

  static func all() throws -> [AccessCase] { try forProviders() + forDisplays() + forOperators() + forAnyone() }

  private static func forProviders() throws -> [AccessCase] {
    let (device, app) = (Fixture.device, Fixture.weatherApp)
    let donation = Habits.donation("first", Habits.intent("com.example.ShowRain"))
    return [
      unary(
        ProviderService.registerKinds,
        try .init(device: device, app: app, kinds: Fixture.descriptors(of: [Fixture.forecast])), providers),
      unary(ProviderService.registerIntentTypes, try .init(device: device, app: app, intentTypes: []), providers),
      // Nothing that later cases need is removed.
      unary(
        ProviderService.removeKinds, try .init(device: device, app: app, kinds: [.init("Nothing")]), providers),
      unary(
        ProviderService.removeIntentTypes, try .init(device: device, app: app, intentTypes: [.init("Nothing")]),
        providers),
      unary(ProviderService.setRelevantShortcuts, .init(device: device, app: app, shortcuts: []), providers),
      unary(ProviderService.setRelevantIntents, .init(device: device, app: app, intents: []), providers),
      unary(
        ProviderService.setUpcomingMedia, .init(device: device, app: app, media: try .init(intents: [])), providers),
      unary(ProviderService.listPlacedWidgets, .init(device: device, app: app), providers),
      unary(ProviderService.getStatistics, .init(device: device, app: app), providers),
      unary(ProviderService.requestReload, .init(device: device, app: app), providers),
      unary(ProviderService.donate, try .init(device: device, app: app, donations: [donation]), providers),
      unary(ProviderService.deleteDonations, .init(device: device, app: app, selection: .everything), providers),
      provider(ProviderService.streamDonations, attaching: .attach(device, app)),
      provider(ProviderService.provide, attaching: .attach(device, app)),
      provider(ProviderService.serveQueries, attaching: .attach(device, app)),
      serverStreaming(ProviderService.watchWidgetEvents, try .init(device: device, app: app), providers),
      unary(
        ProviderService.publishTimeline,
        try .init(
          device: device, app: app, widget: Fixture.forecast, entries: [Fixture.entry(Fixture.start, "sun")]),
        providers),
      serverStreaming(ProviderService.watchReloads, .init(device: device, app: app), providers),
      serverStreaming(ProviderService.watchQueries, .init(device: device, app: app), providers),
      // There is no such stream.
      unary(
        ProviderService.respondToQuery,
        .init(
          device: device, app: app, stream: try StreamKey("none"), number: 1, response: .outcome(IntentOutcome())),
        providers),
    ]
  }

  private static func forDisplays() throws -> [AccessCase] {
    let (device, stack) = (Fixture.device, Fixture.stack)
    return [
      unary(DisplayService.registerDevice, .init(device: device, timeZone: Fixture.berlin), displays),
      unary(DisplayService.getDeviceTime, .init(device: device), participants),
      unary(DisplayService.report, .init(device: device, report: .shown(stack)), displays),
      unary(DisplayService.editStack, .init(device: device, stack: stack, edit: .setSmartRotate(true)), displays),
      unary(DisplayService.listSuggestions, .init(device: device, surface: .lockScreen), watchers),
      serverStreaming(DisplayService.watchSurface, .init(device: device, surface: .lockScreen), watchers),
      unary(DisplayService.listPeople, .init(device: device, focus: try FocusID("work")), watchers),
      unary(DisplayService.listBlockedSuggestions, .init(device: device), watchers),
      unary(DisplayService.listFocusFilters, .init(device: device), watchers),
      unary(
        DisplayService.removeFocusFilter,
        .init(
          device: device, app: Fixture.weatherApp, focus: try FocusID("work"), intentType: try IntentType("Filter")),
        displays),
      unary(DisplayService.removeApp, .init(device: device, app: try AppID("com.example.nothing")), displays),
      serverStreaming(DisplayService.watch, try .init(device: device, stacks: []), watchers),
    ] + (try queries())
  }

  /// Queries from displays to an app; no provider responds.
  private static func queries() throws -> [AccessCase] {
    let (device, app, intent) = (Fixture.device, Fixture.weatherApp, try Intent(type: IntentType("CityIntent")))
    let query = try OptionsQuery(intent: intent, parameter: .init("city"))
    let form = FormQuery(kind: Fixture.forecast.kind.name, family: .systemSmall)
    return [
      unary(DisplayService.listParameterOptions, .init(device: device, app: app, query: query), displays),
      unary(DisplayService.getConfigurationForm, .init(device: device, app: app, query: form), displays),
      unary(
        DisplayService.configureWidget,
        .init(device: device, stack: Fixture.stack, widget: Fixture.forecast, configuration: intent), displays),
      // The type is not registered.
      unary(
        DisplayService.setFocusFilter, .init(device: device, app: app, focus: try FocusID("work"), intent: intent),
        displays),
      unary(DisplayService.matchPhrase, try .init(device: device, text: "show the weather"), displays),
      unary(
        DisplayService.continueInApp,
        .init(device: device, item: .stackWidget(Fixture.forecast, in: Fixture.stack)), displays),
      bidirectional(DisplayService.performIntent, .begin(device, app, IntentInvocation(intent)), displays),
      serverStreaming(
        DisplayService.runIntent, .init(device: device, app: app, invocation: IntentInvocation(intent)), displays),
      // There is no such run.
      unary(
        DisplayService.replyToPrompt,
        .init(device: device, run: try StreamKey("none"), prompt: 1, isAgreed: true), displays),
    ]
  }

  private static func forOperators() throws -> [AccessCase] {
    let (device, stack, only) = (Fixture.device, Fixture.stack, Set([TestPrincipal.operator]))
    return [
      unary(AdminService.listDevices, .init(), viewers),
      unary(AdminService.listStacks, .init(device: device), viewers),
      unary(AdminService.listWidgets, .init(device: device), viewers),
      unary(AdminService.inspectStack, .init(device: device, stack: stack), viewers),
      unary(AdminService.getTimeline, .init(device: device, widget: Fixture.forecast), viewers),
      unary(AdminService.explain, .init(device: device, stack: stack), viewers),
      unary(AdminService.whyNot, .init(device: device, stack: stack, widget: Fixture.score), viewers),
      unary(AdminService.listDecisions, .init(device: device), viewers),
      unary(AdminService.setDeveloperMode, .init(device: device, isEnabled: false), only),
      unary(AdminService.listShortcuts, .init(device: device), viewers),
      unary(AdminService.listStatistics, .init(device: device), viewers),
      unary(AdminService.getPolicy, .init(device: device), viewers),
      unary(AdminService.setPolicy, try .init(device: device), only),
      unary(AdminService.listDonations, .init(device: device), viewers),
      unary(AdminService.predict, .init(device: device), viewers),
      unary(AdminService.deleteAllDonations, .init(device: device), only),
      unary(AdminService.listWatchFace, .init(device: device), viewers),
      unary(AdminService.foresee, .init(device: device), viewers),
      serverStreaming(AdminService.watchActivity, try .init(), viewers),
      serverStreaming(AdminService.exportDevice, .init(device: device), viewers),
      unary(AdminService.getClock, .init(), viewers),
      unary(AdminService.getCluster, .init(), viewers),
      unary(AdminService.drainNode, .init(node: "none", isUndo: false), only),
      unary(AdminService.moveShard, .init(shard: 0, node: "none", isUndo: false), only),
      unary(AdminService.getLimits, .init(), viewers),
      unary(AdminService.createSession, try .init(role: .display, device: device, lifetime: .hours(1)), displays),
      unary(AdminService.listSessions, .init(), only),
      unary(AdminService.listStreams, .init(), only),
      unary(AdminService.revokeSession, .init(id: try SessionID("none")), only),
      unary(AdminService.simulate, try .init(text: "device: phone\ntime-zone: UTC\nbegin: 2021-06-07\n"), viewers),
      unary(AdminService.lint, try .init(text: "entries: []\n"), viewers),
      unary(AdminService.resetDeviceClock, .init(device: device), only),
      unary(AdminService.removeDevice, .init(device: try DeviceID("nothing")), only),
      unary(AdminService.advanceClock, .init(to: Fixture.after(.hours(1))), only),
      serverStreaming(AdminService.backup, .init(), only),
    ]
  }

  private static func forAnyone() -> [AccessCase] {
    [
      unary(HealthService.check, .init(), Set(TestPrincipal.allCases)),
      serverStreaming(HealthService.watch, .init(), Set(TestPrincipal.allCases)),
      unary(HealthService.list, .init(), Set(TestPrincipal.allCases)),
      bidirectional(ReflectionService.serverReflectionInfo, .init(.listServices()), Set(TestPrincipal.allCases)),
      bidirectional(ReflectionService.alphaServerReflectionInfo, .init(.listServices()), Set(TestPrincipal.allCases)),
    ]
  }
}
