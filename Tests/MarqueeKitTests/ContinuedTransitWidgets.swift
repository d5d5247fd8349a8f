import Foundation
import MarqueeKit
import Synchronization

/// The transit app with a scene that continues activities, intents and widgets.
struct ContinuedTransitWidgets: WidgetBundle {
  /// The activities that the scene has continued, in words.
  static let log = Log()

  static var appIntents: [any AppIntent.Type] { [BuyTicket.self, OpenMap.self, BoardTrain.self] }
  static var intentHandlers: [any INIntentHandling] { [RideHandler(), SendHandler()] }

  static var scene: AppScene {
    AppScene()
      .onContinueUserActivity("com.example.transit.line") { activity in
        let (line, stop) = (activity.userInfo?["line"] as? INObject, activity.userInfo?["stop"] as? String)
        let zoom = activity.userInfo?["zoom"] as? [Double]
        log.append("\(activity.title ?? "") \(line?.displayString ?? "") \(stop ?? "") \(zoom ?? [])")
      }
      .onContinueUserActivity("DeparturesIntent") { activity in
        let configuration = activity.widgetConfigurationIntent(of: DeparturesIntent.self)
        let kind = activity.userInfo?[WidgetCenter.UserInfoKey.kind] as? String
        let family = activity.userInfo?[WidgetCenter.UserInfoKey.family] as? WidgetFamily
        let name = configuration?.line.name ?? "-"
        log.append("\(kind ?? "") \(family.map { "\($0)" } ?? "") \(name) \(activity.webpageURL?.absoluteString ?? "")")
      }
      .onContinueUserActivity("RideIntent") { activity in
        let ride = activity.interaction?.intent as? RideIntent
        log.append("ride \(ride?.line.displayString ?? "-") \(activity.userInfo?["passengers"] as? Int ?? 0)")
      }
      .onContinueUserActivity("INSendMessageIntent") { activity in
        let sent = activity.interaction?.intent as? INSendMessageIntent
        let names = sent?.recipients?.map(\.displayName).joined(separator: "+") ?? "-"
        log.append("share with \(activity.person?.displayName ?? "-"), as sent to \(names)")
      }
      .onContinueUserActivity("INGetReservationDetailsIntent") { activity in
        let errand = activity.reservationErrand
        log.append("\(errand.map { "\($0.action)" } ?? "-") \(errand?.item.displayString ?? "-")")
      }
      .onContinueUserActivity("ReserveIntent") { activity in
        let seat = activity.widgetConfigurationIntent(of: ReserveIntent.self)?.seat
        let family = activity.userInfo?[WidgetCenter.UserInfoKey.family] as? WidgetFamily
        log.append("reserve \(seat?.id ?? "-") in \(family.map { "\($0)" } ?? "-")")
      }
      .onContinueUserActivity("broken") { _ in throw Fail.Broken() }
  }

  var body: some Widget {
    DeparturesWidget()
    ReserveWidget()
    BeatWidget(count: Weather.Count())
  }

  final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) { lines.withLock { $0.append(line) } }

    /// Removes and returns all lines.
    func drain() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }
}

/// The same app with a handler of links alone.
struct LinkedTransitWidgets: WidgetBundle {
  static let log = ContinuedTransitWidgets.Log()

  static var intentHandlers: [any INIntentHandling] { [SendHandler()] }
  static var scene: AppScene { AppScene().onOpenURL { url in log.append("open \(url.absoluteString)") } }

  var body: some Widget {
    DeparturesWidget()
    ReserveWidget()
  }
}

/// Counts the messages that it sends.
struct SendHandler: INIntentHandling {
  static let sent = Weather.Count()

  func handle(intent: INSendMessageIntent) async -> INIntentResponse {
    _ = Self.sent.next()
    return INIntentResponse(code: .success)
  }
}

/// A widget whose configuration refers to an entity.
struct ReserveWidget: Widget {
  var body: some WidgetConfiguration {
    AppIntentConfiguration(kind: "Reserve", intent: ReserveIntent.self, provider: ReserveProvider()) { _ in "" }
  }
}

struct ReserveIntent: WidgetConfigurationIntent {
  static let title: LocalizedStringResource = "Reserve"

  @Parameter(title: "Seat") var seat: Seat?
}

/// An entity whose queries are counted, and can fail.
struct Seat: AppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Seat"
  static let defaultQuery = SeatQuery()

  let id: String
  var displayRepresentation: DisplayRepresentation { "\(id)" }
}

struct SeatQuery: EntityQuery {
  static let count = Weather.Count()
  static let isBroken = Mutex(false)

  func entities(for identifiers: [String]) async throws -> [Seat] {
    _ = Self.count.next()
    if Self.isBroken.withLock(\.self) { throw Fail.Broken() }
    return identifiers.map { Seat(id: $0) }
  }
}

struct ReserveProvider: AppIntentTimelineProvider {
  struct Entry: TimelineEntry {
    let date: Date
  }

  func placeholder(in context: Context) -> Entry { Entry(date: .distantPast) }
  func snapshot(for configuration: ReserveIntent, in context: Context) async -> Entry { placeholder(in: context) }

  func timeline(for configuration: ReserveIntent, in context: Context) async -> Timeline<Entry> {
    Timeline(entries: [Entry(date: Date(timeIntervalSince1970: 1_600_000_000))], policy: .never)
  }

  /// Seat 7 is relevant at some time.
  func relevance() async -> WidgetRelevance<ReserveIntent> {
    let configuration = ReserveIntent()
    configuration.seat = Seat(id: "7")
    let date = Date(timeIntervalSince1970: 1_900_000_000)
    return WidgetRelevance([WidgetRelevanceAttribute(configuration: configuration, context: .date(date))])
  }
}

/// Continues in the app with a value.
struct BoardTrain: ForegroundContinuableIntent {
  static let title: LocalizedStringResource = "Board Train"

  @Parameter(title: "Platform", default: 1) var platform: Int

  func perform() async throws -> some IntentResult & ReturnsValue<String> {
    let seat = try await requestToContinueInForeground("Choose a seat?", alwaysConfirm: true) {
      ContinuedTransitWidgets.log.append("choose a seat on \(platform)")
      return platform * 10
    }
    return .result(value: "seat \(seat)")
  }
}
