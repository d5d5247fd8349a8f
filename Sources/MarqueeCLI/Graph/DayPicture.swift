import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator

/// The data of a chart of a simulated day: each widget's scores and windows, and the front of each stack, with the
/// decisions and user actions.
///
/// A pure value, so that the drawing depends on nothing else.
struct DayPicture {
  /// The maximum number of widgets drawn; members of stacks come first.
  static let widgetCountMax = 24
  /// The maximum number of stacks drawn.
  static let stackCountMax = 12

  /// A widget's row.
  struct Row {
    let track: WidgetTrack
    /// The index of the widget's color.
    let color: Int
  }

  /// A symbol on a stack's band.
  struct Mark {
    /// The kind of the mark.
    enum Kind { case rotation, suggestion, withdrawal, event }

    let at: Instant
    let kind: Kind
    let label: String
    let detail: String
  }

  /// A stack's band.
  struct Band {
    let track: StackTrack
    let marks: [Mark]
  }

  let title: String
  let start: Instant
  let end: Instant
  let clock: DeviceClock
  let rows: [Row]
  let bands: [Band]
  /// The number of widgets and stacks omitted for lack of space.
  let leftOut: Int

  private let colors: [Widget: Int]

  /// Creates the chart of a day, limited to one stack and its widgets if `stack` is given.
  init(_ day: SimulatedDay, stack: StackID? = nil) {
    (start, end, clock) = (day.scenario.begin, day.end, day.scenario.clock)
    title = "\(day.scenario.device)" + (stack.map { "/\($0)" } ?? "") + ", " + Self.dates(day)
    let stacks = day.stacks.filter { stack == nil || $0.id == stack }
    let members = Set(stacks.flatMap { $0.spans.flatMap(\.stack.members) })
    let widgets = day.widgets.filter { track in
      members.contains(track.widget) || stack == nil && !(track.scores.isEmpty && track.windows.isEmpty)
    }
    rows = widgets.prefix(Self.widgetCountMax).enumerated().map { Row(track: $1, color: $0) }
    colors = Dictionary(uniqueKeysWithValues: widgets.enumerated().map { ($1.widget, $0) })
    let events = DayEvent.all(in: day)
    bands = stacks.prefix(Self.stackCountMax).map { track in
      Band(track: track, marks: Self.marks(events.filter { $0.stack == track.id }, day.scenario.clock))
    }
    leftOut = widgets.count - rows.count + stacks.count - bands.count
  }

  /// Returns a mark for each event. The withdrawal of a suggestion has none if its cause has one.
  private static func marks(_ events: [DayEvent], _ clock: DeviceClock) -> [Mark] {
    let marks = events.map { Mark($0, clock) }
    let causes = Set(marks.filter { $0.kind != .withdrawal }.map(\.at))
    return marks.filter { $0.kind != .withdrawal || !causes.contains($0.at) }
  }

  /// Returns the index of a widget's color.
  func color(of widget: Widget) -> Int { colors[widget] ?? 0 }

  /// A textual description of the chart, for accessibility.
  var summary: String {
    let marks = bands.flatMap { band in band.marks.map { (band.track.id, $0) } }
    let listed = marks.prefix(12).map { "\($0.0): \($0.1.detail)" }
    let rest = marks.count > 12 ? ", and \(marks.count - 12) more" : ""
    func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }
    return count(rows.count, "widget") + ", " + count(bands.count, "stack") + ". " + listed.joined(separator: "; ")
      + rest + "."
  }

  private static func dates(_ day: SimulatedDay) -> String {
    let clock = day.scenario.clock
    let (first, last) = (
      clock.day(day.scenario.begin), clock.day(day.end.advanced(by: TimeSpan(milliseconds: -1)))
    )
    return first == last ? first : "\(first) to \(last)"
  }
}

extension DayPicture.Mark {
  fileprivate init(_ event: DayEvent, _ clock: DeviceClock) {
    let (kind, name): (Kind, String?) =
      switch event.kind {
      case "rotation", "pin", "rest": (.rotation, event.widget?.kind.name.text)
      case "suggestion": (.suggestion, event.widget?.kind.name.text)
      case "withdrawal": (.withdrawal, nil)
      default: (.event, event.kind)
      }
    at = event.at
    self.kind = kind
    label = clock.hourAndMinute(event.at) + (name.map { " \($0)" } ?? "")
    detail = [clock.timeOfDay(event.at), event.kind, event.widget?.exactText]
      .compactMap(\.self).joined(separator: " ")
  }
}

extension DayPicture {
  /// A line of the time axis.
  struct Tick {
    let at: Instant
    let label: String
  }

  /// The labeled positions on the axis: whole hours, or midnights if there are many hours.
  var ticks: [Tick] {
    let hours = start.span(to: end).seconds / 3600
    for step in [1, 2, 3, 6, 12] where hours / Double(step) <= 13 { return hourTicks(every: step) }
    let days = hours / 24
    let step = [1, 2, 7, 14, 30, 91, 365].first { days / Double($0) <= 13 } ?? Int(saturating: days / 13) + 1
    var (ticks, midnight, index) = ([Tick](), clock.dayBounds(containing: start).start, 0)
    while midnight <= end, ticks.count < 32 {
      if index % step == 0, midnight >= start {
        let day = clock.day(midnight)
        ticks.append(Tick(at: midnight, label: days > 300 ? day : String(day.dropFirst(5))))
      }
      (midnight, index) = (clock.dayBounds(containing: midnight).end, index + 1)
    }
    return ticks
  }

  private func hourTicks(every step: Int) -> [Tick] {
    var ticks: [Tick] = []
    var day = clock.dayBounds(containing: start)
    while day.start < end, ticks.count < 64 {
      let date = clock.date(day.start)
      for hour in stride(from: 0, to: 24, by: step) {
        guard let at = clock.instant(year: date.year, month: date.month, day: date.day, hour: hour), at >= start,
          at < end, ticks.last.map({ $0.at < at }) ?? true
        else { continue }
        // An hour skipped by a clock change is shown as the next one, which has its own line if needed.
        guard clock.hourAndMinute(at).prefix(2) == (hour < 10 ? "0\(hour)" : "\(hour)") else { continue }
        let isDate = hour == 0 && start.span(to: end) > .hours(26)
        ticks.append(Tick(at: at, label: isDate ? String(clock.day(at).dropFirst(5)) : clock.hourAndMinute(at)))
      }
      day = clock.dayBounds(containing: day.end)
    }
    let isMidnight = clock.dayBounds(containing: end).start == end
    return ticks + [Tick(at: end, label: isMidnight ? "24:00" : clock.hourAndMinute(end))]
  }
}
