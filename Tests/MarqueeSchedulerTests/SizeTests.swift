import MarqueeModel
import MarqueeScheduler
import Testing

/// The size limits of a device, and that a device beyond them can be made smaller.
@Suite struct SizeTests {
  private var device: Device
  private let home: StackID
  private let cards: Widget
  private let visa: Widget

  init() throws {
    var scene = try Scene()
    try scene.play(Script.Line(second: 0, words: ["stack", "home", "cards", "purse@visa"]))
    device = scene.device
    home = try StackID("home")
    (cards, visa) = (try scene.widget("cards"), try scene.widget("purse@visa"))
  }

  private func publication(_ widget: Widget, _ size: Int) throws -> Event {
    let content = try EntryContent(mediaType: "", bytes: [UInt8](repeating: 7, count: size))
    return .timelinePublished(
      widget, Timeline(submitted: [TimelineEntry(date: device.now, content: content)], policy: .never))
  }

  /// The reason of the error, or `nil` for a valid event.
  private func error(_ event: Event, _ limits: Limits) -> String? {
    do { try device.check(event, limits: limits) } catch {
      #expect(error.code == .resourceExhausted)
      return error.reason
    }
    return nil
  }

  @Test("A device beyond its size limit accepts only events that do not increase its size")
  mutating func deviceSize() throws {
    let before = device.storedSize
    _ = device.handle(try publication(cards, 5_000), at: device.now)
    #expect(device.storedSize >= before + 5_000)
    var limits = Limits()
    limits.deviceSizeMax = device.storedSize - 1
    #expect(error(try publication(visa, 1), limits)?.contains(" exceeds device-size-max (") == true)
    #expect(error(try publication(cards, 5_001), limits)?.contains(" exceeds device-size-max (") == true)
    #expect(error(try publication(cards, 4_999), limits) == nil)
    #expect(error(.stackEdited(home, .remove(cards)), limits) == nil)
    _ = device.handle(try publication(cards, 0), at: device.now)
    #expect(error(try publication(visa, 1), limits) == nil)
  }

  @Test("Settings of apps count while they are set, and are recomputed when a device is decoded")
  mutating func settings() throws {
    let app = cards.kind.app
    let before = device.storedSize
    let text = ParameterValue.single(.string(String(repeating: "a", count: 4_000)))
    let intent = try Intent(
      type: IntentType("INPlayMediaIntent"), parameters: [IntentParameter(name: .init("p"), value: text)])
    let media = try UpcomingMedia(intents: [intent])
    _ = device.handle(.upcomingMediaSet(app, media), at: device.now)
    #expect(device.storedSize >= before + 4_000)
    #expect(try Device(decoding: device.encoded).storedSize == device.storedSize)
    var limits = Limits()
    limits.deviceSizeMax = before
    #expect(error(.upcomingMediaSet(app, media), limits) == nil, "it adds nothing")
    _ = device.handle(.upcomingMediaSet(app, try UpcomingMedia(intents: [])), at: device.now)
    #expect(device.storedSize == before)
    #expect(error(.upcomingMediaSet(app, media), limits)?.contains(" exceeds device-size-max (") == true)
  }

  @Test("Configurations and descriptions are limited for every source of widgets")
  func descriptions() throws {
    let configuration = try #require(visa.configuration)
    let giro = Widget(
      kind: visa.kind,
      configuration: try Intent(
        type: configuration.type,
        parameters: [IntentParameter(name: .init("card"), value: .single(.string("giro")))]))
    let events: [Event] = [
      try publication(giro, 1), .stackEdited(home, .add(giro, at: nil)),
      .stackEdited(home, .replace(visa, with: giro)), .reported(.homeWidgetAdded(giro)),
      .reported(.widgetSuggestionBlocked(giro, true)),
      .reported(.widgetSuggestionSnoozed(giro, until: device.now.advanced(by: .hours(1)))),
      .relevantIntentsSet(giro.kind.app, []),
    ]
    for event in events.dropLast() {
      var limits = Limits()
      limits.configurationSizeMax = 1
      #expect(error(event, limits)?.contains(" exceeds configuration-size-max (") == true)
      limits = Limits()
      limits.descriptionSizeMax = 1
      if case .stackEdited(_, .replace) = event { continue }
      #expect(error(event, limits)?.contains(" exceeds description-size-max (") == true)
    }
    var limits = Limits()
    (limits.configurationSizeMax, limits.descriptionSizeMax, limits.deviceSizeMax) = (1, 1, 1)
    #expect(error(.stackEdited(home, .remove(visa)), limits) == nil)
    #expect(error(events[events.count - 1], limits) == nil)
  }
}
