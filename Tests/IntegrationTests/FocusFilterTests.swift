import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Focus filters over sockets (rule S11).
@Suite("Focus filters over sockets", .timeLimit(.minutes(2)))
struct FocusFilterTests {
  private static let app = Fixture.weatherApp
  private static let work = valid { try FocusID("work") }
  private static let sleep = valid { try FocusID("sleep") }

  private static func type(_ name: String, isFocusFilter: Bool = true) -> IntentTypeDescriptor {
    valid {
      try IntentTypeDescriptor(
        app: app, type: IntentType(name), parameters: [.init(name: .init("city"), type: .string)], combinations: [],
        isFocusFilter: isFocusFilter, title: "Set City")
    }
  }

  private static func intent(_ city: String, _ type: String = "Filter") -> Intent {
    valid { try Intent(type: IntentType(type), parameters: Habits.values(["city": .string(city)])) }
  }

  private func run(
    _ change: @escaping @Sendable (inout MarqueeConfiguration) -> Void = { _ in }, types: [String] = ["Filter"],
    _ body: @escaping (InProcessServer, DisplayClient) async throws -> Void
  ) async throws {
    try await InProcessServer.run(change) { server in
      try await Fixture.build(server.connection())
      try await Habits.provider(server.connection(), Self.app).registerIntentTypes(types.map { Self.type($0) })
      try await body(server, server.display())
    }
  }

  private func begin(_ focus: FocusID?, _ display: DisplayClient) async throws {
    try await display.report(.contextChanged(.focus(focus)), on: Fixture.device)
  }

  /// Returns the next state, such as `Filter Oslo in work`, with `first` for an initial one.
  private func next(_ provider: inout QueryProvider) async throws -> String {
    guard case .focusFilter(let state) = try await provider.next() else { throw UnexpectedMessage() }
    let value = state.intent?.parameters.first?.value
    guard case .single(.string(let city))? = value, let focus = state.focus else {
      return "\(state.isInitial ? "first " : "")\(state.intentType)"
    }
    return "\(state.isInitial ? "first " : "")\(state.intentType) \(city) in \(focus)"
  }

  private struct UnexpectedMessage: Error {}

  @Test("S11 An app receives the state of its filters when it attaches, when a Focus begins and when it ends")
  func focus() async throws {
    try await run { server, display in
      try await display.setFocusFilter(Self.intent("Oslo"), of: Self.app, in: Self.work, on: Fixture.device)
      var first = try await QueryProvider(server.connection())
      #expect(try await next(&first) == "first Filter")
      try await begin(Self.work, display)
      #expect(try await next(&first) == "Filter Oslo in work")
      try await display.setFocusFilter(Self.intent("Rome"), of: Self.app, in: Self.work, on: Fixture.device)
      #expect(try await next(&first) == "Filter Rome in work")
      // Only the stream that attached last performs filters.
      var second = try await QueryProvider(server.connection())
      #expect(try await next(&second) == "first Filter Rome in work")
      try await begin(Self.sleep, display)
      #expect(try await next(&second) == "Filter")
      try await begin(Self.work, display)
      #expect(try await next(&second) == "Filter Rome in work")
      try await display.setFocusFilter(Self.intent("Bonn"), of: Self.app, in: Self.work, on: Fixture.device)
      #expect(try await next(&second) == "Filter Bonn in work")
      second.call.cancel()
      #expect(try await next(&first) == "Filter Bonn in work")
    }
  }

