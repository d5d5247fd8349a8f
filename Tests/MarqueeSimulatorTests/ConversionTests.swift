import MarqueeModel
import MarqueeScheduler
import Testing

@testable import MarqueeSimulator

/// Calendars, tables and cases as scenarios, and the places of their findings and errors.
@Suite(.timeLimit(.minutes(2)))
struct ConversionTests {
  /// 2026-06-08 15:10 in Berlin, a Monday.
  private static let now = "2026-06-08T13:10:00Z"

  private func settings(
    _ zone: String = "Europe/Berlin", from: String? = nil, days: Int = 7
  ) throws -> FeedSettings {
    func instant(_ text: String) throws -> Instant {
      try #require(TimeText(text)?.instant(day: .min, clock: .utc))
    }
    return try FeedSettings(
      timeZone: TimeZoneID(zone), from: try from.map(instant), now: instant(Self.now), dayCount: days)
  }

  private static func calendar(_ events: String...) -> String {
    (["BEGIN:VCALENDAR", "VERSION:2.0"] + events.map { "BEGIN:VEVENT\n\($0)\nEND:VEVENT" } + ["END:VCALENDAR", ""])
      .joined(separator: "\n")
  }

  /// Stand-ups on line 6, and a review on line 13.
  private static let week = calendar(
    "UID:1\nSUMMARY:Stand-up\nDTSTART;TZID=Europe/Berlin:20260608T100000\nDURATION:PT15M\nRRULE:FREQ=DAILY;COUNT=3",
    "UID:2\nDTSTART;TZID=Europe/Berlin:20260609T140000\nDURATION:PT1H\nSUMMARY:Review: \"Q2\"")

  private func decided(_ source: ScenarioSource) throws -> [String] {
    var decisions = try SimulatedDecisions(of: source.scenario, until: nil, sizeMax: .max)
    while try decisions.advance() {}
    let clock = source.scenario.clock
    return decisions.decisions.map {
      "\(clock.day($0.at).suffix(2)) \(clock.hourAndMinute($0.at)) \($0.to.kind.name)"
    }
  }

  @Test("The format follows from the text")
  func formats() {
    let texts: [(String, SourceFormat)] = [
      (Self.week, .calendar), ("\u{FEFF}\r\n begin:vcalendar\r\n", .calendar), ("BEGIN:VEVENT", .calendar),
      ("date,score\n", .table), ("\"Date\" , title,\"score\"\r\n2026", .table), ("device: phone", .yaml),
      ("", .yaml), ("begin: 2026-06-08", .yaml), ("[date, score]", .yaml), ("date, title", .yaml),
      (String(repeating: "a", count: 100_000), .yaml),
    ]
    for (text, format) in texts { #expect(SourceFormat(of: text) == format, "\(text.prefix(40))") }
  }

  @Test("A calendar becomes a stack of a clock and the next event, which rotates before each meeting")
  func calendar() throws {
    let source = try ScenarioSource(Self.week, settings())
    let text = try #require(source.converted)
    #expect(text.hasPrefix("# The timelines of the file and a clock in one stack. "))
    #expect(text.contains("time-zone: Europe/Berlin\nbegin: 2026-06-08 00:00\nuntil: 2026-06-11 00:00\n"))
    #expect(text.contains("    kinds:\n      NextEvent: {families: [systemSmall], display: Calendar}\n"))
    #expect(text.contains("  home: {family: systemSmall, widgets: [Clock, NextEvent]}\n"))
    #expect(text.contains("      - {date: 09:30, score: 0.4, type: text/plain, content: Stand-up}\n"))
    #expect(text.contains(#"content: "Review: \"Q2\""}"#))
    #expect(!text.contains("reload") && !text.contains("policy"))
    #expect(try Scenario(yaml: text) == source.scenario)
    #expect(text.contains("    publish: Clock\n    relevance:\n      - [00:00, 0.06]\n      - [10:00, 0.06]\n"))
    let decided = try decided(source)
    #expect(decided.prefix(2) == ["08 09:30 NextEvent", "08 10:00 Clock"] && decided.last == "10 10:00 Clock")
    let fronts = decided.filter { $0.hasSuffix("NextEvent") }
    #expect(fronts == ["08 09:30 NextEvent", "09 09:30 NextEvent", "09 13:30 NextEvent", "10 09:30 NextEvent"])
  }

  @Test("A calendar begins today if it has events then, on the day of its first event otherwise, or where requested")
  func beginnings() throws {
    func begin(_ text: String, _ settings: FeedSettings) throws -> String {
      let scenario = try ScenarioSource(text, settings).scenario
      return "\(scenario.clock.day(scenario.begin)) \(scenario.clock.hourAndMinute(scenario.begin))"
    }
    #expect(try begin(Self.week, settings()) == "2026-06-08 00:00")
    #expect(try begin(Self.week, settings(from: "2026-06-09T08:00:00Z")) == "2026-06-09 00:00")
    let old = Self.calendar("UID:1\nDTSTART:20200101T233000Z\nDURATION:PT1H")
    #expect(try begin(old, settings()) == "2020-01-02 00:00")
    #expect(try begin(old, settings("UTC")) == "2020-01-01 00:00")
    let later = Self.calendar("UID:1\nDTSTART;VALUE=DATE:20300101")
    #expect(try begin(later, settings()) == "2030-01-01 00:00")
    #expect(try begin(Self.calendar(), settings()) == "2026-06-08 00:00")
  }

  @Test("A calendar is published for the requested number of days")
  func days() throws {
    let daily = Self.calendar("UID:1\nDTSTART:20260608T100000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY")
    for count in [1, 3, 31] {
      let source = try ScenarioSource(daily, settings("UTC", days: count))
      #expect(source.scenario.begin.span(to: source.scenario.end) == .days(Int64(count)))
      #expect(
        try decided(source).filter { $0.hasSuffix("10:00 NextEvent") || $0.hasSuffix("09:30 NextEvent") }.count == count
      )
    }
  }

