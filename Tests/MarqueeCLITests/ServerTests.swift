import Foundation
import Logging
import MarqueeClient
import MarqueeModel
import MarqueeRuntime
import MarqueeServer
import MarqueeSimulator
import MarqueeTerminal
import MarqueeTransport
import ServiceLifecycle
import Testing

@testable import MarqueeCLI

/// The built program against a server in virtual time.
@Suite(.timeLimit(.minutes(2)))
struct ServerTests {
  private static let berlin = DeviceClock(zone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)

  @Test("Manual changes can be inspected, and decisions are listed and explained")
  func day() async throws {
    let morning = try #require(Self.berlin.instant(year: 2026, month: 6, day: 8, hour: 9))
    let noon = morning.advanced(by: .hours(3))
    try await withServer(at: morning) { connection, marquee in
      #expect(try await marquee(["device", "add", "home", "--time-zone", "Europe/Berlin"])["created"] == true)
      #expect(try await marquee(["stack", "create", "main", "--family", "systemSmall"])["front"] == .null)
      let (clock, cards) = (try Self.widget("Clock"), try Self.widget("Cards"))
      try await publish(
        [
          (clock, [(morning, 1), (noon.advanced(by: .hours(6)), 10)]), (cards, [(morning, 0), (noon, 10)]),
        ], over: connection)
      _ = try await marquee(["stack", "add", "home/main", "Clock"])
      let stack = try await marquee(["stack", "add", "main", "com.example.a/Cards"])
      #expect(stack["members"] == ["com.example.a/Clock", "com.example.a/Cards"])
      let inspection = try await marquee(["inspect", "main"])
      #expect(inspection["at"] == "2026-06-08T09:00:00+02:00" && inspection["front"] == "com.example.a/Clock")
      #expect(inspection["next_change"] == "2026-06-08T12:00:00+02:00")

      #expect(try await marquee(["clock", "advance", "+3h"])["now_ms"] == .integer(noon.milliseconds))
      #expect(try await marquee(["inspect", "main"])["front"] == "com.example.a/Cards")
      guard case .array(let decisions) = try await marquee(["decisions", "main"])["decisions"] else { return }
      #expect(decisions.map { $0["to"] } == ["com.example.a/Cards"])
      #expect(decisions[0]["at_ms"] == .integer(noon.milliseconds))
      let past = try await marquee(["explain", "main", "--at", "2026-06-08 10:30"])
      #expect(past["front"] == "com.example.a/Clock" && past["at"] == "2026-06-08T10:30:00+02:00")
      _ = try await marquee(["report-interaction", "scrolled", "main", "Clock"])
      #expect(try await marquee(["explain", "main"])["front"] == "com.example.a/Clock")
      #expect(try await marquee(["stack", "delete", "main"])["family"] == .null)
    }
  }

  @Test("C1 Relative times and dates without a year count from the device's clock, not this machine's")
  func relativeTimes() async throws {
    let morning = try #require(Self.berlin.instant(year: 2026, month: 6, day: 8, hour: 9))
    try await withServer(at: morning) { connection, marquee in
      _ = try await marquee(["device", "add", "home", "--time-zone", "Europe/Berlin"])
      _ = try await marquee(["stack", "create", "main"])
      try await publish([(try Self.widget("Clock"), [(morning, 1)])], over: connection)
      _ = try await marquee(["stack", "add", "home/main", "Clock"])
      _ = try await marquee(["clock", "advance", "1h"])
      let earlier = "2026-06-08T09:50:00+02:00"
      #expect(try await marquee(["explain", "main", "--at", "-10m"])["at"] == .string(earlier))
      #expect(try await marquee(["why-not", "main", "Clock", "--at", "-10m"])["at"] == .string(earlier))
      #expect(try await marquee(["predict", "home", "--at", "-10m"])["at"] == .string(earlier))
      let donation = ["donate", "home", "com.example.a/Read()", "--at", "today 9:50"]
      #expect(try await marquee(donation)["date"] == .string(earlier))
      let file = try Binary.file("shortcuts.yaml", "shortcuts: [{kind: A, windows: [[0, 30]]}]\n")
      defer { unlink(file.path) }
      let set = try await marquee(["publish", "shortcuts", file.path, "--app", "com.example.a"])
      #expect(set["at"] == "2026-06-08T10:00:00+02:00")
    }
  }

