import MarqueeModel
import MarqueeScheduler
import Testing

/// The sizes at which displays show widgets (rule W8).
@Suite struct WidgetSizeTests {
  private static func scene() throws -> Scene {
    var scene = try Scene()
    for line in ["0:00 stack home cards@visa", "0:01 publish cards@visa 0:00=-", "0:02 publish news 0:00=-"] {
      try scene.play(try Script.Line(line))
    }
    return scene
  }

  private static func report(
    _ family: WidgetFamily, _ width: Double, _ device: inout Device, seconds: Int64 = 1
  ) throws -> [ReloadRequest] {
    let report = Event.reported(.widgetSizeChanged(family, try WidgetSize(width: width, height: 158.5)))
    try device.check(report)
    return requests(device.handle(report, at: device.now.advanced(by: .seconds(seconds))))
  }

  @Test("W8 Another size requests timelines of the family's placed widgets, each request with the size")
  func reload() throws {
    var device = try Self.scene().device
    let first = try Self.report(.systemSmall, 158, &device)
    #expect(first.map(\.widget.kind.name.text) == ["cards"])
    #expect(try first.map(\.reason) == [.resized] && first.first?.size == WidgetSize(width: 158, height: 158.5))
    // The same size changes nothing; another one replaces the open request, which names the old one.
    #expect(try Self.report(.systemSmall, 158, &device).isEmpty)
    let second = try Self.report(.systemSmall, 170, &device, seconds: 300)
    #expect(second.map(\.size?.width) == [170])
    #expect(try Self.report(.systemLarge, 338, &device).isEmpty)
    let app = try #require(second.first).widget.kind.app
    #expect(device.openReloadRequests(for: app).map(\.size?.width) == [170])
    #expect(device.placedWidgets(of: app).map(\.size?.width) == [170])
    #expect(device.widgetSizes.count == 2)
    let stored = try Device(decoding: device.encoded)
    #expect(stored == device && stored.widgetSizes == device.widgetSizes && device.encoded.first == 253)
    let report = UserReport.widgetSizeChanged(.accessoryCorner, try WidgetSize(width: 1, height: 2))
    #expect(try UserReport(decoding: report.encoded) == report && report.encoded.first == 21)
  }

  @Test("W8 Displays of different sizes in turn cause at most one reload of a widget per reload spacing")
  func alternating() throws {
    var device = try Self.scene().device
    var requests: [ReloadRequest] = []
    for second in 0..<1_000 {
      requests += Self.requests(device.advance(to: device.now.advanced(by: .seconds(1))))
      requests += try Self.report(.systemSmall, second.isMultiple(of: 2) ? 158 : 170, &device, seconds: 0)
      // A provider that answers at once, without knowing the size, keeps no later request from being sent.
      if let request = requests.last, request.at == device.now {
        _ = device.handle(.timelinePublished(request.widget, Timeline(submitted: [], policy: .never)), at: device.now)
      }
    }
    #expect(requests.count == 4 && requests.allSatisfy { $0.reason == .resized })
    for (earlier, later) in zip(requests, requests.dropFirst()) {
      #expect(earlier.at.span(to: later.at) >= device.policy.reloadSpacing)
    }
    // The last size is requested, once.
    let later = Self.requests(device.advance(to: device.now.advanced(by: .hours(2))))
    #expect(later.map(\.size?.width) == [170])
    #expect(Self.requests(device.advance(to: device.now.advanced(by: .hours(48)))).isEmpty)
  }

  @Test("W8 However small the spacing, sizes cause no more reloads than the largest budget, and in developer mode all")
  func budget() throws {
    for isDeveloper in [false, true] {
      var device = try Self.scene().device
      var policy = device.policy
      policy.reloadSpacing = .zero
      _ = device.handle(.policyChanged(policy), at: device.now)
      _ = device.handle(.developerModeChanged(isDeveloper), at: device.now)
      var count = 0
      for second in 0..<200 {
        count += try Self.report(.systemSmall, Double(100 + second), &device).count
      }
      #expect(count == (isDeveloper ? 200 : policy.reloadCountMax))
      #expect(try Device(decoding: device.encoded) == device)
    }
  }

  private static func requests(_ actions: [Action]) -> [ReloadRequest] {
    actions.compactMap { if case .requestReload(let request) = $0.order { request } else { nil } }
  }

  @Test("W8 A length that is not finite, not positive, or too large is rejected with its name")
  func lengths() throws {
    for length in [0, -1, .nan, .infinity, 4_096.5] {
      for field in ["width", "height"] {
        let error = #expect(throws: RequestError.self) {
          try WidgetSize(width: field == "width" ? length : 1, height: field == "height" ? length : 1)
        }
        #expect(error?.code == .invalidArgument && error?.field == field)
        #expect(error?.reason.contains("widget-length-max (4096") == (length > 4_096 && length.isFinite))
      }
    }
    #expect(try WidgetSize(width: 4_096, height: 0.5).description == "4096×0.5")
  }

  @Test("W8 A corrupt list of sizes is rejected")
  func corrupt() throws {
    var device = try Self.scene().device
    _ = try Self.report(.systemSmall, 158, &device)
    let bytes = device.encoded
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: Array(bytes.dropLast())) }
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: [253] + bytes) }
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: Array(bytes.dropFirst())) }
  }

  @Test("A kind's description is stored, and an encoding without one is that of earlier releases")
  func description() throws {
    let kind = WidgetKind(app: try AppID("com.example.cards"), name: try KindName("Cards"))
    let plain = try WidgetDescriptor(kind: kind, displayName: "Cards", families: [.accessoryCorner])
    let told = try WidgetDescriptor(
      kind: kind, displayName: "Cards", descriptionText: "Shows a card.", families: [.accessoryCorner],
      configuration: .intent(try IntentType("Card")))
    for descriptor in [plain, told] { #expect(try WidgetDescriptor(decoding: descriptor.encoded) == descriptor) }
    #expect(plain.encoded.last == 0 && told != plain)
    let error = #expect(throws: RequestError.self) {
      try WidgetDescriptor(
        kind: kind, displayName: "", descriptionText: String(repeating: "a", count: 1_025), families: [.systemSmall])
    }
    #expect(error?.field == "description" && error?.reason == "1025 exceeds kind-description-size-max (1024)")
  }
}