  @Test("A table becomes a timeline that is published on the day of its first row")
  func table() throws {
    let source = try ScenarioSource(
      "date,score,duration\n2026-03-29T01:30,5,1800\n2026-03-29T04:00,0.5,\n", settings())
    let text = try #require(source.converted)
    #expect(text.contains("begin: 2026-03-29 00:00\nuntil: 2026-03-30 00:00\n"))
    #expect(text.contains("publish: Table\n    relevance:\n      - [01:30, 5.0, 30m]\n      - [04:00, 0.5]\n"))
    #expect(try decided(source).first == "29 01:30 Table")
  }

  @Test("Cases become one widget each, whose timelines are published in order")
  func cases() throws {
    let text = """
      - name: meetings
        from: 2026-06-08T08:00
        entries: [[30, 2, 600], [60, nil]]
        then: [{at: 120, entries: [[150, 3, 600, 155]]}]
      - name: "weather: now"
        from: 2026-06-08T09:00
        publishedAt: 30
        entries: [[40, 1, 0]]
        shortcuts: [{kind: A, windows: [[0, 30]]}]
      - name: nothing
      """
    let source = try ScenarioSource(text, settings())
    let converted = try #require(source.converted)
    #expect(!converted.contains("# Left out"))
    #expect(converted.contains("Case1: {families: [systemSmall], display: meetings}\n"))
    #expect(converted.contains(#"Case2: {families: [systemSmall], display: "weather: now"}"#))
    #expect(converted.contains("widgets: [Clock, Case1, Case2]"))
    let published = source.scenario.occurrences.compactMap { occurrence -> String? in
      guard case .timelinePublished(let widget, let timeline) = occurrence.event else { return nil }
      return "\(source.scenario.clock.hourAndMinute(occurrence.at)) \(widget.kind.name) \(timeline.entries.count)"
    }
    #expect(published.dropFirst() == ["08:00 Case1 2", "09:30 Case2 1", "10:00 Case1 1"])
    #expect(converted.contains("expires: 10:35"))
    // JSON is YAML.
    let json = #"{"from": "2026-06-08T08:00", "entries": [[30, 2, 600]]}"#
    #expect(try ScenarioSource(json, settings()).converted?.contains("- [08:30, 2.0, 10m]") == true)
    #expect(try ScenarioSource("entries: [[30, 2]]", settings()).scenario.begin == source.scenario.begin)
  }

  @Test("Sets of shortcuts and intents are sent by an app of their own, and the stack suggests their widgets")
  func sets() throws {
    let text = """
      name: cards
      from: 2026-06-08T08:00
      shortcuts:
        - at: 5
          shortcuts:
            - kind: Purchases
              intent: {type: ViewPurchases, parameters: {card: {object: "7", display: Visa}}}
              windows: [[60, 120]]
        - {at: 200, shortcuts: []}
      relevantIntents:
        - at: 10
          intents: [{kind: Trips, intent: {type: ViewTrips}, window: [2000, 2100]}]
      donations: [{type: ViewTrips}]
      """
    let source = try ScenarioSource(text, settings())
    let converted = try #require(source.converted)
    #expect(converted.hasPrefix("# The shortcuts and intents of the file, and a stack of a clock.\n# Left out: 1 sets"))
    #expect(converted.contains("begin: 2026-06-08 00:00\nuntil: 2026-06-10 00:00\n"))
    #expect(converted.contains("      Purchases: {families: [systemSmall], intent: ViewPurchases}\n"))
    #expect(converted.contains("    set-shortcuts: com.example.shortcuts\n"))
    let sent = source.scenario.occurrences.compactMap { occurrence -> String? in
      let count: Int
      switch occurrence.event {
      case .relevantShortcutsSet(_, let shortcuts): count = shortcuts.count
      case .relevantIntentsSet(_, let intents): count = -intents.count
      default: return nil
      }
      return "\(source.scenario.clock.hourAndMinute(occurrence.at)) \(count)"
    }
    #expect(sent == ["08:05 1", "08:10 -1", "11:20 0"])
    #expect(try decided(source).contains { $0.hasSuffix("09:00 Purchases") })
    // The same set twice is that of two apps.
    let both = "- {from: 2026-06-08T08:00, shortcuts: [{kind: A, windows: [[0, 30]]}]}\n"
    let apps = try ScenarioSource(both + both, settings()).converted
    #expect(apps?.contains("com.example.shortcuts1:") == true && apps?.contains("com.example.shortcuts2:") == true)
  }

