import MarqueeModel
import MarqueeScheduler

/// A device with a stack of two widgets that alternate every hour of the day, and the events that set it up.
///
/// ``Fixture`` has the device of the tests that use a server.
package struct SampleDevice: Sendable {
  /// The start of the day, 2021-06-07T00:00:00Z.
  package static let midnight = Instant(milliseconds: 1_623_024_000_000)!

  package let id: DeviceID
  package let stack: StackID
  package let widgets: [Widget]
  package let app: AppID

  package init(_ name: String = "phone") throws {
    id = try DeviceID(name)
    stack = Fixture.stack
    app = try AppID("com.example.cards")
    let app = app
    widgets = try ["Notes", "Cards"].map { Widget(kind: WidgetKind(app: app, name: try KindName($0))) }
  }

  /// Returns the instant of a time relative to ``midnight``.
  package static func time(_ hour: Int64, _ minute: Int64 = 0) -> Instant {
    midnight.advanced(by: .minutes(60 * hour + minute))
  }

  /// Returns the device right after its creation.
  package func created() throws -> Device {
    Device(id: id, timeZone: try TimeZoneID("Europe/Berlin"), at: Self.midnight)
  }

  /// Returns the events that create the stack with both widgets, which have the higher score alternately, by the hour.
  package func setUp() throws -> [Event] {
    let descriptors = try widgets.map {
      try WidgetDescriptor(kind: $0.kind, displayName: "Cards", families: [.systemSmall])
    }
    let timelines = try (0..<2).map { parity in
      try (1..<24).map { hour in
        let score = hour % 2 == parity ? 1.0 : 0.0
        return TimelineEntry(date: Self.time(Int64(hour)), relevance: try TimelineEntryRelevance(score: score))
      }
    }
    return [.kindsRegistered(app, descriptors), .stackEdited(stack, .create(.systemSmall))]
      + widgets.map { .stackEdited(stack, .add($0, at: nil)) }
      + zip(widgets, timelines).map { .timelinePublished($0, Timeline(submitted: $1, policy: .never)) }
  }
}