  @Test("S11 Filters are listed and removed, survive a restart, and are in the device's history")
  func stored() async throws {
    try await run { server, display in
      let key = FocusFilter.Key(app: Self.app, intentType: try IntentType("Filter"), focus: Self.work)
      try await display.setFocusFilter(Self.intent("Oslo"), of: Self.app, in: Self.work, on: Fixture.device)
      try await begin(Self.work, display)
      try await server.restart()
      let display = server.display()
      let listed = try await display.focusFilters(on: Fixture.device)
      #expect(
        listed.filters == [FocusFilter(app: Self.app, focus: Self.work, intent: Self.intent("Oslo"), isInForce: true)])
      #expect(listed.displays.map(\.title) == ["Set City"])
      let inspected = try await server.admin().inspect(Fixture.stack, on: Fixture.device)
      #expect(inspected.focusFilters == listed.filters)
      var provider = try await QueryProvider(server.connection())
      #expect(try await next(&provider) == "first Filter Oslo in work")
      #expect(try await display.removeFocusFilter(key, on: Fixture.device))
      #expect(try await next(&provider) == "Filter")
      let again = try await display.removeFocusFilter(key, on: Fixture.device)
      #expect(!again)
      let rest = try await display.focusFilters(on: Fixture.device)
      #expect(rest.filters.isEmpty)
      var steps: [DeviceRecord.Step] = []
      for try await record in server.admin().history(of: Fixture.device) { steps.append(record.step) }
      #expect(
        steps.contains(
          .focusFilterSet(
            SetFocusFilterRequest(
              device: Fixture.device, app: Self.app, focus: Self.work, intent: Self.intent("Oslo")))))
      #expect(
        steps.contains(
          .focusFilterRemoved(
            RemoveFocusFilterRequest(
              device: Fixture.device, app: Self.app, focus: Self.work, intentType: key.intentType))))
    }
  }

  @Test("S11 Invalid filters are rejected with the field, and change nothing")
  func errors() async throws {
    try await run { server, display in
      let unknown = await #expect(throws: RPCStatus.self) {
        try await display.setFocusFilter(Self.intent("a", "Other"), of: Self.app, in: Self.work, on: Fixture.device)
      }
      #expect(unknown?.code == .failedPrecondition && unknown?.message.hasPrefix("intent.type: ") == true)
      let wrong = valid { try Intent(type: IntentType("Filter"), parameters: Habits.values(["city": .integer(1)])) }
      let status = await #expect(throws: RPCStatus.self) {
        try await display.setFocusFilter(wrong, of: Self.app, in: Self.work, on: Fixture.device)
      }
      #expect(status?.code == .invalidArgument)
      #expect(status?.message == "intent.parameters.city: value must be of type string")
      let listed = try await display.focusFilters(on: Fixture.device)
      #expect(listed.filters.isEmpty)
    }
  }

  @Test("W6 S11 After an intent type is removed, no stream of its app receives the values of its filter")
  func removalOfType() async throws {
    try await run { server, display in
      try await display.setFocusFilter(Self.intent("Oslo"), of: Self.app, in: Self.work, on: Fixture.device)
      var first = try await QueryProvider(server.connection())
      #expect(try await next(&first) == "first Filter")
      var second = try await QueryProvider(server.connection())
      #expect(try await next(&second) == "first Filter")
      try await begin(Self.work, display)
      #expect(try await next(&second) == "Filter Oslo in work")
      let provider = Habits.provider(server.connection(), Self.app)
      #expect(try await provider.removeIntentTypes([IntentType("Filter")]) == 1)
      #expect(try await next(&second) == "Filter")
      // The first stream has not been sent the filter while the second one was attached.
      second.call.cancel()
      #expect(try await next(&first) == "Filter")
    }
  }

  @Test("W6 After an intent type, an app or a device is removed, no byte of its filters is in any file")
  func removal() async throws {
    try await run { server, display in
      let directory = server.directory.file("data")
      for (number, word) in ["secret-type", "secret-app", "secret-device"].enumerated() {
        try await Habits.provider(server.connection(), Self.app).registerIntentTypes([Self.type("Filter")])
        try await display.setFocusFilter(Self.intent(word), of: Self.app, in: Self.work, on: Fixture.device)
        try await begin(number == 0 ? nil : Self.work, display)
        #expect(try Habits.found([word], in: directory) == [word])
        switch number {
        case 0:
          let provider = Habits.provider(server.connection(), Self.app)
          #expect(try await provider.removeIntentTypes([IntentType("Filter")]) == 1)
        case 1: #expect(try await display.removeApp(Self.app, from: Fixture.device))
        default: #expect(try await server.admin().removeDevice(Fixture.device))
        }
        #expect(try Habits.found([word], in: directory) == [])
      }
    }
  }

  @Test(
    "S11 Many filters do not exceed the backlog of a stream; a slow provider receives the latest state of each type")
  func backlog() async throws {
    let names = (0..<40).map { "Filter\($0)" }
    let (large, last) = (String(repeating: "x", count: 4_000), valid { try FocusID("last") })
    try await run({ $0.transport.limits.streamBacklogSizeMax = 16_384 }, types: names) { server, display in
      for name in names {
        for (focus, city) in [(Self.work, "work"), (Self.sleep, "sleep"), (last, "last")] {
          try await display.setFocusFilter(
            Self.intent(city + large, name), of: Self.app, in: focus, on: Fixture.device)
        }
      }
      try await begin(Self.work, display)
      let request = WireBytes.field(1, WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, Self.app.text))
      var raw = try await RawClient(server.endpoint)
      let open = RawFrame.open(1, ProviderService.serveQueries.path)
      raw.push(RawFrame.hello + open + RawFrame.message(1, request, flags: 0))
      // A part of the initial state, until credit is granted.
      let frames = await raw.frames { $0.type == 4 }
      for focus in [Self.sleep, Self.work, nil, Self.sleep, nil, Self.work, last] {
        try await begin(focus, display)
      }
      raw.push(RawFrame.credit(1, 1 << 20) + RawFrame.credit(0, 1 << 20))
      var payload = frames.filter { $0.type == 4 }.flatMap(\.payload)
      func text() -> String { String(decoding: payload, as: UTF8.self) }
      _ = await raw.frames { frame in
        if frame.type == 4 { payload += frame.payload }
        return frame.type == 5 || text().components(of: "lastx") == names.count
      }
      #expect(text().components(of: "lastx") == names.count)
      // States that were sent before the stream was full are received, too.
      #expect(text().components(of: "workx") + text().components(of: "sleepx") < names.count)
    }
  }
}

extension String {
  /// The number of occurrences of a word.
  fileprivate func components(of word: String) -> Int {
    var (count, rest) = (0, self[...])
    while let range = rest.range(of: word) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
