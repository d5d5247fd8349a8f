import Foundation
import MarqueeKit

/// A meeting at a fixed instant, titled with its local time.
struct Meeting: AppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Meeting"
  static let defaultQuery = MeetingQuery()

  let id: String
  var displayRepresentation: DisplayRepresentation { "Meeting at \(LocalTimes.text(AppConnection.timeZone))" }
}

struct MeetingQuery: EntityQuery {
  func entities(for identifiers: [String]) async throws -> [Meeting] { identifiers.map { Meeting(id: $0) } }
  func suggestedEntities() async throws -> [Meeting] { [Meeting(id: "stand-up")] }
}

struct ShowMeeting: WidgetConfigurationIntent {
  static let title: LocalizedStringResource = "Show Meeting"
  @Parameter(title: "Meeting") var meeting: Meeting
}

struct TellMeeting: AppIntent {
  static let title: LocalizedStringResource = "Tell Meeting"

  func perform() async throws -> some IntentResult & ProvidesDialog {
    .result(dialog: "It is at \(LocalTimes.text(AppConnection.timeZone)).")
  }
}

/// A provider whose entries contain the local time of the meeting, which is relevant for the whole local day.
struct LocalTimes: AppIntentTimelineProvider {
  static func text(_ zone: TimeZone) -> String {
    Date.VerbatimFormatStyle(
      format: "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
      timeZone: zone, calendar: Calendar(identifier: .gregorian)
    ).format(Weather.date)
  }

  func placeholder(in context: Context) -> Hour { hour("placeholder", context) }

  func snapshot(for configuration: ShowMeeting, in context: Context) async -> Hour { hour("snapshot", context) }

  func timeline(for configuration: ShowMeeting, in context: Context) async -> Timeline<Hour> {
    Timeline(entries: [hour("\(context.family)", context)], policy: .never)
  }

  func relevance() async -> WidgetRelevance<ShowMeeting> {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = AppConnection.timeZone
    let configuration = ShowMeeting()
    configuration.meeting = Meeting(id: "stand-up")
    let day = calendar.startOfDay(for: Weather.date)
    return WidgetRelevance([
      WidgetRelevanceAttribute(configuration: configuration, context: .date(from: day, to: day + 86_400))
    ])
  }

  private func hour(_ use: String, _ context: Context) -> Hour {
    Hour(date: Weather.date, text: "\(use) \(Self.text(context.timeZone))")
  }
}

struct LocalTimeWidget: Widget {
  var body: some WidgetConfiguration {
    // The content is made in the same time zone as the entry.
    AppIntentConfiguration(kind: "Meeting", provider: LocalTimes()) {
      "\($0.text) \(AppConnection.timeZone.identifier)"
    }
  }
}

/// A widget that shows local times.
struct LocalTimeWidgets: WidgetBundle {
  static let app = "com.example.meetings"
  static var appIntents: [any AppIntent.Type] { [TellMeeting.self] }

  var body: some Widget { LocalTimeWidget() }
}
