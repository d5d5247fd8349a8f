import MarqueeKit

/// A provider of one entry, dated by a clock.
struct ClockProvider: TimelineProvider {
  let now: @Sendable () -> Date

  func placeholder(in context: Context) -> Hour { Hour(date: now(), text: "tick") }

  func getSnapshot(in context: Context, completion: @escaping (Hour) -> Void) { completion(placeholder(in: context)) }

  func getTimeline(in context: Context, completion: @escaping (Timeline<Hour>) -> Void) {
    completion(Timeline(entries: [placeholder(in: context)], policy: .never))
  }
}

/// A widget that ignores the simulated time.
struct SystemClockWidget: Widget {
  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "SystemClock", provider: ClockProvider(now: { Date() })) { "\($0.text)" }
  }
}

struct AppClockWidget: Widget {
  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "AppClock", provider: ClockProvider(now: { AppConnection.now })) { "\($0.text)" }
  }
}

struct ClockWidgets: WidgetBundle {
  static let app = "com.example.clocks"

  var body: some Widget {
    SystemClockWidget()
    AppClockWidget()
  }
}
