import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// `Simulate` and `Lint`, and the commands that call them.
@Suite("Simulation over sockets", .timeLimit(.minutes(3)))
struct SimulationCallTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Fixtures/scenarios").standardized

  private static let names = ["calendar", "cards", "clock-back", "clock-forward", "fitness", "habits", "news"]

  private static func path(_ name: String) -> String { folder.appending(path: "\(name).yaml").path }

  private static func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  /// A scenario whose score publishes unsorted entries on line 13, with the earlier one on line 16.
  private static let unsorted = """
    device: phone
    time-zone: Europe/Berlin
    begin: 2021-06-07
    apps:
      com.example.weather:
        kinds: {Forecast: [systemSmall]}
      com.example.sport:
        kinds: {Score: [systemSmall]}
    stacks:
      home: {family: systemSmall, widgets: [Forecast, Score]}
    events:
      - {at: 08:00, scroll: home, to: Forecast}
      - at: 09:00
        publish: Score
        relevance: [[10:00, 5, 30m],
                    [09:30, 1, 30m]]
    """

  /// Two cases, of which the second has an unknown key, and unsorted entries on line 8.
  private static let cases = """
    - name: sorted
      from: 2024-03-08T00:00
      entries: [[0, 1, 3600], [60.5, 0, 0]]
    - name: unsorted
      from: 2024-03-08T00:00
      remark: none
      entries: [[30, 1, 600], [90, nil],
                [0, 2, 600]]
    """

  @Test("A server decides a scenario as the command does", arguments: names)
  func decisions(name: String) async throws {
    try await InProcessServer.run { server in
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let day = try await marquee.json("simulate", Self.path(name))
      let local = day["events"].list.filter { $0["number"].number != nil }
      let answer = try await server.admin().simulate(try Self.text(name))
      #expect(answer.device.text == day["device"].text && answer.result.timeZone.text == day["time_zone"].text)
      let decided = answer.result.decisions.map { [$0.stack.text, "\($0.kind)", $0.to.exactText] }
      #expect(!local.isEmpty)
      #expect(decided == local.map { [$0["stack"].text ?? "", $0["kind"].text ?? "", $0["widget"].text ?? ""] })
      let remote = try await marquee.json("simulate", "--remote", Self.path(name))
      #expect(remote["decisions"].list.map { $0["at"].text } == local.map { $0["at"].text })
      #expect(remote["until"].text == day["to"].text && remote["at"].text == day["from"].text)
      for (stack, track) in zip(answer.result.stacks, day["stacks"].list) {
        // The command has no front of the instant at which the day ends.
        let fronts = stack.fronts.filter { $0.at < answer.result.until }.map { $0.widget?.exactText }
        let shown = track["spans"].list.map { $0["front"].text }
        #expect(fronts == shown.reduce(into: []) { if $0.last != $1 { $0.append($1) } })
      }
      #expect(try await server.admin().devices().devices.isEmpty, "a simulation stores nothing")
    }
  }

  @Test("Decisions that cancel out within an instant are printed, as by the command")
  func cancelledOut() async throws {
    try await InProcessServer.run { server in
      let text = """
        device: phone
        time-zone: Europe/Berlin
        begin: 2026-11-02
        until: 2026-11-05
        apps:
          com.example.a: {kinds: {Clock: [systemSmall], Cards: [systemSmall]}}
        stacks:
          home: {family: systemSmall, widgets: [Clock, Cards]}
        events:
          - {at: 2026-11-02 00:01, pin: Cards, stack: home, when: {times: "00:00-00:30"}}
          - {at: 2026-11-03 00:00, time-zone: America/New_York}

        """
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let file = try server.directory.write(text, to: "zones.yaml")
      let events = try await marquee.json("simulate", file)["events"].list.filter { $0["number"].number != nil }
      let midnight = "2026-11-03T00:00:00+01:00"
      let kinds = events.filter { $0["at"].text == midnight }.map { $0["kind"].text }
      #expect(kinds == ["pin", "rest"], "\(events)")
      let rows = try await marquee("simulate", "--remote", file).dropFirst().dropLast()
      let printed = rows.map { $0.split(separator: " ").map(String.init)[3] }
      #expect(printed == events.map { $0["kind"].text }, "\(rows)")
      // Only the fronts at the end of an instant are listed.
      let result = try await server.admin().simulate(text).result
      #expect(result.decisions.count == events.count)
      #expect(result.stacks.first.map { $0.fronts.count < events.count } == true)
    }
  }

  @Test("Policy overrides apply from the beginning on, and are in the settings of the response")
  func overrides() async throws {
    try await InProcessServer.run { server in
      let admin = server.admin()
      let text = try Self.text("calendar")
      let plain = try await admin.simulate(text)
      #expect(plain.settings.allSatisfy { !$0.isOverridden } && !plain.result.decisions.isEmpty)
      let strict = try await admin.simulate(text, setting: [PolicyNumber(name: "threshold", value: 1_000)])
      #expect(strict.settings.filter(\.isOverridden).map(\.name) == ["threshold"])
      #expect(strict.result.decisions.count < plain.result.decisions.count)
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let none = try await marquee.json("simulate", "--remote", "--set", "threshold=1000", Self.path("calendar"))
      #expect(none["decisions"].list.count == strict.result.decisions.count)
      for number in [PolicyNumber(name: "nothing", value: 1), PolicyNumber(name: "dwell", value: -1)] {
        let status = try await callStatus { _ = try await admin.simulate(text, setting: [number]) }
        #expect(status?.code == .invalidArgument, "\(status as Any)")
      }
      let until = try await marquee.json("simulate", "--remote", "--until", "09:00", Self.path("calendar"))
      #expect(until["until"].text == "2021-06-07T09:00:00-07:00")
    }
  }

  @Test("Events that the device refuses with overridden settings are skipped and counted")
  func skippedEvents() async throws {
    try await InProcessServer.run { server in
      let text = """
        device: phone
        time-zone: UTC
        begin: 2021-06-07
        apps:
          com.example.weather: {kinds: {Forecast: [systemSmall], Rain: [systemSmall]}}
        stacks:
          home: {family: systemSmall, widgets: [Forecast]}
        events:
          - {at: 08:00, set-shortcuts: com.example.weather, shortcuts: [{widget: Rain, when: [[08:00, 1h]]}]}
          - {at: 08:10, keep: home}
          - {at: 08:11, tap: Rain, stack: home}
          - {at: 08:12, focus: work}

        """
      let plain = try await server.admin().simulate(text)
      #expect(plain.result.decisions.count == 1 && plain.skippedEventCount == 0)
      let setting = PolicyNumber(name: "suggestion_count_max", value: 0)
      let without = try await server.admin().simulate(text, setting: [setting])
      #expect(without.result.decisions.isEmpty && without.skippedEventCount == 2)
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let file = try server.directory.write(text, to: "kept.yaml")
      let arguments = ["simulate", "--remote", "--set", "suggestion-count-max=0", file]
      let lines = try await marquee.run(arguments).output
      #expect(lines.contains("Events skipped, because the device refuses them with these settings: 2."), "\(lines)")
      #expect(try await marquee.json(arguments)["skipped_event_count"].number == 2)
    }
  }

  @Test("An error in a scenario is INVALID_ARGUMENT, and names its line and the expected content")
  func errors() async throws {
    try await InProcessServer.run { server in
      let admin = server.admin()
      let head = "device: phone\ntime-zone: UTC\nbegin: 2021-06-07\n"
      let texts = [
        (head + "events:\n  - {at: soon, focus: work}\n", "line 5"),
        (head + "events:\n  - {at: 08:00, show: home}\n", "line 5"),
        (head + "include: other.yaml\n", "line 4"), ("[", "line 2"), ("a: &a [*a]\n", "line 1"), ("", "line 1"),
        (head + "events: [{at: 2021-07-09, focus: work}]", "31 d"),
      ]
      for (text, part) in texts {
        let simulated = try await callStatus { _ = try await admin.simulate(text) }
        #expect(simulated?.code == .invalidArgument, "\(text): \(simulated as Any)")
        #expect(simulated?.message.hasPrefix("text: ") == true)
        #expect(simulated?.message.contains(part) == true, "\(text): \(simulated as Any)")
        let linted = try await callStatus { _ = try await admin.lint(text, as: .scenario) }
        #expect(linted?.code == .invalidArgument && linted?.message.contains(part) == true, "\(linted as Any)")
      }
      // A name of a file is a text, and no file is read.
      let file = try await callStatus { _ = try await admin.simulate("/etc/passwd") }
      #expect(file?.code == .invalidArgument)
    }
  }

  @Test("The findings about a text are those of the command, with their lines and exit status")
  func findings() async throws {
    try await InProcessServer.run { server in
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let clean = "name: a\nfrom: 2024-03-08T00:00\nentries: [[0, 1, 3600], [60.5, 0, 0]]\n"
      let texts = [(Self.unsorted, Int32(1)), (Self.cases, 1), (clean, 0), ("entries: 3\n", 64), ("[", 64)]
      for (index, (text, exit)) in texts.enumerated() {
        let file = server.directory.file("text-\(index).yaml")
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        for options in [[], ["--json"]] {
          let local = try await marquee.run(["lint", file] + options)
          let remote = try await marquee.run(["lint", "--remote", file] + options)
          #expect(local.exit == .code(exit) && remote.exit == .code(exit), "\(text): \(remote.errors)")
          #expect(local.output == remote.output)
          if exit < 64 { #expect(local.errors == remote.errors) }
        }
      }
      let scenario = try await server.admin().lint(Self.unsorted)
      let first = try #require(scenario.findings.first)
      #expect(first.code == "entries-unsorted" && first.line == 16 && first.index == 1 && first.column == 17)
      #expect(first.caseName == "line 13, publish" && first.severity == .warning && scenario.timelineCount == 1)
      let cases = try await server.admin().lint(Self.cases, as: .cases)
      #expect(cases.findings.map(\.severity).contains(.note) && cases.caseCount == 2)
      #expect(cases.findings.first { $0.severity == .note }?.line == 6)
      let unsorted = try #require(cases.findings.first { $0.code == "entries-unsorted" })
      #expect(unsorted.line == 8 && unsorted.caseName == "unsorted" && unsorted.subject == .timeline)
    }
  }

  @Test("A server converts calendars, tables and timelines as the command does")
  func conversions() async throws {
    try await InProcessServer.run { server in
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let calendar = """
        BEGIN:VCALENDAR
        BEGIN:VEVENT
        DTSTART;TZID=Europe/Berlin:20210608T100000
        RRULE:FREQ=DAILY
        SUMMARY:Stand-up
        END:VEVENT
        END:VCALENDAR

        """
      let table = "date,score,duration\n2021-06-08T09:00,1,60\n2021-06-08T08:00,1,1800\n"
      let files = [
        try server.directory.write(calendar, to: "week.ics"), try server.directory.write(table, to: "scores.csv"),
        try server.directory.write(Self.cases, to: "cases.yaml"),
      ]
      let feed = ["--time-zone", "Europe/Berlin", "--days", "3"]
      for file in files {
        let options = feed + (file.hasSuffix("ics") ? ["--from", "2021-06-08 07:00"] : [])
        let local = try await marquee.json(["simulate", file] + options)
        let remote = try await marquee.json(["simulate", "--remote", file] + options)
        let decided = local["events"].list.filter { $0["number"].number != nil }.map { $0["at"].text }
        #expect(!decided.isEmpty && remote["decisions"].list.map { $0["at"].text } == decided, "\(file)")
        #expect(remote["until"].text == local["to"].text && remote["at"].text == local["from"].text)
        // A server has no names of files, which are the names of the cases of calendars and tables.
        let linted = [
          try await marquee.run(["lint", file] + options), try await marquee.run(["lint", "--remote", file] + options),
        ]
        #expect(linted[0].exit == linted[1].exit)
        let lines = linted.map { $0.output.split(separator: "\n").map { $0.drop { $0 != ":" } } }
        #expect(lines[0] == lines[1], "\(file)")
      }
      let admin = server.admin()
      let options = FeedOptions(timeZone: Fixture.berlin, from: Fixture.after(.days(1)), dayCount: 2)
      let simulated = try await admin.simulate(calendar, feed: options)
      #expect(simulated.scenario.contains("widgets: [Clock, NextEvent]") && !simulated.result.decisions.isEmpty)
      #expect(try await admin.simulate(simulated.scenario).scenario.isEmpty)
      #expect(try await admin.simulate(simulated.scenario).result == simulated.result)
      // Without options, a calendar begins at the server's time, in UTC.
      #expect(try await admin.simulate(calendar).result.timeZone == TimeZoneID("UTC"))
      let unsorted = try #require(try await admin.lint(table).findings.first { $0.code == "entries-unsorted" })
      #expect(unsorted.line == 3 && unsorted.column == 1 && unsorted.caseName == "Table")
      let wrong = calendar.replacing("20210608T100000", with: "tomorrow")
      for call in [
        try await callStatus { _ = try await admin.simulate(wrong) },
        try await callStatus { _ = try await admin.lint(wrong) },
      ] {
        #expect(call?.code == .invalidArgument)
        #expect(call?.message == "text: line 3, column 28: DTSTART: malformed or impossible value")
      }
      let zone = try await callStatus {
        _ = try await admin.simulate(calendar, feed: FeedOptions(timeZone: TimeZoneID("Europe/Atlantis")))
      }
      #expect(zone?.message.hasPrefix("feed.time_zone: ") == true, "\(zone as Any)")
    }
  }

  @Test("An option that concerns only this machine is not sent to a server")
  func options() async throws {
    try await InProcessServer.run { server in
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let from = try await marquee.run(["lint", "--remote", Self.path("cards"), "--from", "now"])
      #expect(from.exit == .code(64) && from.errors.contains("--from"))
      let days = try await marquee.run(["lint", "--remote", "week.ics", "--days", "32"])
      #expect(days.exit == .code(64) && days.errors.contains("--days"))
      let picture = try await marquee.run(["simulate", "--remote", Self.path("cards"), "--svg", "day.svg"])
      #expect(picture.exit == .code(64) && picture.errors.contains("--remote"))
      let wrong = server.directory.file("wrong.yaml")
      try "device: phone\n".write(toFile: wrong, atomically: false, encoding: .utf8)
      let missing = try await marquee.run(["simulate", "--remote", wrong])
      #expect(missing.exit == .code(1) && missing.errors.contains("expected the key time-zone"))
    }
  }

  @Test("Two calls of a principal do not run at the same time, and each may follow the other")
  func sequence() async throws {
    try await InProcessServer.run { server in
      let admin = server.admin()
      for _ in 0..<3 {
        _ = try await admin.simulate(try Self.text("habits"))
        _ = try await admin.lint(try Self.text("habits"))
      }
      // Rejected calls do not count afterwards.
      let failed = try await callStatus { _ = try await admin.simulate("[") }
      #expect(failed?.code == .invalidArgument)
      _ = try await admin.simulate(try Self.text("cards"))
    }
  }
}