  @Test("A scenario is not converted, and a text that is none of them is an error with its place")
  func others() throws {
    let scenario = "device: phone\ntime-zone: UTC\nbegin: 2026-06-08\n"
    #expect(try ScenarioSource(scenario, settings()).converted == nil)
    let texts = [
      ("", "line 1: the file has no scenario"), ("[", "line 2"),
      ("/etc/passwd", "line 1, column 1: expected a scenario"),
      ("entries: 3\n", "line 1, column 10: entries: expected a list of entries"),
      ("- name: a\n", "no case has entries or a set"),
      ("- {intentTypes: []}", "there is no timeline, shortcut or intent to simulate"),
      ("device: a\nentries: []", "expected the key time-zone"),
      (
        Array(repeating: "- entries: [[0, 1]]\n", count: 33).joined(), "too many cases with timelines: 33 (maximum: 32)"
      ),
    ]
    for (text, message) in texts {
      let error = #expect(throws: ScenarioError.self) { try ScenarioSource(text, settings()) }
      #expect(error?.description.contains(message) == true, "\(text): \(error as Any)")
    }
  }

  @Test("An error in a calendar or table has its line and column")
  func errors() throws {
    let texts = [
      (Self.calendar("UID:1\nDTSTART;TZID=\"A:B\":2026"), "line 5, column 20: DTSTART: malformed or impossible value"),
      (Self.calendar("UID:1\nSUMMARY:a"), "DTSTART: the event has no DTSTART"),
      (Self.calendar("UID:1\nDTSTART:20260608T100000Z\nRRULE:FREQ=NEVER"), "line 6, column 7: RRULE: "),
      ("BEGIN:VCALENDAR\n", "the component VCALENDAR has no END"),
      ("date,score\n2026-06-08,1\n2026-06-09,many\n", "line 3, column 12: score: not a finite number"),
      ("date,\"score\"\n2026-06-08,1,2\n", "line 2, column 1: expected 2 fields as in the header, found 3"),
      ("date,score\nsoon,1\n", "line 2, column 1: date: not an ISO 8601 date"),
    ]
    for (text, message) in texts {
      let error = #expect(throws: ScenarioError.self) { try ScenarioSource(text, settings()) }
      #expect(error?.description.contains(message) == true, "\(error as Any)")
    }
    #expect(throws: RequestError.self) { try settings("Europe/Atlantis") }
  }

  @Test("Findings about a calendar are at the start of its event, and those about a table at its row")
  func places() throws {
    let clash = Self.calendar(
      "UID:1\nDTSTART;TZID=Europe/Berlin:20260609T100000\nDURATION:PT1H",
      "UID:2\nDTSTART;TZID=Europe/Berlin:20260609T110000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=900")
    let found = try LintCase(Array(clash.utf8), .calendar, settings(days: 366), name: "Calendar")
    let places = found.publications[0].places
    #expect(found.publications[0].titles.count == found.publications[0].submitted.entries.count)
    let second = try #require(found.publications[0].submitted.entries.indices.dropFirst().first)
    #expect(places.place(of: second).line == 5 && places.place(of: second).column == 28)
    let rows = "date,score\r\n2026-06-08T12:00,1\r\n2026-06-08T10:00,2\r\n"
    let findings = try LintCase(Array(rows.utf8), .table, settings(), name: "Table").findings
    let unsorted = try #require(findings.first { $0.code == "entries-unsorted" })
    #expect(unsorted.line == 3 && unsorted.column == 1 && unsorted.caseName == "Table")
  }

  @Test("A scenario ends where it says, also after it was written")
  func until() throws {
    let head = "device: phone\ntime-zone: Europe/Berlin\nbegin: 2026-06-08 06:00\n"
    let scenario = try Scenario(yaml: head + "until: 2026-06-10 12:00\nevents:\n  - {at: 2026-06-11, focus: work}\n")
    #expect(scenario.clock.day(scenario.end) == "2026-06-10" && scenario.clock.hourAndMinute(scenario.end) == "12:00")
    #expect(scenario.yaml.contains("begin: 2026-06-08 06:00\nuntil: 2026-06-10 12:00\npolicy:\n"))
    #expect(try Scenario(yaml: scenario.yaml) == scenario)
    for (text, message) in [
      ("until: 06:00\n", "line 4, column 8: until: must be after the beginning"),
      ("until: soon\n", "line 4, column 8: until"),
    ] {
      let error = #expect(throws: ScenarioError.self) { try Scenario(yaml: head + text) }
      #expect(error?.description.contains(message) == true, "\(error as Any)")
    }
  }
}
