import Foundation
import FoundationXML
import Testing

/// The built program simulates the scenarios from the transcripts.
@Suite(.timeLimit(.minutes(1)))
struct SimulateCommandTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  private static let workingDay = "Sources/MarqueeSimulator/MarqueeSimulator.docc/Resources/working-day"

  private func simulate(_ name: String, _ arguments: String...) async throws -> Binary.Outcome {
    let path = name.contains("/") ? name : "Tests/Fixtures/scenarios/\(name).yaml"
    return try await Binary.run(["simulate", Self.root.appending(path: path).path] + arguments)
  }

  /// Time, stack, what and the widget's kind of each line under the headings.
  private func events(_ outcome: Binary.Outcome) -> [String] {
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    return outcome.output.split(separator: "\n").dropFirst().map { line in
      let words = line.split(separator: " ")
      let kind = words.dropFirst(3).first?.split(separator: "/").last?.prefix { $0 != "(" } ?? ""
      return "\(words[0]) \(words[2]) \(kind)"
    }
  }

  @Test("R5 Cards with a purchase: suggested as information for 1800 s, then removed")
  func cards() async throws {
    let outcome = try await simulate("cards")
    #expect(events(outcome) == ["09:41:00 suggestion RecentPurchases", "10:11:00 withdrawal RecentPurchases"])
    #expect(outcome.output.contains("its app marks it as relevant now"))
  }

  @Test("X1 The reasons and the explanations of a simulated day name widgets by the texts of their apps")
  func texts() async throws {
    let day = try await simulate("cards")
    #expect(day.output.contains("  Purchases with amex leads: "))
    let explained = try await simulate("cards", "--explain", "09:41")
    #expect(explained.output.contains("\nPurchases with amex stays: "), "\(explained.output)")
    let json = try await simulate("cards", "--json")
    #expect(json.output.contains(#""reason": "Purchases with amex leads: "#), "\(json.output)")
    #expect(!json.output.contains("RecentPurchases(card: amex)"))
  }

  @Test("R2 Calendar is not in the stack: it is inserted at 9:30 for the meeting at 10")
  func calendar() async throws {
    #expect(
      events(try await simulate("calendar")) == [
        "09:30:00 suggestion UpNext", "10:00:00 withdrawal UpNext", "15:00:00 rotation List",
        "18:30:00 rotation Forecast",
      ])
  }

  @Test("R5 Fitness shows after the workout, and the stack returns to its original state")
  func fitness() async throws {
    struct Day: Decodable {
      struct Track: Decodable { let spans: [Span] }
      struct Span: Decodable, Equatable {
        let front: String
        let members: [String]
        let suggestion: String?
      }

      let stacks: [Track]
    }
    let outcome = try await simulate("fitness", "--json")
    let spans = try JSONDecoder().decode(Day.self, from: Data(outcome.output.utf8)).stacks[0].spans
    #expect(spans.count == 4 && spans[1] == spans[3])
    #expect(spans[2].suggestion == "com.example.fitness/Rings" && spans[2].members.count == 3)
  }

  @Test("S3 Breaking news in two windows is suggested in each")
  func news() async throws {
    #expect(
      events(try await simulate("news")) == [
        "12:00:00 suggestion Headlines", "12:20:00 withdrawal Headlines", "17:00:00 suggestion Headlines",
        "17:45:00 withdrawal Headlines",
      ])
    #expect(events(try await simulate("news", "--until", "12:10")) == ["12:00:00 suggestion Headlines"])
  }

  @Test("S3 Windows follow the local clock, also on days of a clock change")
  func clockChanges() async throws {
    struct Day: Decodable {
      struct DayEvent: Decodable { let at: String }

      let events: [DayEvent]
    }
    func times(_ name: String) async throws -> [String] {
      let outcome = try await simulate(name, "--json")
      return try JSONDecoder().decode(Day.self, from: Data(outcome.output.utf8)).events.map(\.at)
    }
    #expect(
      try await times("clock-forward") == [
        "2026-03-29T01:30:00+01:00", "2026-03-29T04:00:00+02:00", "2026-03-29T23:30:00+02:00",
        "2026-03-30T00:00:00+02:00",
      ])
    #expect(
      try await times("clock-back") == [
        "2026-10-25T02:30:00+02:00", "2026-10-25T02:45:00+02:00", "2026-10-25T02:30:00+01:00",
        "2026-10-25T02:45:00+01:00", "2026-10-25T23:30:00+01:00", "2026-10-26T00:00:00+01:00",
      ])
  }

  @Test("The documented picture equals the program's output")
  func picture() async throws {
    let (svg, png) = (try Binary.file("day.svg"), try Binary.file("day.png"))
    defer { for file in [svg, png] { unlink(file.path) } }
    let outcome = try await simulate(Self.workingDay + ".yaml", "--svg", svg.path, "--png", png.path)
    #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.errors)")
    let drawn = try String(contentsOf: svg, encoding: .utf8)
    let kept = try String(contentsOf: Self.root.appending(path: Self.workingDay + ".svg"), encoding: .utf8)
    let isSame = drawn == kept
    #expect(isSame, "draw it again: marquee simulate \(Self.workingDay).yaml --svg \(Self.workingDay).svg")
    _ = try XMLDocument(data: Data(drawn.utf8), options: [])
    #expect(try Data(contentsOf: png).starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test("The article's example has the output that the article quotes")
  func article() async throws {
    let article = "Sources/MarqueeSimulator/MarqueeSimulator.docc/Scenarios.md"
    let text = try String(contentsOf: Self.root.appending(path: article), encoding: .utf8)
    let blocks = text.components(separatedBy: "```")
    let file = try Binary.file("example.yaml", String(try #require(blocks.dropFirst().first?.dropFirst(5))))
    defer { unlink(file.path) }
    let outcome = try await Binary.run(["simulate", file.path])
    #expect(outcome.output == blocks[3].dropFirst())
  }

  @Test("R14 A snooze is printed with its end, at which the widget is suggested")
  func snooze() async throws {
    let file = try Binary.file(
      "snooze.yaml",
      """
      device: phone
      time-zone: Europe/Berlin
      begin: 2026-06-08
      apps: {com.example.a: {kinds: {Clock: [systemSmall], Cards: [systemSmall]}}}
      stacks: {home: {family: systemSmall, widgets: [Clock]}}
      events:
        - {at: 07:00, set-shortcuts: com.example.a, shortcuts: [{widget: Cards, when: [[09:00, 12:00]]}]}
        - {at: 08:00, snooze-widget: Cards, until: 10:00}
        - {at: 08:30, snooze-app: com.example.b, until: 2026-06-09}

      """)
    defer { unlink(file.path) }
    let outcome = try await Binary.run(["simulate", file.path])
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n")
    func has(_ time: String, _ what: String, _ end: String) -> Bool {
      lines.contains { $0.hasPrefix(time) && $0.contains(" \(what) ") && $0.hasSuffix(end) }
    }
    #expect(has("08:00:00", "snoozed", "com.example.a/Cards  until 10:00:00"), "\(outcome.output)")
    #expect(has("08:30:00", "snoozed", "com.example.b until 2026-06-09 00:00:00"), "\(outcome.output)")
    #expect(has("10:00:00", "suggestion", ""), "\(outcome.output)")
  }

  @Test("S11 The Focus filters that apps perform are printed, with their values or none")
  func focusFilters() async throws {
    let file = try Binary.file(
      "filters.yaml",
      """
      device: phone
      time-zone: Europe/Berlin
      begin: 2026-06-08
      apps: {com.example.a: {kinds: {Clock: [systemSmall]}}}
      stacks: {home: {family: systemSmall, widgets: [Clock]}}
      events:
        - at: 07:00
          register-intents: com.example.a
          intents: {Filter: {parameters: {city: object}, focus-filter: on}}
        - {at: 07:00, set-focus-filter: com.example.a, in-focus: work, intent: "Filter(city=object:oslo)"}
        - {at: 08:00, focus: work}
        - {at: 09:00, remove-focus-filter: com.example.a, in-focus: work, intent: Filter}
        - {at: 10:00, focus: ~}

      """)
    defer { unlink(file.path) }
    let outcome = try await Binary.run(["simulate", file.path])
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n").filter { $0.contains("focus filter") }
    #expect(lines.count == 2, "\(outcome.output)")
    #expect(lines.first?.hasPrefix("08:00:00") == true && lines[0].hasSuffix("com.example.a/Filter(city=object:oslo)"))
    #expect(lines.last?.hasPrefix("09:00:00") == true && lines[1].hasSuffix("com.example.a/Filter()"))
  }

  @Test("R10 A simulated day is explained, including why a widget was not shown")
  func explanations() async throws {
    let explained = try await simulate("calendar", "--explain", "15:00")
    #expect(explained.output.contains("phone/home  2021-06-07 15:00:00, America/Los_Angeles\nList stays: its score 1"))
    let later = try await simulate("cards", "--why-not", "RecentPurchases(card=object:amex)", "--at", "10:20")
    #expect(later.output.contains("\nPurchases with amex: its last window ended at 10:11:00.\n"))
    let inFront = try await simulate("cards", "--why-not", "RecentPurchases(card=amex)", "--at", "10:00", "--json")
    #expect(inFront.output.contains("\"in_front\": true"))
  }

  @Test("A calendar and a table are converted, and the scenario that is shown is simulated alike")
  func conversions() async throws {
    let week = Self.root.appending(path: "Sources/MarqueeCLI/Demo/WorkingWeek.ics").path
    let options = ["--from", "2026-03-02", "--days", "3", "--time-zone", "Europe/Berlin"]
    let table = try Binary.file("scores.csv", "date,score,duration\n2026-03-02T09:00,1,1800\n2026-03-02T12:00,2,60\n")
    let cases = try Binary.file("cases.yml", "{from: 2026-03-02T08:00, entries: [[30, 2, 600]]}")
    defer { for file in [table, cases] { unlink(file.path) } }
    for (path, kind) in [(week, "NextEvent"), (table.path, "Table"), (cases.path, "Case")] {
      let day = try await Binary.run(["simulate", path] + options)
      #expect(events(day).contains { $0.hasSuffix("rotation \(kind)") }, "\(day.output)")
      let shown = try await Binary.run(["simulate", path, "--show-scenario"] + options)
      #expect(shown.status == 0 && shown.output.contains("\ndevice: phone\ntime-zone: Europe/Berlin\n"))
      let file = try Binary.file("shown.yaml", shown.output)
      defer { unlink(file.path) }
      #expect(try await Binary.run(["simulate", file.path]).output == day.output)
      let json = try await Binary.run(["simulate", path, "--show-scenario", "--json"] + options)
      let text = try JSONDecoder().decode([String: String].self, from: Data(json.output.utf8))
      #expect(text == ["scenario": shown.output])
    }
    let scenario = try await simulate("cards", "--show-scenario")
    #expect(scenario.status == 0 && scenario.output.hasPrefix("device: "))
    for (arguments, message) in [
      (["--remote", "--show-scenario"], "--remote and --show-scenario"),
      (["--days", "32"], "--days must be from 1 to 31"),
      (["--time-zone", "Europe/Atlantis"], "Europe/Atlantis"),
    ] {
      let outcome = try await Binary.run(["simulate", week] + arguments)
      #expect(outcome.status != 0 && outcome.errors.contains(message), "\(outcome.errors)")
    }
    let wrong = try Binary.file("wrong.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:soon\nEND:VEVENT\nEND:VCALENDAR\n")
    defer { unlink(wrong.path) }
    let outcome = try await Binary.run(["simulate", wrong.path])
    #expect(
      outcome.status == 1 && outcome.errors.contains("wrong.ics: line 3, column 9: DTSTART: "), "\(outcome.errors)")
  }

  @Test(
    "Failures have a message and the matching exit status",
    arguments: [
      (["/nowhere.yaml"], 1, "/nowhere.yaml: the file cannot be opened"),
      (["cards", "--stack", "hom"], 1, "no stack is called \"hom\"\nDid you mean \"home\"?"),
      (["cards", "--until", "soon"], 64, "\"soon\" is not a time"),
      (["cards", "--until", "2021-06-06"], 1, "the end must be after the beginning"),
      (["cards", "--why-not", "Note"], 64, "--why-not and --at must be given together"),
      (["cards", "--explain", "2021-06-09"], 64, "is outside the simulated time"),
      (["cards", "--why-not", "Nothing", "--at", "9:00"], 1, "no widget kind is called \"Nothing\""),
    ])
  func failures(arguments: [String], status: Int32, message: String) async throws {
    let scenario =
      arguments[0].hasPrefix("/")
      ? arguments[0] : Self.root.appending(path: "Tests/Fixtures/scenarios/\(arguments[0]).yaml").path
    let outcome = try await Binary.run(["simulate", scenario] + arguments.dropFirst())
    #expect(outcome.status == status && outcome.output.isEmpty)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test("An invalid scenario and a rejected event are reported with their line")
  func wrongScenarios() async throws {
    let head = "device: a\ntime-zone: UTC\nbegin: 2026-01-01\nevents:\n"
    for (events, message) in [
      ("- {at: 9:00, hide: home}", "line 5: hide: rejected: stack: no stack with this name"),
      ("- {at: 9:00, hid: home}", "line 5, column 3: events[0]: expected one of the keys"),
    ] {
      let file = try Binary.file("wrong.yaml", head + events)
      defer { unlink(file.path) }
      let outcome = try await Binary.run(["simulate", file.path])
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
  }
}
