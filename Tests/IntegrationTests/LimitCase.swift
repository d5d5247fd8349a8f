import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// A way to exceed one of the server's limits, and the expected status code.
struct LimitCase: Sendable, CustomTestStringConvertible {
  let name: String
  var code = StatusCode.resourceExhausted
  /// Lowers the limit, if it is configurable.
  var change: @Sendable (inout MarqueeConfiguration) -> Void = { _ in }
  /// Exceeds the limit and returns the resulting status.
  let pass: @Sendable (InProcessServer) async throws -> RPCStatus?

  var testDescription: String { name }

  /// The names of the limits, each once.
  static var names: [String] { Set(all.map(\.name)).sorted() }

  static let all = ofDevices + ofServer + ofConnections + ofRates + ofBudgets + ofValues

  private static func setting(
    _ name: String, _ path: WritableKeyPath<MarqueeConfiguration, Int> & Sendable, _ value: Int = 0,
    _ pass: @escaping @Sendable (InProcessServer) async throws -> RPCStatus?
  ) -> LimitCase {
    LimitCase(name: name, change: { $0[keyPath: path] = value }, pass: pass)
  }

  /// A case of a timeline, on a device with registered widgets.
  private static func timeline(
    _ name: String, _ path: WritableKeyPath<MarqueeConfiguration, Int> & Sendable, _ value: Int = 0,
    _ text: String = "rain"
  ) -> LimitCase {
    setting(name, path, value) { server in
      try await Fixture.register(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let answer = try await provider.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start, text)])
      return answer.rejection
    }
  }

  /// A case of a request, on a device with registered widgets.
  private static func call(
    _ name: String, _ path: WritableKeyPath<MarqueeConfiguration, Int> & Sendable,
    _ body: @escaping @Sendable (RPCClient) async throws -> Void
  ) -> LimitCase {
    setting(name, path) { server in
      try await Fixture.register(server.connection())
      return try await callStatus { try await body(server.connection()) }
    }
  }

  private static func report(
    _ name: String, _ path: WritableKeyPath<MarqueeConfiguration, Int> & Sendable, _ report: UserReport
  ) -> LimitCase {
    call(name, path) { try await DisplayClient($0).report(report, on: Fixture.device) }
  }

  private static func donation(
    _ name: String, _ path: WritableKeyPath<MarqueeConfiguration, Int> & Sendable
  ) -> LimitCase {
    call(name, path) { try await Habits.provider($0).donate([Habits.donation("a", Habits.intent("T"))]) }
  }

  /// A case of the bytes that an app writes on a device; one error names both limits.
  private static func write(_ name: String) -> LimitCase {
    LimitCase(
      name: name,
      change: {
        $0.appWriteSizeBurst = 1_000
        $0.appWriteSizeHourly = 0
      },
      pass: { server in
        try await Fixture.register(server.connection())
        var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
        let entry = Fixture.entry(Fixture.start, String(repeating: "a", count: 1_000))
        return try await provider.publish(1, Fixture.forecast, [entry]).rejection
      })
  }

  private static let ofDevices = [
    timeline("entry-count-max", \.limits.entryCountMax), timeline("content-size-max", \.limits.contentSizeMax),
    timeline("timeline-size-max", \.limits.timelineSizeMax),
    setting("kind-count-max", \.limits.kindCountMax) { server in
      try await callStatus { try await Fixture.register(server.connection()) }
    },
    setting("kind-count-max", \.limits.kindCountMax) { server in
      let kinds = [Fixture.forecast.kind.name]
      let request = try WatchWidgetEventsRequest(device: Fixture.device, app: Fixture.weatherApp, kinds: kinds)
      let connection = server.connection()
      let status = try await callStatus {
        let call = try await connection.serverStreaming(ProviderService.watchWidgetEvents, request)
        for try await _ in call.responses {}
      }
      return status?.message.hasPrefix("kinds: ") == true ? status : nil
    },
    setting("app-count-max", \.limits.appCountMax, 1) { server in
      try await callStatus { try await Fixture.register(server.connection()) }
    },
    call("stack-count-max", \.limits.stackCountMax) { connection in
      try await DisplayClient(connection).edit(Fixture.stack, on: Fixture.device, .create(.systemSmall))
    },
    setting("member-count-max", \.limits.memberCountMax, 1) { server in
      try await callStatus { try await Fixture.build(server.connection()) }
    },
    call("intent-type-count-max", \.limits.intentTypeCountMax) { connection in
      let types = [Habits.type("T", of: Habits.soupApp, [:], [])]
      let request = try RegisterIntentTypesRequest(device: Fixture.device, app: Habits.soupApp, intentTypes: types)
      _ = try await connection.unary(ProviderService.registerIntentTypes, request)
    },
    call("shortcut-count-max", \.limits.shortcutCountMax) { connection in
      let shortcuts = [try RelevantShortcut(kind: Fixture.forecast.kind.name)]
      let request = SetRelevantShortcutsRequest(device: Fixture.device, app: Fixture.weatherApp, shortcuts: shortcuts)
      _ = try await connection.unary(ProviderService.setRelevantShortcuts, request)
    },
    call("upcoming-media-count-max", \.limits.upcomingMediaCountMax) { connection in
      let media = try UpcomingMedia(intents: [Intent(type: IntentType("INPlayMediaIntent"))])
      let request = SetUpcomingMediaRequest(device: Fixture.device, app: Fixture.weatherApp, media: media)
      _ = try await connection.unary(ProviderService.setUpcomingMedia, request)
    },
    report("home-widget-count-max", \.limits.homeWidgetCountMax, .homeWidgetAdded(Fixture.forecast)),
    call("focus-filter-count-max", \.limits.focusFilterCountMax) { connection in
      let type = try IntentTypeDescriptor(
        app: Habits.soupApp, type: IntentType("F"), parameters: [], combinations: [], isFocusFilter: true)
      try await Habits.provider(connection).registerIntentTypes([type])
      try await DisplayClient(connection).setFocusFilter(
        Intent(type: type.type), of: type.app, in: FocusID("work"), on: Fixture.device)
    },
    report("block-count-max", \.limits.blockCountMax, .widgetSuggestionBlocked(Fixture.forecast, true)),
    donation("donation-batch-count-max", \.limits.donationBatchCountMax),
    donation("donation-size-max", \.limits.donationSizeMax),
    call("donation-size-max", \.limits.donationSizeMax) { connection in
      let shortcuts = [try RelevantShortcut(userActivity: UserActivity(type: .init("com.example.weather.map")))]
      let request = SetRelevantShortcutsRequest(device: Fixture.device, app: Fixture.weatherApp, shortcuts: shortcuts)
      _ = try await connection.unary(ProviderService.setRelevantShortcuts, request)
    },
    donation("donation-count-max", \.limits.donationCountMax),
    donation("app-donation-count-max", \.limits.appDonationCountMax),
    LimitCase(name: "received-count-max") { server in
      try await Fixture.register(server.connection())
      let message = Donation.Activity.received(try Intent(type: .sendMessage))
      let donations = (0...Donation.receivedCountMax).map { Habits.donation("\($0)", message) }
      return try await callStatus { _ = try await Habits.provider(server.connection()).donate(donations) }
    },
    setting("configuration-size-max", \.limits.configurationSizeMax) { server in
      let kind = WidgetKind(app: Fixture.weatherApp, name: try KindName("City"))
      let intent = try Intent(type: IntentType("ChooseCity"))
      let connection = server.connection()
      try await Fixture.register(connection)
      let descriptor = try WidgetDescriptor(
        kind: kind, displayName: "City", families: [.systemSmall], configuration: .intent(intent.type))
      let request = try RegisterKindsRequest(device: Fixture.device, app: kind.app, kinds: [descriptor])
      _ = try await connection.unary(ProviderService.registerKinds, request)
      let widget = Widget(kind: kind, configuration: intent)
      return try await callStatus {
        try await DisplayClient(connection).report(.homeWidgetAdded(widget), on: Fixture.device)
      }
    },
    call("shortcut-size-max", \.limits.shortcutSizeMax) { connection in
      let shortcuts = [try RelevantShortcut(intent: Intent(type: IntentType("T")))]
      let request = SetRelevantShortcutsRequest(device: Fixture.device, app: Fixture.weatherApp, shortcuts: shortcuts)
      _ = try await connection.unary(ProviderService.setRelevantShortcuts, request)
    },
    call("intent-type-size-max", \.limits.intentTypeSizeMax) { connection in
      let types = [Habits.type("T", of: Habits.soupApp, [:], [])]
      let request = try RegisterIntentTypesRequest(device: Fixture.device, app: Habits.soupApp, intentTypes: types)
      _ = try await connection.unary(ProviderService.registerIntentTypes, request)
    },
    setting("description-size-max", \.limits.descriptionSizeMax) { server in
      try await callStatus { try await Fixture.register(server.connection()) }
    },
    timeline("device-size-max", \.limits.deviceSizeMax),
  ]

  private static let ofServer = [
    setting("device-count-max", \.deviceCountMax, 1) { server in
      let display = server.display()
      _ = try await display.registerDevice(Fixture.device, timeZone: Fixture.berlin)
      _ = try await display.registerDevice(Fixture.device, timeZone: Fixture.berlin)
      return try await callStatus {
        _ = try await display.registerDevice(Fixture.otherDevice, timeZone: Fixture.berlin)
      }
    },
    LimitCase(name: "settings-file-size-max") { server in
      let file = server.directory.file("settings.yaml")
      try Data(count: 1 << 20 + 1).write(to: URL(filePath: file))
      do { try SettingsFile.check(settingsAt: file) } catch { return RPCStatus(.resourceExhausted, "\(error)") }
      return nil
    },
    setting("queued-event-count-max", \.queuedEventCountMax, 1) { server in
      try await Fixture.build(server.connection())
      let display = server.display()
      return try await withThrowingTaskGroup(of: RPCStatus?.self) { group in
        for _ in 1...500 {
          group.addTask { try await callStatus { try await display.report(.shown(Fixture.stack), on: Fixture.device) } }
        }
        return try await group.reduce(nil) { $0 ?? $1 }
      }
    },
    timeline(
      "queued-content-size-max", \.queuedContentSizeMax, 2_000, String(repeating: "rain", count: 500)),
    setting("relearned-donation-rate-max", \.relearnedDonationRateMax, 1) { server in
      try await Fixture.register(server.connection())
      let provider = Habits.provider(server.connection())
      try await provider.donate((0..<200).map { Habits.donation("\($0)", Habits.intent("T")) })
      return try await callStatus { _ = try await provider.deleteDonations(.identifiers([Donation.ID("1")])) }
    },
    write("app-write-size-burst"), write("app-write-size-hourly"),
    LimitCase(name: "query-count-max") { server in
      try await Fixture.register(server.connection())
      let connection = server.connection()
      let call = try await connection.bidirectional(ProviderService.serveQueries)
      defer { withExtendedLifetime(connection) { call.cancel() } }
      var queries = call.responses.makeAsyncIterator()
      try await call.send(.attach(Fixture.device, Fixture.weatherApp))
      _ = try await queries.nextInTime()
      let display = DisplayClient(server.connection())
      let query = try OptionsQuery(intent: Intent(type: IntentType("T")), parameter: .init("p"))
      return try await withThrowingTaskGroup { group in
        defer { group.cancelAll() }
        // No provider responds; the query over the limit ends first.
        for _ in 0...64 {
          group.addTask {
            try await callStatus { _ = try await display.options(query, of: Fixture.weatherApp, on: Fixture.device) }
          }
        }
        return try await group.next() ?? nil
      }
    },
    LimitCase(name: "widget-event-stream-count-max") { server in
      try await Fixture.register(server.connection())
      let connection = server.connection()
      let request = try WatchWidgetEventsRequest(device: Fixture.device, app: Fixture.weatherApp)
      var calls: [ClientCall<WatchWidgetEventsRequest, WatchWidgetEventsResponse>] = []
      defer { withExtendedLifetime(connection) { for call in calls { call.cancel() } } }
      for _ in 0..<8 {
        let call = try await connection.serverStreaming(ProviderService.watchWidgetEvents, request)
        calls.append(call)
        var responses = call.responses.makeAsyncIterator()
        guard case .attached? = try await responses.nextInTime() else { return nil }
      }
      return try await callStatus {
        let call = try await connection.serverStreaming(ProviderService.watchWidgetEvents, request)
        for try await _ in call.responses {}
      }
    },
    LimitCase(name: "session-count-max") { server in
      let (now, end) = (Int64(time(nil)) * 1_000, Int64(time(nil)) * 1_000 + 3_600_000)
      let sessions = (0..<1_000).map { number in
        #"{"id":"\#(number)","hash":"","role":"viewer","created":\#(now),"expires":\#(end),"creator":""}"#
      }
      let content = #"{"version":1,"sessions":[\#(sessions.joined(separator: ","))]}"#
      let file = server.directory.file("data/sessions.json")
      try await server.restart { try content.write(toFile: file, atomically: true, encoding: .utf8) }
      return try await callStatus {
        _ = try await server.admin().createSession(CreateSessionRequest(role: .viewer, lifetime: .hours(1)))
      }
    },
    LimitCase(name: "backup-count-max") { server in
      // More data than fits in the send buffers of a client that never reads.
      try await Fixture.register(server.connection())
      let provider = Habits.provider(server.connection())
      let text = IntentValue.string(String(repeating: "a", count: 4_000))
      let donations = (0..<150).map { Habits.donation("\($0)", Habits.intent("T", ["p": text])) }
      try await provider.donate(donations)
      var raw = try await RawClient(server.endpoint)
      raw.push(RawFrame.hello + RawFrame.open(1, AdminService.backup.path) + RawFrame.message(1, []))
      _ = await raw.frames { $0.type == 4 }
      return try await callStatus { for try await _ in server.admin().backup() {} }
    },
  ]
}

extension ProviderEvent {
  /// The status of a rejected timeline.
  var rejection: RPCStatus? {
    guard case .rejected(_, let code, let message, _) = self else { return nil }
    return RPCStatus(code, message)
  }
}
