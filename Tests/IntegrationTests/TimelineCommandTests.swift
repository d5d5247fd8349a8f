import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import ServerSimulation
import Testing

/// The commands about a widget's timeline. Clocks begin on 2021-06-07, a Monday, at 11:41 in Berlin.
@Suite("Timeline commands over sockets", .timeLimit(.minutes(2)))
struct TimelineCommandTests {
  private func run(_ body: (InProcessServer, Marquee) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      try await body(server, Marquee(endpoint: server.endpoint, directory: server.directory))
    }
  }

  private static func entry(
    _ date: Instant, _ mediaType: String, _ bytes: some Sequence<UInt8>, score: Double? = nil
  ) -> TimelineEntry {
    TimelineEntry(
      date: date, relevance: Fixture.entry(date, score: score).relevance,
      content: valid { try EntryContent(mediaType: mediaType, bytes: Array(bytes)) })
  }

  @Test("entry prints the current entry's dates, relevance and text, with control characters escaped")
  func text() async throws {
    try await run { server, marquee in
      let title = "phone:com.example.weather/Forecast in systemSmall  2021-06-07 11:41:00, Europe/Berlin"
      #expect(try await marquee("entry", "Forecast") == [title, "No current entry.", "No relevance."])
      let (text, json) = ("Sunny\u{1B}[2J\r\n21 °C\tdry\u{202E}", #"{"summary": "rain"}"#)
      var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let entries = [
        Self.entry(Fixture.start, "text/plain; charset=utf-8", text.utf8, score: 5),
        Self.entry(Fixture.after(.hours(1)), "application/json", json.utf8),
      ]
      #expect(try await weather.publish(1, Fixture.forecast, entries) == .accepted(1))
      #expect(
        try await marquee("entry", "phone:Forecast") == [
          title, "Current since 11:41:00, until 12:41:00.", "Relevance: score 5 from 11:41:00 to 11:51:00.",
          "Content: \(text.utf8.count) bytes of text/plain; charset=utf-8",
          #"Sunny\u{1B}[2J\u{D}"#, "21 °C\tdry\\u{202E}",
        ])
      let first = try await marquee.json("entry", "Forecast")
      #expect(first["widget"].text == "com.example.weather/Forecast" && first["relevance"]["score"].number == 5)
      #expect(first["entry"]["content"].text == text && first["entry"]["content_base64"].isNull)
      #expect(first["entry"]["date"].text == "2021-06-07T11:41:00+02:00")
      #expect(first["entry"]["until"].text == "2021-06-07T12:41:00+02:00")
      server.clock.advance(to: Fixture.after(.hours(1)))
      let second = try await marquee.json("entry", "Forecast")["entry"]
      #expect(second["content"].text == json && second["until"].isNull)
      #expect(
        second["media_type"].text == "application/json" && second["content_size"].number == Double(json.utf8.count))
      #expect(try await marquee("entry", "Forecast").contains("Current since 12:41:00, until replaced."))
      let future = [Self.entry(Fixture.after(.hours(2)), "text/plain", "later".utf8)]
      #expect(try await weather.publish(2, Fixture.forecast, future) == .accepted(2))
      #expect(try await marquee("entry", "Forecast")[1] == "No current entry; the next one comes at 13:41:00.")
      #expect(try await marquee.json("entry", "Forecast")["entry"].isNull)
      let early = try await marquee.run(["timeline", "Forecast", "--day", "2020-01-05"])
      #expect(early.exit == .code(1) && early.errors.contains("--day 2020-01-05: the device did not exist then"))
      let unknown = try await marquee.run(["entry", "Forcast"])
      #expect(unknown.exit == .code(1) && unknown.errors.contains("Did you mean \"Forecast\""))
    }
  }

  @Test(
    "entry describes content that is not text, and gives it in Base64 in JSON",
    arguments: [("image/png", 0x20), ("", 0x20), ("text/plain", 0xFF)] as [(String, UInt8)])
  func binary(mediaType: String, byte: UInt8) async throws {
    try await run { server, marquee in
      let bytes = [UInt8](repeating: byte, count: 4_096)
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      let entries = [Self.entry(Fixture.start, mediaType, bytes)]
      #expect(try await sport.publish(1, Fixture.score, entries) == .accepted(1))
      let what = mediaType.isEmpty ? "without a media type" : "of \(mediaType)"
      #expect(try await marquee("entry", "Score").last == "Content: 4096 bytes \(what)")
      let entry = try await marquee.json("entry", "Score")["entry"]
      #expect(entry["content"].isNull && entry["content_size"].number == 4_096)
      #expect(entry["content_base64"].text == Data(bytes).base64EncodedString())
    }
  }

  @Test("timeline draws a past day from the timelines that were stored on it, and today also from the current one")
  func pastDay() async throws {
    try await run { server, marquee in
      var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      let noon = Fixture.after(.minutes(19))
      let old = [Fixture.entry(noon, score: 5, for: .hours(1))]
      #expect(try await weather.publish(1, Fixture.forecast, old) == .accepted(1))
      server.clock.advance(to: Fixture.after(.days(1)))
      let new = [Fixture.entry(Fixture.after(.days(1)), score: -1)]
      #expect(try await weather.publish(2, Fixture.forecast, new) == .accepted(2))
      let yesterday = try await marquee("timeline", "Forecast", "--day", "yesterday")
      #expect(yesterday[0] == "phone:com.example.weather/Forecast in systemSmall, 2021-06-07")
      #expect(yesterday.contains { $0.hasPrefix("  5 ┤") && $0.contains("█") }, "\(yesterday)")
      #expect(!yesterday.contains { $0.contains("No score above zero") || $0.contains("now") })
      let today = try await marquee("timeline", "Forecast")
      #expect(today[0] == "phone:com.example.weather/Forecast in systemSmall, 2021-06-08")
      let line = "No score above zero on this day: a shortcut, a prediction or a pin can bring the widget to the front."
      #expect(today.contains(line))
      let past = try await marquee.json("timeline", "Forecast", "--day", "2021-06-07")
      #expect(past["at"].text == "2021-06-07T23:59:59.999+02:00")
      #expect(past["entries"].list.map { $0["date"].text } == ["2021-06-07T12:00:00+02:00"])
      let tomorrow = try await marquee.json("timeline", "Forecast", "--day", "tomorrow")
      #expect(tomorrow["entries"].list.map { $0["score"].number } == [-1])
      let before = try await marquee.run(["timeline", "Forecast", "--day", "2021-06-06"])
      #expect(before.exit == .code(1) && before.errors.contains("the device did not exist then"), "\(before.errors)")
    }
  }

  @Test("timeline draws replaced timelines over the spans in which they were stored, on their day and after it")
  func replaced() async throws {
    try await run { server, marquee in
      var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      // From 11:41 a score of 3, from 12:41 one of 7 for 20 minutes; that of 13:41 is replaced before it begins.
      let first = [
        Fixture.entry(Fixture.start, score: 3, for: .hours(5)), Fixture.entry(Fixture.after(.hours(2)), score: 100),
      ]
      #expect(try await weather.publish(1, Fixture.forecast, first) == .accepted(1))
      server.clock.advance(to: Fixture.after(.minutes(30)))
      let second = [Fixture.entry(Fixture.after(.hours(1)), score: 7, for: .minutes(20))]
      #expect(try await weather.publish(2, Fixture.forecast, second) == .accepted(2))
      server.clock.advance(to: Fixture.after(.hours(3)))
      #expect(
        try await weather.publish(3, Fixture.forecast, [Fixture.entry(Fixture.start, score: 9, for: .hours(20))])
          == .accepted(3))
      for days in [0, 1] as [Int64] {
        server.clock.advance(to: Fixture.after(.hours(4)).advanced(by: .days(days)))
        let day = try await marquee.json("timeline", "Forecast", "--day", "2021-06-07")
        let spans = day["spans"].list
        #expect(spans.map { $0["start"].text?.dropFirst(11).prefix(5) } == ["11:41", "12:11", "14:41"])
        #expect(spans.dropLast().map { $0["end"].text } == spans.dropFirst().map { $0["start"].text })
        #expect(spans.last?["end"].text == day["at"].text)
        let dates = spans.map { $0["entries"].list.map { $0["date"].text?.dropFirst(11).prefix(5) } }
        #expect(dates == [["11:41"], ["12:41"], ["11:41"]])
        #expect(spans.map { $0["relevance"]["score"].number } == [3, 3, 9])
        #expect(day["published"].text?.dropFirst(11).prefix(5) == "14:41")
        let lines = try await marquee("timeline", "Forecast", "--day", "2021-06-07")
        let reached = ["11:41:00", "12:11:00", "14:41:00"].map { "\($0) with 1 entry reached" }
        #expect(lines.last == "Timelines: \(reached.joined(separator: ", "))")
        #expect(lines.contains { $0.hasPrefix("  9 ┤") } && !lines.contains { $0.contains("100") }, "\(lines)")
      }
    }
  }

  @Test("GetTimeline has the timelines of a period only on request, and rejects one that is empty or too long")
  func periods() async throws {
    try await run { server, _ in
      var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      #expect(try await weather.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start, "a")]) == .accepted(1))
      let admin = server.admin()
      server.clock.advance(to: Fixture.after(.days(3)))
      let plain = try await admin.timeline(of: Fixture.forecast, on: Fixture.device)
      #expect(plain.spans.isEmpty && plain.publishedAt == Fixture.start)
      let since = Fixture.after(.days(2))
      let spans = try await admin.timeline(of: Fixture.forecast, on: Fixture.device, since: since).spans
      #expect(spans.map(\.start) == [since] && spans.map(\.end) == [Fixture.after(.days(3))])
      #expect(spans[0].entries == [TimelineEntry(date: Fixture.start)])
      func rejection(at instant: Instant?, since: Instant) async throws -> RPCStatus? {
        try await callStatus {
          _ = try await admin.timeline(of: Fixture.forecast, on: Fixture.device, at: instant, since: since)
        }
      }
      let (now, future) = (Fixture.after(.days(3)), Fixture.after(.days(4)))
      let cases: [(Instant?, Instant, String)] = [
        (nil, now, "since: must be before the instant"), (Fixture.start, Fixture.start, "since: must be before"),
        (nil, Fixture.start, "past-period-max: 2 d"), (future, now, "at: must not be in the future"),
        (Fixture.start.advanced(by: .minutes(-60)), Fixture.start.advanced(by: .minutes(-90)), "did not exist then"),
      ]
      for (at, since, message) in cases {
        let status = try await rejection(at: at, since: since)
        #expect(status?.message.contains(message) == true, "\(status as Any)")
      }
      let request = GetTimelineRequest(
        device: Fixture.device, widget: Fixture.forecast, includesContent: true, since: since)
      let both = try await callStatus { _ = try await server.connection().unary(AdminService.getTimeline, request) }
      #expect(both?.code == .invalidArgument && both?.message.contains("with_content") == true, "\(both as Any)")
    }
  }

  @Test("The timelines of a widget that does not exist are NOT_FOUND, also those of a period")
  func unknownWidgets() async throws {
    try await run { server, _ in
      var weather = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      #expect(try await weather.publish(1, Fixture.forecast, [Fixture.entry(Fixture.start, score: 3)]) == .accepted(1))
      let admin = server.admin()
      let small = WidgetFamily.systemSmall
      server.clock.advance(to: Fixture.after(.hours(2)))
      let unknown = Widget(kind: WidgetKind(app: Fixture.weatherApp, name: try KindName("Other")))
      let instances: [(Widget, WidgetFamily?)] = [
        (unknown, nil), (unknown, small), (Fixture.forecast, .systemLarge),
      ]
      for (widget, family) in instances {
        let status = try await callStatus {
          _ = try await admin.timeline(
            of: widget, in: family, on: Fixture.device, since: Fixture.after(.hours(1)))
        }
        #expect(status?.code == .notFound, "\(widget) \(family as Any): \(status as Any)")
      }
    }
  }

  /// Adds a stack of another family with the forecast to the fixtures' small one.
  private static func addMediumStack(_ server: InProcessServer) async throws {
    let stack = try StackID("medium")
    try await server.display().edit(stack, on: Fixture.device, .create(.systemMedium))
    try await server.display().edit(stack, on: Fixture.device, .add(Fixture.forecast, at: nil))
  }

  @Test("W1 entry and timeline show the content of a family, which publications in another family do not change")
  func families() async throws {
    try await run { server, marquee in
      try await Self.addMediumStack(server)
      let kinds = Fixture.descriptors(of: [Fixture.forecast])
      try await ProviderClient.run(
        server.connection(), device: Fixture.device, app: Fixture.weatherApp, kinds: kinds
      ) { provider in
        for family in [WidgetFamily.systemSmall, .systemMedium] {
          try await provider.publish(
            [Fixture.entry(Fixture.start, "\(family)")], policy: .never, for: Fixture.forecast, in: family)
        }
      }
      for family in ["systemSmall", "systemMedium"] {
        let name = "phone:com.example.weather/Forecast in \(family)"
        let lines = try await marquee("entry", "Forecast", "--family", family)
        #expect(lines.first == "\(name)  2021-06-07 11:41:00, Europe/Berlin" && lines.last == family)
        let entry = try await marquee.json("entry", "Forecast", "--family", family)
        #expect(entry["family"].text == family && entry["content_family"].text == family)
        #expect(entry["entry"]["content"].text == family)
        #expect(try await marquee("timeline", "Forecast", "--family", family)[0] == "\(name), 2021-06-07")
        #expect(try await marquee.json("timeline", "Forecast", "--family", family)["family"].text == family)
      }
      let none = try await marquee.run(["entry", "Forecast", "--family", "systemLarge"])
      #expect(none.exit == .code(1) && none.errors.contains("family: "), "\(none.errors)")
    }
  }

  @Test("R15 entry, timeline and inspect print the group of a timeline")
  func group() async throws {
    try await run { server, marquee in
      let before = try await marquee("timeline", "Forecast")
      #expect(!before.contains("Group: bills"))
      let kinds = Fixture.descriptors(of: [Fixture.forecast])
      try await ProviderClient.run(
        server.connection(), device: Fixture.device, app: Fixture.weatherApp, kinds: kinds
      ) { provider in
        let group = try GroupName("bills")
        try await provider.publish([Fixture.entry(Fixture.start)], policy: .never, for: Fixture.forecast, group: group)
      }
      for command in ["entry", "timeline"] {
        let lines = try await marquee(command, "Forecast")
        #expect(lines.contains("Group: bills"))
      }
      let rows = try await marquee("inspect", "home")
      #expect(rows.filter { $0.hasSuffix("  bills") }.count == 1)
      let widgets = try await marquee.json("inspect", "home")["widgets"].list
      #expect(widgets.map { $0["group"].text } == ["bills", nil])
    }
  }

  @Test("W1 publish without a family reaches the stacks of all families, and with one only those of this family")
  func publishing() async throws {
    try await run { server, marquee in
      try await Self.addMediumStack(server)
      let file = try server.directory.write("date,score\n2021-06-07T11:41,1\n", to: "feed.csv")
      let arguments = ["publish", "csv", file, "--widget", "com.example.weather/Forecast"]
      func scores(_ family: String) async throws -> [Double?] {
        let document = try await marquee.json("timeline", "Forecast", "--family", family)
        return document["entries"].list.map { $0["score"].number }
      }
      let all = try marquee.start(arguments)
      defer { all.send(signal: SIGKILL) }
      let line = "11:41:00  phone:com.example.weather/Forecast  1 entry published"
      #expect(try await all.log.line(with: "published") == line)
      let (small, medium) = (try await scores("systemSmall"), try await scores("systemMedium"))
      #expect(small == [1] && medium == [1])
      let shared = try await marquee.json("timeline", "Forecast")
      #expect(shared["family"].text == "systemSmall" && shared["content_family"].isNull)
      try await all.kill()
      server.clock.advance(to: Fixture.after(.minutes(1)))
      let next = try server.directory.write("date,score\n2021-06-07T11:41,2\n", to: "next.csv")
      let one = try marquee.start(
        ["publish", "csv", next, "--widget", "com.example.weather/Forecast", "--family", "systemMedium", "--json"])
      defer { one.send(signal: SIGKILL) }
      #expect(try await one.log.line(with: "entry_count").contains(#""family":"systemMedium""#))
      let (sameSmall, newMedium) = (try await scores("systemSmall"), try await scores("systemMedium"))
      #expect(sameSmall == [1] && newMedium == [2])
      let latest = try await marquee.json("entry", "Forecast")
      #expect(latest["family"].text == "systemMedium" && latest["content_family"].text == "systemMedium")
      let wrong = try await marquee.run(arguments + ["--family", "systemLarge"])
      #expect(wrong.exit == .code(1) && wrong.errors.contains("family: "), "\(wrong.errors)")
    }
  }

  @Test("C1 A change of the time zone reaches publish and watch at once, and unsorted rows are reported")
  func zoneChange() async throws {
    try await run { server, marquee in
      let file = try server.directory.write("date,score\n2021-06-07T12:00,1\n2021-06-07T11:41,2\n", to: "feed.csv")
      let publish = try marquee.start(["publish", "csv", file, "--widget", "com.example.weather/Forecast"])
      defer { publish.send(signal: SIGKILL) }
      #expect(try await publish.log.line(with: "published").hasPrefix("11:41:00  phone:com.example.weather/Forecast"))
      #expect(try await publish.log.line(with: "entries-unsorted").hasPrefix("          entries-unsorted: "))
      let watch = try marquee.start(["watch", "--device", "phone"])
      defer { watch.send(signal: SIGKILL) }
      _ = try await watch.log.line(with: "shows")
      _ = try await marquee("device", "add", "phone", "--time-zone", "Asia/Tokyo")
      #expect(try await watch.log.line(with: "zone") == "18:41:00  phone  is in the time zone Asia/Tokyo")
      let again = try await publish.log.line(with: "18:41:00")
      #expect(again == "18:41:00  phone:com.example.weather/Forecast  2 entries published")
      let dates = try await marquee.json("timeline", "Forecast")["entries"].list.map { $0["date"].text }
      #expect(dates == ["2021-06-07T11:41:00+09:00", "2021-06-07T12:00:00+09:00"])
      let wrong = try await marquee.run(["device", "add", "phone", "--time-zone", "IST"])
      #expect(wrong.exit == .code(1) && wrong.errors.contains("Did you mean \"Asia/Kolkata\"?"), "\(wrong.errors)")
    }
  }

  @Test("A publication whose content is refused leaves no kind behind")
  func refused() async throws {
    let limit: @Sendable (inout MarqueeConfiguration) -> Void = { configuration in
      configuration.limits.entryCountMax = 2
    }
    try await InProcessServer.run(limit) { server in
      try await Fixture.build(server.connection())
      let marquee = Marquee(endpoint: server.endpoint, directory: server.directory)
      let rows = (1...3).map { "2021-06-07T1\($0):00,\($0)\n" }
      let large = try server.directory.write("date,score\n" + rows.joined(), to: "large.csv")
      let small = try server.directory.write("date,score\n" + rows[0], to: "small.csv")
      func expectOnly(_ names: [String]) async throws {
        let kinds = try await marquee.json("widgets", "phone")["kinds"].list
        #expect(kinds.compactMap { $0["kind"].text }.sorted() == names)
      }
      let known = ["com.example.sport/Score", "com.example.weather/Forecast"]
      let wrong = try await marquee.run(["publish", "csv", large, "--widget", "com.example.new/A"])
      #expect(wrong.exit == .code(1) && wrong.errors.contains("entry-count-max"), "\(wrong.errors)")
      try await expectOnly(known)
      let right = try marquee.start(["publish", "csv", small, "--widget", "com.example.new/A"])
      defer { right.send(signal: SIGKILL) }
      #expect(try await right.log.line(with: "published").hasSuffix("com.example.new/A  1 entry published"))
      try await expectOnly(["com.example.new/A"] + known)
    }
  }

  @Test("W1 report-interaction home places a widget in a family, in which it is listed")
  func homeFamily() async throws {
    try await run { server, marquee in
      _ = try await marquee("report-interaction", "home", "Forecast", "--family", "systemMedium")
      _ = try await marquee("report-interaction", "home", "Forecast")
      let widgets = try await marquee.json("widgets", "phone")["widgets"].list
      let forecast = try #require(widgets.first { $0["widget"].text == "com.example.weather/Forecast" })
      #expect(Set(forecast["home_families"].list.compactMap(\.text)) == ["systemMedium", "systemSmall"])
      let rows = try await marquee("widgets", "phone")
      let first = try #require(rows.firstIndex { $0.hasSuffix("  stack home,") })
      let others = rows[(first + 1)...(first + 2)].joined()
      #expect(others.contains("  Home Screen in systemSmall") && others.contains("  Home Screen in systemMedium"))
      _ = try await marquee("report-interaction", "home", "Forecast", "off", "--family", "systemMedium")
      #expect(try await server.admin().widgets(of: Fixture.device).homeWidgets == [Fixture.forecast.small])
      _ = try await marquee("report-interaction", "home", "Forecast", "off")
      #expect(try await server.admin().widgets(of: Fixture.device).homeWidgets.isEmpty)
      let wrong = try await marquee.run(["report-interaction", "home", "Forecast", "--family", "systemLarge"])
      #expect(wrong.exit == .code(1) && wrong.errors.contains("family"), "\(wrong.errors)")
    }
  }
}
