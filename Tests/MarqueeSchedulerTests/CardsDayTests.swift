import MarqueeModel
import MarqueeScheduler
import Testing

/// The Cards app's day of WWDC21 10049, minute by minute.
@Suite struct CardsDayTests {
  static let midnight = Instant(milliseconds: 1_623_024_000_000)!

  static func time(_ hour: Int64, _ minute: Int64) -> Instant {
    midnight.advanced(by: .minutes(60 * hour + minute))
  }

  @Test("R2 A stack scrolls to the widget whose score is in force, and the decision says why")
  func rotation() throws {
    let app = try AppID("com.example.cards")
    let cards = Widget(kind: WidgetKind(app: app, name: try KindName("RecentPurchases")))
    let notes = Widget(kind: WidgetKind(app: app, name: try KindName("Notes")))
    let stack = try StackID("home")
    var device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: Self.midnight)
    let descriptors = try [cards, notes].map {
      try WidgetDescriptor(kind: $0.kind, displayName: "Cards", families: [.systemSmall])
    }
    let entries = try [(8, 15, 0.0), (9, 41, 52.6), (12, 15, 16.29), (14, 12, 140), (18, 52, 12.5)].map {
      TimelineEntry(date: Self.time($0, $1), relevance: try TimelineEntryRelevance(score: $2))
    }
    let events: [Event] = [
      .kindsRegistered(app, descriptors), .stackEdited(stack, .create(.systemSmall)),
      .stackEdited(stack, .add(notes, at: nil)), .stackEdited(stack, .add(cards, at: nil)),
      .timelinePublished(cards, Timeline(submitted: entries, policy: .never)),
    ]
    for event in events {
      try device.check(event)
      _ = device.handle(event, at: Self.midnight)
    }
    #expect(device.stack(stack)?.frontWidget == notes)
    let actions = device.advance(to: Self.time(23, 59))
    let rotations = actions.compactMap { if case .rotate(let decision, _) = $0.order { decision } else { nil } }
    #expect(rotations.map(\.at) == [Self.time(9, 41)])
    #expect(rotations.first?.from == notes)
    #expect(device.stack(stack)?.frontWidget == cards)
    #expect(try Device(decoding: device.encoded) == device)
  }
}
