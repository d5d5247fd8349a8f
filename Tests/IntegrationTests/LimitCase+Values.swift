import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension LimitCase {
  /// A case of a request that the model types cannot represent, on a device with registered widgets.
  private static func bytes(
    _ name: String, code: StatusCode = .resourceExhausted, _ path: String, _ body: [UInt8]
  ) -> LimitCase {
    LimitCase(name: name, code: code) { server in
      try await Fixture.register(server.connection())
      let request = WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, Fixture.weatherApp.text) + body
      return try await callStatus { _ = try await server.connection().unary(WireBytes.unary(path), request) }
    }
  }

  /// A donation of an intent with these parameters.
  private static func donation(_ name: String, _ parameters: [[UInt8]]) -> LimitCase {
    let intent = WireBytes.field(1, "T") + parameters.flatMap { WireBytes.field(2, $0) }
    let donation = WireBytes.field(1, "a") + WireBytes.field(3, Fixture.start.milliseconds) + WireBytes.field(4, intent)
    return bytes(name, ProviderService.donate.path, WireBytes.field(3, donation))
  }

  private static func parameter(_ name: String, _ values: [[UInt8]]) -> [UInt8] {
    WireBytes.field(1, name) + values.flatMap { WireBytes.field(2, $0) } + WireBytes.field(3, Int64(1))
  }

  /// A case of a watch with an interval of heartbeats in milliseconds.
  private static func heartbeat(_ name: String, _ interval: Int64) -> LimitCase {
    LimitCase(name: name, code: .invalidArgument) { server in
      try await Fixture.register(server.connection())
      let connection = server.connection()
      defer { withExtendedLifetime(connection) {} }
      let method = RPCMethod<[UInt8], DisplayUpdate>(
        path: DisplayService.watch.path, kind: .serverStreaming, request: .bytes,
        response: DisplayService.watch.response)
      let request = WireBytes.field(1, Fixture.device.text) + WireBytes.field(4, interval)
      return try await callStatus {
        for try await _ in try await connection.serverStreaming(method, request).responses { return }
      }
    }
  }

  private static let number = WireBytes.field(2, Int64(1))
  private static let long = [UInt8](repeating: 0x61, count: 4_097)

  /// A case of App Shortcuts, on a device with registered widgets.
  private static func shortcuts(_ name: String, _ shortcuts: [[UInt8]]) -> LimitCase {
    LimitCase(name: name) { server in
      try await Fixture.register(server.connection())
      let connection = server.connection()
      let method = RPCMethod<[UInt8], ProviderQuery>(
        path: ProviderService.serveQueries.path, kind: .bidirectional, request: .bytes,
        response: ProviderService.serveQueries.response, requestSizeMax: 1 << 20)
      let call = try await connection.bidirectional(method)
      defer { withExtendedLifetime(connection) { call.cancel() } }
      let attach = WireBytes.attach(Fixture.device, Fixture.weatherApp)
      try await call.send(attach + shortcuts.flatMap { WireBytes.field(3, $0) } + WireBytes.field(4, "Weather"))
      return try await callStatus { for try await _ in call.responses { return } }
    }
  }

  /// An App Shortcut whose phrases consist of a text and the application name.
  private static func shortcut(_ phrases: [String], title: String = "") -> [UInt8] {
    let intent = WireBytes.field(1, WireBytes.field(1, "T"))
    let name = WireBytes.field(1, WireBytes.field(2, Int64(1)))
    let bodies = phrases.map { WireBytes.field(1, WireBytes.field(1, $0)) + name }
    return intent + bodies.flatMap { WireBytes.field(2, $0) } + WireBytes.field(3, title)
  }

  /// An App Shortcut whose intent has 20 KiB of texts.
  private static var largeShortcut: [UInt8] {
    let text = WireBytes.field(1, [UInt8](repeating: 0x61, count: 4_096))
    let parameters = (0..<5).flatMap { WireBytes.field(2, parameter("p\($0)", [text])) }
    let phrase = WireBytes.field(1, WireBytes.field(2, Int64(1)))
    return WireBytes.field(1, WireBytes.field(1, "T") + parameters) + WireBytes.field(2, phrase)
  }

  /// A further phrase of an App Shortcut, with 17 parts.
  private static var crowdedPhrase: [UInt8] {
    WireBytes.field(2, (0..<17).flatMap { WireBytes.field(1, WireBytes.field(1, "\($0)")) })
  }

  /// A registration of an intent type with a further field.
  private static func type(_ name: String, _ field: [UInt8]) -> LimitCase {
    bytes(name, ProviderService.registerIntentTypes.path, WireBytes.field(3, WireBytes.field(1, "T") + field))
  }

  /// A combination with texts.
  private static func texts(_ texts: [UInt8]) -> [UInt8] { WireBytes.field(3, WireBytes.field(3, texts)) }

  /// An intent with a reservation whose travel time is longer than a day.
  private static var longTrip: [UInt8] {
    let travelTime = WireBytes.field(6, Int64(86_400_001))
    let reservation = WireBytes.field(1, WireBytes.field(1, "x")) + WireBytes.field(2, Int64(1)) + travelTime
    return WireBytes.field(1, WireBytes.field(1, "T")) + WireBytes.field(2, reservation)
  }

  static let ofValues = [
    LimitCase(name: "identifier-size-max", code: .invalidArgument) { server in
      let request = WireBytes.field(1, String(repeating: "a", count: 256)) + WireBytes.field(2, "UTC")
      let method = WireBytes.unary(DisplayService.registerDevice.path)
      return try await callStatus { _ = try await server.connection().unary(method, request) }
    },
    LimitCase(name: "language-size-max", code: .invalidArgument) { server in
      let device = WireBytes.field(1, "phone") + WireBytes.field(2, "UTC")
      let request = device + WireBytes.field(3, String(repeating: "a", count: 36))
      let method = WireBytes.unary(DisplayService.registerDevice.path)
      return try await callStatus { _ = try await server.connection().unary(method, request) }
    },
    LimitCase(name: "media-type-size-max", code: .invalidArgument) { server in
      try await Fixture.register(server.connection())
      let call = try await server.connection().bidirectional(WireBytes.provide)
      var events = call.responses.makeAsyncIterator()
      try await call.send(WireBytes.attach(Fixture.device, Fixture.weatherApp))
      _ = try await events.nextInTime()
      let content = WireBytes.field(3, WireBytes.field(1, String(repeating: "a", count: 256)))
      let entry = WireBytes.field(1, Fixture.start.milliseconds) + content
      try await call.send(WireBytes.timeline(1, widget: WireBytes.widget(Fixture.forecast), entries: [entry]))
      return try await events.nextInTime()?.rejection
    },
    LimitCase(name: "link-size-max") { server in
      try await Fixture.register(server.connection())
      let call = try await server.connection().bidirectional(WireBytes.provide)
      var events = call.responses.makeAsyncIterator()
      try await call.send(WireBytes.attach(Fixture.device, Fixture.weatherApp))
      _ = try await events.nextInTime()
      let details = WireBytes.field(4, String(repeating: "a", count: 2_049))
      let entry = WireBytes.field(1, Fixture.start.milliseconds) + WireBytes.field(4, details)
      try await call.send(WireBytes.timeline(1, widget: WireBytes.widget(Fixture.forecast), entries: [entry]))
      return try await events.nextInTime()?.rejection
    },
    donation("parameter-count-max", (0..<65).map { parameter("p\($0)", [number]) }),
    donation("element-count-max", [parameter("p", Array(repeating: number, count: 257))]),
    donation("string-size-max", [parameter("p", [WireBytes.field(1, long)])]),
    bytes(
      "combination-count-max", ProviderService.registerIntentTypes.path,
      WireBytes.field(
        3,
        WireBytes.field(1, "T") + (0..<17).flatMap { _ in WireBytes.field(3, WireBytes.field(2, Int64(1))) })),
    type("text-size-max", WireBytes.field(7, String(repeating: "a", count: 1_025))),
    type("text-reference-count-max", texts(WireBytes.field(1, String(repeating: "${p}", count: 17)))),
    type("keyword-count-max", texts((0..<33).flatMap { WireBytes.field(6, "\($0)") })),
    type(
      "enum-case-count-max",
      WireBytes.field(
        2,
        WireBytes.field(1, "p") + WireBytes.field(2, Int64(6))
          + (0..<257).flatMap { WireBytes.field(4, WireBytes.field(1, "\($0)") + WireBytes.field(2, "x")) })),
    bytes(
      "provider-count-max", ProviderService.setRelevantShortcuts.path,
      WireBytes.field(
        3,
        WireBytes.field(1, "Forecast") + WireBytes.field(3, Int64(1))
          + (0..<65).flatMap { _ in WireBytes.field(4, WireBytes.field(4, Int64(1))) })),
    bytes(
      "group-count-max", ProviderService.setRelevantShortcuts.path,
      (0..<17).flatMap { number in
        WireBytes.field(
          3, WireBytes.field(1, "Forecast") + WireBytes.field(3, Int64(1)) + WireBytes.field(6, "group \(number)"))
      }),
    LimitCase(name: "link-size-max") { server in
      try await Fixture.build(server.connection())
      let tap =
        WireBytes.field(1, WireBytes.widget(Fixture.forecast)) + WireBytes.field(2, Fixture.stack.text)
        + WireBytes.field(4, "app:" + String(repeating: "a", count: 2_045))
      let request = WireBytes.field(1, Fixture.device.text) + WireBytes.field(3, tap)
      let method = WireBytes.unary(DisplayService.continueInApp.path)
      return try await callStatus { _ = try await server.connection().unary(method, request) }
    },
    bytes(
      "kind-description-size-max", ProviderService.registerKinds.path,
      WireBytes.field(
        3,
        WireBytes.field(1, "K") + WireBytes.field(3, Int64(1))
          + WireBytes.field(5, String(repeating: "a", count: 1_025)))),
    bytes(
      "widget-length-max", code: .invalidArgument, DisplayService.report.path,
      WireBytes.field(
        25,
        WireBytes.field(1, Int64(1))
          + WireBytes.field(2, WireBytes.field(1, 170.0) + WireBytes.field(2, 4_097.0)))),
    LimitCase(name: "reservation-count-max") { server in
      try await Fixture.register(server.connection())
      let reservations = try (0..<33).map { number in
        try Reservation(item: DisplayIdentity(identifier: "\(number)", display: "x"), start: Fixture.after(.hours(1)))
      }
      let donation = Habits.donation("a", .reservations(try Intent(type: IntentType("Book")), reservations))
      return try await callStatus { try await Habits.provider(server.connection()).donate([donation]) }
    },
    bytes(
      "travel-time-max", ProviderService.donate.path,
      WireBytes.field(3, WireBytes.field(1, "a") + WireBytes.field(3, Int64(1)) + WireBytes.field(6, longTrip))),
    bytes(
      "name-count-max", ProviderService.deleteDonations.path,
      WireBytes.field(3, WireBytes.field(1, (0..<4_097).flatMap { WireBytes.field(1, "\($0)") }))),
    shortcuts("app-shortcut-count-max", Array(repeating: shortcut(["show"]), count: 11)),
    shortcuts("app-shortcut-phrase-count-max", [shortcut(Array(repeating: "show", count: 101))]),
    shortcuts(
      "app-shortcut-size-max",
      Array(repeating: shortcut(Array(repeating: String(repeating: "a", count: 999), count: 9)), count: 8)),
    shortcuts("app-shortcut-intent-size-max", [largeShortcut]),
    shortcuts("phrase-part-count-max", [shortcut(["show"]) + crowdedPhrase]),
    shortcuts("phrase-size-max", [shortcut([String(repeating: "a", count: 1_001)])]),
    heartbeat("heartbeat-interval-min", 999),
    heartbeat("heartbeat-interval-max", 3_600_001),
    bytes(
      "selector-count-max", DisplayService.listParameterOptions.path,
      WireBytes.field(
        3,
        WireBytes.field(1, WireBytes.field(1, "T")) + WireBytes.field(2, "p")
          + WireBytes.field(5, (0..<257).flatMap { WireBytes.field(1, "\($0)") }))),
  ]
}
