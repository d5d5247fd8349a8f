import Foundation
import MarqueeFeeds
import MarqueeModel

/// The day played by `marquee demo`: three or, for pages in browsers, five apps, their timelines, and the user's
/// interactions. The reminders are provided by a separate process.
struct DemoDay: Sendable {
  /// An app with one widget.
  struct Provider: Sendable {
    let widget: Widget
    let displayName: String
    /// Returns the timeline that the app publishes at an instant.
    let timeline: @Sendable (Instant) throws -> Timeline
  }

  /// A scroll by the user.
  struct Scroll: Sendable {
    let at: Instant
    let to: Widget
  }

  static let zone: TimeZoneID = fixed { () throws(RequestError) in try TimeZoneID("Europe/Berlin") }

  let start: Instant
  let end: Instant
  /// The apps whose provider is the demo process itself.
  let providers: [Provider]
  /// The input of the reminders process.
  let reminders: String
  /// The widget of the reminders process.
  let remindersWidget = widget("com.example.reminders", "Today")
  let scroll: Scroll

  /// Creates the day that begins at `midnight`, with that calendar.
  ///
  /// - Parameter isFull: Whether all five apps take part.
  init(midnight: Instant, calendar: CalendarFile, isFull: Bool = false) throws {
    start = Self.time(midnight, 6, 0)
    end = Self.time(midnight, 22, 0)
    let weather = Self.weather(midnight)
    let others = isFull ? [Self.departures(midnight), Self.energy(midnight)] : []
    providers = [weather, try Self.calendar(calendar, start, end)] + others
    reminders = Self.reminders(midnight)
    scroll = Scroll(at: Self.time(midnight, 12, 5), to: weather.widget)
  }

  /// The weather app: an overview of the day in the morning. The forecast requested at noon predicts rain.
  private static func weather(_ midnight: Instant) -> Provider {
    let noon = time(midnight, 12, 0)
    return Provider(widget: widget("com.example.weather", "Forecast"), displayName: "Weather") { now in
      guard now >= noon else {
        let entries = [
          entry(time(midnight, 6, 30), 60, minutes: 90, "Sunny until noon, 14 °C"),
          entry(time(midnight, 8, 0), 0, "14 °C"),
        ]
        return Timeline(submitted: entries, policy: .after(noon))
      }
      let entries = [
        entry(noon, 0, "12 °C, clouds"), entry(time(midnight, 17, 30), 100, minutes: 60, "Rain from 18:00"),
        entry(time(midnight, 20, 0), 0, "9 °C, rain"),
      ]
      return Timeline(submitted: entries, policy: .never)
    }
  }

  private static func reminders(_ midnight: Instant) -> String {
    let states: [(hour: Int64, minute: Int64, score: Int, minutes: Int, text: String)] = [
      (6, 0, 0, 0, "2 reminders today"), (14, 40, 50, 20, "Send the report"),
      (15, 0, 0, 0, "1 reminder today"), (19, 30, 20, 60, "Water the plants"), (20, 30, 0, 0, "All done"),
    ]
    return states.map { state in
      "\(time(midnight, state.hour, state.minute))\t\(state.score)\t\(state.minutes)\t\(state.text)\n"
    }.joined()
  }

  private static func calendar(_ file: CalendarFile, _ start: Instant, _ end: Instant) throws -> Provider {
    let zone = try TimelinePublisher.zone(named: Self.zone.text)
    return Provider(widget: widget("com.example.calendar", "NextEvent"), displayName: "Calendar") { now in
      let occurrences = try file.occurrences(from: now, to: end, in: zone)
      let timeline = CalendarTimeline(zone: zone).timeline(of: occurrences, from: now, to: end)
      return Timeline(submitted: timeline.entries, policy: .never)
    }
  }

  static func time(_ midnight: Instant, _ hour: Int64, _ minute: Int64) -> Instant {
    midnight.advanced(by: .minutes(60 * hour + minute))
  }

  static func entry(_ date: Instant, _ score: Double, minutes: Int64 = 0, _ text: String) -> TimelineEntry {
    fixed { () throws(RequestError) in
      TimelineEntry(
        date: date, relevance: try TimelineEntryRelevance(score: score, duration: .minutes(minutes)),
        content: try EntryContent(mediaType: "text/plain", bytes: Array(text.utf8)))
    }
  }

  static func widget(_ app: String, _ kind: String) -> Widget {
    fixed { () throws(RequestError) in Widget(kind: WidgetKind(app: try AppID(app), name: try KindName(kind))) }
  }

  /// Returns a value defined in this file, which is known to be valid.
  private static func fixed<Value>(_ make: () throws(RequestError) -> Value) -> Value {
    do { return try make() } catch { preconditionFailure("\(error)") }
  }
}
