import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

@testable import MarqueeRuntime

/// A device with a stack of two widgets that alternate every hour of the day.
struct Home: Sendable {
  static let midnight = Instant(milliseconds: 1_623_024_000_000)!

  let id: DeviceID
  let stack: StackID
  let widgets: [Widget]
  let app: AppID

  init(_ name: String = "phone") throws {
    id = try DeviceID(name)
    stack = try StackID("home")
    app = try AppID("com.example.cards")
    let app = app
    widgets = try ["Notes", "Cards"].map { Widget(kind: WidgetKind(app: app, name: try KindName($0))) }
  }

  static func time(_ hour: Int64, _ minute: Int64 = 0) -> Instant {
    midnight.advanced(by: .minutes(60 * hour + minute))
  }

  /// Returns the events that create the stack with both widgets, which have the higher score alternately, by the hour.
  func setUp() throws -> [Event] {
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

  /// Registers the device and submits its events of ``setUp()``.
  func settle(in runtime: Runtime) async throws {
    _ = try await runtime.register(id, timeZone: TimeZoneID("Europe/Berlin"))
    for event in try setUp() { try await runtime.submit(event, to: id) }
  }

  /// Returns a random event at `now`, which may be invalid.
  func anything(at now: Instant, _ generator: inout Sampler) throws -> Event {
    let widget = widgets[Int.random(in: 0..<2, using: &generator)]
    switch Int.random(in: 0..<11, using: &generator) {
    case 0...2:
      let entries = try (0..<Int.random(in: 0..<6, using: &generator)).map { _ in
        let span = TimeSpan.minutes(Int64.random(in: -60..<300, using: &generator))
        let relevance = try TimelineEntryRelevance(
          score: Double(Int.random(in: -1..<5, using: &generator)),
          duration: .minutes(Int64.random(in: 0..<90, using: &generator)))
        return TimelineEntry(date: now.advanced(by: span), relevance: relevance)
      }
      return .timelinePublished(widget, Timeline(submitted: entries, policy: .atEnd))
    case 3: return .reported(.scrolled(stack, to: widget))
    case 4: return .reported(.tapped(stack, widget))
    case 5: return .reported(Bool.random(using: &generator) ? .shown(stack) : .hidden(stack))
    case 6: return .developerModeChanged(Bool.random(using: &generator))
    case 7: return .reloadAsked(app, kind: nil)
    case 8: return .reported(Bool.random(using: &generator) ? .appOpened(app) : .appClosed(app))
    case 9: return .stackEdited(stack, .remove(widget))
    default: return .stackEdited(stack, .add(widget, at: nil))
    }
  }
}
