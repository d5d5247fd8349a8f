import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Floods of calls that the server relays to apps which do not respond or read.
  static let relays = [
    AttackCase(
      number: 83, summary: "400 spoken phrases at once, to an app that resolves no parameter",
      way: .waitingAlone { try await AttackHarness.run { try await phrases($0) } }),
    AttackCase(
      number: 84, summary: "400 taps to continue at once, to an app that does not respond",
      way: .waitingAlone { try await AttackHarness.run { try await continuations($0) } }),
    AttackCase(
      number: 85, summary: "9 streams of widget events, and 5 000 taps that none of them reads", growthMax: 24,
      way: .waitingAlone { try await AttackHarness.run { try await widgetEvents($0) } }),
    AttackCase(
      number: 88, summary: "more Focus filters than a device may have, and 2 000 changes of the Focus",
      way: .waitingAlone { try await AttackHarness.run { try await focusFilters($0) } }),
  ]

  private static let callCount = 400
  private static let connectionCount = 4

  /// Runs calls concurrently over several connections, and returns the number of each status; `nil` for success.
  private static func statuses(
    _ harness: AttackHarness, _ call: @escaping @Sendable (DisplayClient, Int) async throws -> Void
  ) async -> [StatusCode?: Int] {
    let displays = (0..<connectionCount).map { _ in DisplayClient(harness.client(harness.tcp)) }
    return await withTaskGroup(of: StatusCode?.self) { group in
      for index in 0..<callCount {
        let display = displays[index % connectionCount]
        group.addTask {
          do {
            try await call(display, index)
            return nil
          } catch {
            return (error as? RPCStatus)?.code ?? .unknown
          }
        }
      }
      return await group.reduce(into: [:]) { ends, code in ends[code, default: 0] += 1 }
    }
  }

  // MARK: Phrases

  private static func phrases(_ harness: AttackHarness) async throws -> String {
    let place = PhraseTemplate.Parameter(try .init("place"), type: .object, hasOptions: true)
    let shortcut = try AppShortcutDescriptor(
      intent: Intent(type: IntentType("Show")),
      phrases: [PhraseTemplate([.text("Show "), .parameter(place), .text(" in "), .applicationName])],
      shortTitle: "Show", imageName: "map")
    let book = try PhraseBook(applicationName: "Weather", shortcuts: [shortcut])
    let provider = try await QueryProvider(harness.client(), phrases: book)
    let measurement = try await Measurement.of(harness, growthMax: 16, repeats: false) { _ in
      let ends = await statuses(harness) { display, index in
        let matches = try await display.matchPhrase("show place \(index) in weather", on: Fixture.device)
        try require(matches.isEmpty, "\(matches.count) matches")
      }
      try require(ends == [nil: callCount], "\(ends)")
      return "\(callCount) without matches"
    }
    try await settle(harness)
    provider.call.cancel()
    return measurement.words
  }

  // MARK: Continuations

  private static func continuations(_ harness: AttackHarness) async throws -> String {
    let provider = try await QueryProvider(harness.client())
    let measurement = try await Measurement.of(harness, growthMax: 16, repeats: false) { _ in
      let ends = await statuses(harness) { display, _ in
        try await withThrowingTaskGroup { group in
          // The app has 30 s to respond; the display gives up before.
          group.addTask {
            _ = try await display.continueInApp(
              .stackWidget(Fixture.forecast, in: Fixture.stack), on: Fixture.device, isRepeat: true)
          }
          group.addTask { try await Task.sleep(for: .seconds(2)) }
          defer { group.cancelAll() }
          try await group.next()
        }
      }
      // At most 64 queries wait for the app (query-count-max).
      let rejectedCount = ends[.resourceExhausted] ?? 0
      try require(rejectedCount >= callCount - 64 && ends[nil] ?? 0 <= 64, "\(ends)")
      return "\(rejectedCount) of \(callCount) rejected"
    }
    try await settle(harness)
    provider.call.cancel()
    return measurement.words
  }

  // MARK: Widget events

  private static func widgetEvents(_ harness: AttackHarness) async throws -> String {
    let request = try WatchWidgetEventsRequest(device: Fixture.device, app: Fixture.weatherApp)
    let (client, display) = (harness.client(harness.tcp), DisplayClient(harness.client()))
    var cancels: [() -> Void] = []
    defer { for cancel in cancels { cancel() } }
    for _ in 1...8 {
      let watch = try await client.serverStreaming(ProviderService.watchWidgetEvents, request)
      var events = watch.responses.makeAsyncIterator()
      guard case .attached? = try await events.next() else { throw RequirementFailure("not attached") }
      cancels.append { watch.cancel() }
    }
    let ninth = try await client.serverStreaming(ProviderService.watchWidgetEvents, request)
    let end = try await callStatus { for try await _ in ninth.responses {} }
    try require(end?.code == .resourceExhausted, "the ninth stream: \(end as Any)")
    let measurement = try await Measurement.of(harness, growthMax: 24, repeats: false) { _ in
      for _ in 1...5_000 {
        try await display.report(.tapped(Fixture.stack, Fixture.forecast), on: Fixture.device)
      }
      return "the ninth stream rejected; 5000 taps"
    }
    return measurement.words
  }

  // MARK: Focus filters

  private static func focusFilters(_ harness: AttackHarness) async throws -> String {
    let (client, display) = (harness.client(), DisplayClient(harness.client(harness.tcp)))
    let city = try IntentParameter.Name("city")
    let type = try IntentTypeDescriptor(
      app: Fixture.weatherApp, type: IntentType("Filter"), parameters: [.init(name: city, type: .string)],
      combinations: [], isFocusFilter: true)
    _ = try await client.unary(
      ProviderService.registerIntentTypes,
      RegisterIntentTypesRequest(device: Fixture.device, app: Fixture.weatherApp, intentTypes: [type]))
    // It does not read its states.
    let provider = try await QueryProvider(harness.client())
    let value = IntentParameter(name: city, value: .single(.string("Oslo")))
    let filter = try Intent(type: IntentType("Filter"), parameters: [value])
    let countMax = Limits().focusFilterCountMax
    let measurement = try await Measurement.of(harness, growthMax: 16, repeats: false, trialCountMax: 1) { _ in
      for number in 0..<countMax {
        try await display.setFocusFilter(
          filter, of: Fixture.weatherApp, in: FocusID("focus-\(number)"), on: Fixture.device)
      }
      let end = try await callStatus {
        try await display.setFocusFilter(
          filter, of: Fixture.weatherApp, in: FocusID("one-more"), on: Fixture.device)
      }
      try require(end?.code == .resourceExhausted, "one filter more: \(end as Any)")
      for round in 0..<2_000 {
        let focus = round.isMultiple(of: 2) ? try FocusID("focus-\(round % countMax)") : nil
        try await display.report(.contextChanged(.focus(focus)), on: Fixture.device)
      }
      return "\(countMax) filters, one more rejected; 2000 changes"
    }
    provider.call.cancel()
    return measurement.words
  }

  /// Waits until the calls have ended, except for the attached stream and the latency probe's.
  private static func settle(_ harness: AttackHarness) async throws {
    _ = try await harness.wait(until: "marquee_calls_running", isAtMost: 2, within: .seconds(5))
  }
}