  @Test("Tables and pictures are readable, unknown names are reported with suggestions, and Ctrl-C is not a failure")
  func people() async throws {
    let morning = try #require(Self.berlin.instant(year: 2026, month: 6, day: 8, hour: 9))
    try await withServer(at: morning) { connection, marquee in
      _ = try await marquee(["device", "add", "home", "--time-zone", "Europe/Berlin"])
      _ = try await marquee(["stack", "create", "main"])
      try await publish([(try Self.widget("Clock"), [(morning, 1)])], over: connection)
      let environment = marquee.environment
      let unknown = try await Binary.run(["inspect", "mian"], environment: environment)
      #expect(unknown.status == 1 && unknown.errors.contains("Did you mean \"main\"?"))
      let completion = ["---completion", "inspect", "--", "positional@0", "2", "0", "marquee", "inspect", ""]
      let shell = environment.merging(["SAP_SHELL": "bash", "SAP_SHELL_VERSION": "5.2"]) { $1 }
      #expect(try await Binary.run(completion, environment: shell).output.contains("home/main"))
      let devices = try await Binary.run(["devices"], environment: environment)
      let columns = "home    Europe/Berlin  en             1          1"
      #expect(devices.output.split(separator: "\n").last?.hasPrefix(columns) == true)
      let rejected = try await Binary.run(["stack", "create", "home/main"], environment: environment)
      #expect(rejected.status == 1 && rejected.errors.contains("ALREADY_EXISTS"))
      let picture = try Binary.file("graph.png")
      defer { unlink(picture.path) }
      let drawn = try await Binary.run(["timeline", "Clock", "--png", picture.path], environment: environment)
      #expect(drawn.status == 0 && drawn.output.isEmpty)
      #expect(try Data(contentsOf: picture).starts(with: [0x89, 0x50, 0x4E, 0x47]))
      let graph = try await Binary.run(["timeline", "home:Clock"], environment: environment)
      #expect(graph.output.contains("▲ now, 09:00:00"))
      #expect(try await Binary.interrupt(["watch", "main"], environment: environment) == 0)
      let follow = ["suggest", "home", "--on", "notifications", "--watch"]
      #expect(try await Binary.interrupt(follow, environment: environment) == 0)
      let feed = try Binary.file("feed.csv", "date,score\n2026-06-08T09:00,1\n")
      defer { unlink(feed.path) }
      let arguments = ["publish", "csv", feed.path, "--widget", "com.example.b/Chart", "--stack", "main"]
      #expect(try await Binary.interrupt(arguments, environment: environment) == 0)
      let hours = #"{"time": ["2026-06-08T08:00Z", "2026-06-08T09:00Z"], "weather_code": [95, 0]}"#
      let forecast = try Binary.file("forecast.json", "{\"hourly\": \(hours)}")
      defer { unlink(forecast.path) }
      let weather = ["publish", "weather", forecast.path, "--stack", "main"]
      #expect(try await Binary.interrupt(weather, environment: environment) == 0)
    }
  }

  /// Runs commands with `--json`, and reads what they write.
  private struct Commands: Sendable {
    let environment: [String: String]

