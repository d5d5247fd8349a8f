import MarqueeKit

/// A reminders widget for the demo: a provider process written with MarqueeKit alone.
///
/// `REMINDERS` names a file with one line per state of the list: date (ISO 8601), score, duration in minutes, and text,
/// separated by tabs. A reminder with a duration is due at its end, which is shown in the device's time zone.
@main
struct Reminders: WidgetBundle {
  static var appIntents: [any AppIntent.Type] { [ClearReminders.self] }

  static var scene: AppScene {
    // The list is the app's only screen.
    AppScene().onContinueUserActivity("Today") { _ in }
  }

  var body: some Widget { Today() }
}

/// Clears the list after the user has confirmed.
struct ClearReminders: AppIntent {
  static let title: LocalizedStringResource = "Clear Reminders"

  func perform() async throws -> some IntentResult & ProvidesDialog {
    try await requestConfirmation(dialog: "Take everything off the list?")
    try Data().write(to: URL(filePath: ReminderList.file))
    return .result(dialog: "The list is empty.")
  }
}

struct Today: Widget {
  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "Today", provider: ReminderList()) { try $0.card() }
      .configurationDisplayName("Reminders")
      .supportedFamilies([.systemSmall, .systemMedium])
  }
}

struct Reminder: TimelineEntry {
  let date: Date
  let relevance: TimelineEntryRelevance?
  let text: String

  /// Returns a card with the text and, while it is relevant, a button that clears the list.
  func card() throws -> EntryContent {
    try .card {
      CardText(text, size: .large, wrap: true)
      if relevance?.score ?? 0 > 0 { CardButton("Clear", intent: ClearReminders()) }
    }
  }

  /// Creates an entry without reminders.
  init() {
    (date, relevance, text) = (.now, nil, "No reminders")
  }

  /// Parses a line of the file; `nil` if it is invalid.
  init?(_ line: Substring, in zone: TimeZone) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    // The error only indicates an invalid date.
    guard fields.count == 4, let date = try? Date(String(fields[0]), strategy: .iso8601), let score = Float(fields[1]),
      let minutes = Double(fields[2])
    else { return nil }
    self.date = date
    relevance = TimelineEntryRelevance(score: score, duration: minutes * 60)
    let time = Date.VerbatimFormatStyle(
      format: "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
      timeZone: zone, calendar: Calendar(identifier: .gregorian))
    text = minutes > 0 ? "\(fields[3]) by \(time.format(date + minutes * 60))" : String(fields[3])
  }
}

struct ReminderList: TimelineProvider {
  static var file: String { ProcessInfo.processInfo.environment["REMINDERS"] ?? "" }

  func placeholder(in context: Context) -> Reminder { Reminder() }

  func getSnapshot(in context: Context, completion: @escaping (Reminder) -> Void) {
    completion(placeholder(in: context))
  }

  func getTimeline(in context: Context, completion: @escaping (Timeline<Reminder>) -> Void) {
    // Treat an unreadable file as empty.
    let text = (try? String(contentsOfFile: Self.file, encoding: .utf8)) ?? ""
    let reminders = text.split(separator: "\n").compactMap { Reminder($0, in: context.timeZone) }
    completion(Timeline(entries: reminders, policy: .never))
  }
}