    func callAsFunction(_ arguments: [String]) async throws -> JSONValue {
      let outcome = try await Binary.run(arguments + ["--json"], environment: environment)
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(arguments): \(outcome.errors)")
      return JSONValue(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)))
    }
  }

  private func withServer(
    at start: Instant, _ body: (RPCClient, Commands) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "mq-\(UUID().uuidString.prefix(8))")
    defer { try? FileManager.default.removeItem(at: directory) }  // best effort
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = try MarqueeServer(
      configuration: MarqueeConfiguration(
        dataDirectory: directory.path, endpoints: [.unix(path: directory.appending(path: "s").path)]),
      clock: ManualClock(at: start), logger: logger)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)], logger: logger))
    try await withThrowingTaskGroup { tasks in
      defer { tasks.cancelAll() }
      tasks.addTask { try await group.run() }
      let endpoint = try #require(await server.listening()?.first)
      let connection = RPCClient(endpoint)
      try await body(connection, Commands(environment: ["MARQUEE_SERVER": "\(endpoint)"]))
      await connection.close()
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }

  @Test("Upcoming media and people are listed, and suggestion outcomes can be reported")
  func surfaces() async throws {
    let morning = try #require(Self.berlin.instant(year: 2026, month: 6, day: 8, hour: 9))
    try await withServer(at: morning) { _, marquee in
      _ = try await marquee(["device", "add", "home", "--time-zone", "Europe/Berlin"])
      let items = ["a", "b"].map { "INPlayMediaIntent(mediaContainer=object:news, mediaItem=object:\($0))" }
      let media = try await marquee(["publish", "media"] + items + ["--app", "com.example.radio"])
      #expect(media["item_count"] == .integer(2) && media["mode"] == "predictive")
      let list = ["suggest", "home", "--on", "now-playing", "--count", "7"]
      let answer = try await marquee(list)
      #expect(answer["surface"] == "now-playing" && answer["time_zone"] == "Europe/Berlin")
      guard case .array(let suggestions) = answer["suggestions"], case .string(let name) = suggestions[0]["id"] else {
        Issue.record("no suggestions")
        return
      }
      #expect(suggestions.map { $0["title"] } == items.map { .string("com.example.radio/\($0)") })
      #expect(suggestions.allSatisfy { $0["kind"] == "upcoming_media" && $0["until"] == .null })
      for outcome in ["shown", "dismissed"] {
        let told = try await marquee(["report-interaction", "suggestion", name, outcome, "--on", "now-playing"])
        #expect(told["reported"] == true)
      }
      guard case .array(let rest) = try await marquee(list)["suggestions"] else { return }
      #expect(rest.map { $0["id"] } == [suggestions[1]["id"]])

      _ = try await marquee(["report-interaction", "focus", "work"])
      for number in 1...4 {
        let message = "com.example.chat/INSendMessageIntent(recipients=[person:aga])"
        _ = try await marquee(["donate", "home", message, "--identifier", "\(number)"])
      }
      guard case .array(let people) = try await marquee(["people", "home", "--focus", "work"])["people"] else { return }
      #expect(people.map { $0["person"] } == ["aga"] && people.map { $0["sent_count"] } == [.integer(4)])
    }
  }

  private func publish(
    _ timelines: [(widget: Widget, scores: [(date: Instant, score: Double)])], over connection: RPCClient
  ) async throws {
    var kinds: [WidgetDescriptor] = []
    var entries: [(widget: Widget, entries: [TimelineEntry])] = []
    for (widget, scores) in timelines {
      kinds.append(try WidgetDescriptor(kind: widget.kind, displayName: "", families: WidgetFamily.allCases))
      let built = try scores.map {
        TimelineEntry(date: $0.date, relevance: try TimelineEntryRelevance(score: $0.score))
      }
      entries.append((widget, built))
    }
    let all = entries
    try await ProviderClient.run(
      connection, device: try DeviceID("home"), app: try AppID("com.example.a"), kinds: kinds
    ) { provider in
      for (widget, entries) in all { try await provider.publish(entries, policy: .never, for: widget) }
    }
  }

  private static func widget(_ name: String) throws -> Widget {
    Widget(kind: WidgetKind(app: try AppID("com.example.a"), name: try KindName(name)))
  }
}

extension JSONValue {
  /// What Foundation has read.
  fileprivate init(_ value: Any) {
    switch value {
    case let flag as Bool: self = .boolean(flag)
    case let text as String: self = .string(text)
    case let fields as [String: Any]:
      self = .object(fields.keys.sorted().map { Field($0, JSONValue(fields[$0] as Any)) })
    case let values as [Any]: self = .array(values.map(JSONValue.init))
    case let number as NSNumber:
      let isWhole = number.doubleValue == number.doubleValue.rounded()
      self = isWhole ? .integer(number.int64Value) : .number(number.doubleValue)
    default: self = .null
    }
  }

  /// The field of that name; `null` when there is none.
  fileprivate subscript(_ name: String) -> JSONValue {
    guard case .object(let fields) = self else { return .null }
    return fields.first { $0.name == name }?.value ?? .null
  }
}
