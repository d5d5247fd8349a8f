import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import ServerSimulation
import Testing

/// The operator commands against a server in virtual time. Clocks begin on 2021-06-07 at 11:41 in Berlin.
@Suite("Operator commands over sockets", .timeLimit(.minutes(2)))
struct CommandTests {
  private func run(_ body: (InProcessServer, Marquee) async throws -> Void) async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection())
      try await body(server, Marquee(endpoint: server.endpoint, directory: server.directory))
    }
  }

  /// Sets a shortcut of the news app that is relevant for an hour, from an hour after the start.
  private func announceNews(_ server: InProcessServer) async throws {
    let news = try await Relevance.provider(server.connection(), of: Relevance.news)
    try await news.setRelevantShortcuts([
      Relevance.shortcut(Relevance.news, [(Fixture.after(.hours(1)), Fixture.after(.hours(2)))])
    ])
  }

  @Test("R10 why-not describes the obstacles of a member in order, in the past and the future")
  func whyNot() async throws {
    try await run { server, marquee in
      let kickOff = Fixture.after(.minutes(10))
      var sport = try await ProviderStream(server.connection(), app: Fixture.sportApp)
      _ = try await sport.publish(1, Fixture.score, [Fixture.entry(kickOff, score: 5, for: .minutes(30))])
      try await server.display().report(.tapped(Fixture.stack, Fixture.forecast), on: Fixture.device)
      server.clock.advance(to: Fixture.after(.minutes(1)))
      #expect(
        try await marquee("why-not", "home", "Score") == [
          "phone/home  2021-06-07 11:42:00, Europe/Berlin",
          "Score: its next positive score comes with the 11:51:00 entry.",
          "  then: held for another 14 min because the user touched the stack at 11:41:00; that ends at 11:56:00.",
        ])
      let held = try await marquee.json("why-not", "phone/home", "com.example.sport/Score", "--at", "2021-06-07 11:52")
      #expect(held["in_front"].flag == false && held["widget"].text == "com.example.sport/Score")
      #expect(held["obstacles"].list.map { $0["obstacle"].text } == ["gate"])
      #expect(held["obstacles"].list[0]["gate"]["gate"].text == "hold" && held["obstacles"].list[0]["gap"].isNull)
      #expect(held["obstacles"].list[0]["clears"].text == "2021-06-07T11:56:00+02:00")
      server.clock.advance(to: Fixture.after(.hours(1)))
      let ended = try await marquee("why-not", "home", "Score")
      #expect(ended == ["phone/home  2021-06-07 12:41:00, Europe/Berlin", "Score is in front."])
      let past = try await marquee.json("why-not", "home", "Score", "--at", "2021-06-07 11:42")
      #expect(past["obstacles"].list.map { $0["gap"].text } == ["score_ahead", nil])
    }
  }

  @Test("R10 why-not explains a widget outside the stacks, and reports an unknown one")
  func whyNotSuggested() async throws {
    try await run { server, marquee in
      try await announceNews(server)
      try await server.display().edit(Fixture.stack, on: Fixture.device, .setWidgetSuggestions(false))
      #expect(
        try await marquee("why-not", "home", "Headlines").dropFirst() == [
          "Headlines: its next window begins at 12:41:00.", "  then: Widget Suggestions is off.",
        ])
      let unknown = try await marquee.run(["why-not", "home", "Headlins"])
      #expect(unknown.exit == .code(1) && unknown.errors.contains("Did you mean \"Headlines\"?"))
      #expect(try await marquee.run(["why-not", "hme", "Headlines"]).errors.contains("Did you mean \"home\"?"))
      let early = try await marquee.run(["why-not", "home", "Headlines", "--at", "2021-06-07 11:00"])
      #expect(early.exit == .code(1) && early.errors.contains("NOT_FOUND"))
    }
  }

  @Test("With --json, errors have the server's status code, or that of an unknown name, and hints")
  func failures() async throws {
    try await run { server, marquee in
      func report(_ arguments: String...) async throws -> JSONDocument {
        let outcome = try await marquee.run(arguments + ["--json"])
        #expect(outcome.exit == .code(1) && outcome.output.isEmpty, "\(arguments): \(outcome.output)")
        return JSONDocument(try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8)))["error"]
      }
      let unknown = try await report("inspect", "phone/hme")
      #expect(unknown["code"].text == "NOT_FOUND" && unknown["message"].text == "no stack is called \"phone/hme\"")
      #expect(unknown["hints"].list.map(\.text) == ["Did you mean \"phone/home\"?"])
      let existing = try await report("stack", "create", "phone/home")
      #expect(existing["code"].text == "ALREADY_EXISTS" && existing["hints"].list.isEmpty)
      let early = try await report("explain", "home", "--at", "2021-06-07 11:00")
      #expect(early["code"].text == "NOT_FOUND" && early["message"].text?.contains("did not exist then") == true)
    }
  }

  @Test("explain lists the suggestion candidates, their blocking gates, and the engagement factor (R10, R11)")
  func explain() async throws {
    try await run { server, marquee in
      #expect(try await !marquee("explain", "home").contains { $0.hasPrefix("Not on the Home Screen") })
      #expect(try await marquee.json("explain", "home")["suggestions"]["candidates"].list.isEmpty)
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let windows = [(Fixture.start, Fixture.after(.minutes(5))), (Fixture.after(.hours(1)), Fixture.after(.hours(2)))]
      try await cards.setRelevantShortcuts([Relevance.shortcut(Relevance.amex, windows.map { ($0.0, $0.1) })])
      try await server.display().report(.suggestionDismissed(Fixture.stack), on: Fixture.device)
      let lines = try await marquee("explain", "home", "--at", "2021-06-07 11:42")
      let index = try #require(
        lines.firstIndex {
          $0.hasPrefix("Not on the Home Screen: ") && $0.contains(" is not suggested: ")
        })
      #expect(lines[index].contains(": its episode, which began at 11:41:00, is used up: the user dismissed, "))
      #expect(lines[index...].contains { $0.hasSuffix("; times 83.3 % for past reactions") })
      let suggestions = try await marquee.json("explain", "home", "--at", "2021-06-07 11:42")["suggestions"]
      #expect(suggestions["candidates"].list.map { $0["widget"].text } == [amexText])
      let engagement = try #require(suggestions["candidates"].list[0]["signals"].list[0]["engagement"].number)
      #expect((engagement - 4.0 / 6 / 0.8).magnitude < 1e-5)
    }
  }

  private let amexText = "com.example.cards/Purchases(card=object:amex)"

  @Test("A suggestion is marked, and its appearance and removal are reported with reasons")
  func marks() async throws {
    try await run { server, marquee in
      let watching = try marquee.start(["watch", "home"])
      let watchingJSON = try marquee.start(["watch", "home", "--json"])
      defer { for process in [watching, watchingJSON] { process.send(signal: SIGKILL) } }
      _ = try await watching.log.line(with: "shows com.example.weather/Forecast")
      _ = try await watchingJSON.log.line(with: "state")
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      try await cards.setRelevantShortcuts([Relevance.shortcut(Relevance.amex, [(Fixture.start, nil)])])
      let coming = try await watching.log.line(with: "suggests")
      #expect(coming.hasPrefix("11:41:00  phone/home  suggests \(amexText): Purchases(card: amex) leads: "))
      #expect(coming.contains("its app marks it as relevant now") && coming.hasSuffix(" (decision 1)"))
      #expect(try await marquee("stacks").last?.hasSuffix("\(amexText) (suggested)") == true)
      #expect(try await marquee("inspect", "home").contains { $0.hasPrefix("▸  0  \(amexText) (suggested)") })
      // Each with the title for people.
      let titled = try await [marquee("stacks"), marquee("inspect", "home"), marquee("decisions", "home")]
      #expect(titled.allSatisfy { $0.contains { $0.contains(amexText) && $0.contains("Purchases(card: amex)") } })
      #expect(try await marquee.json("inspect", "home")["suggestion"].text == amexText)
      let decision = try await marquee.json("decisions", "home")["decisions"].list[0]
      #expect(decision["kind"].text == "suggestion" && decision["to"].text == amexText)
      try await server.display().report(.suggestionDismissed(Fixture.stack), on: Fixture.device)
      let going = try await watching.log.line(with: "no longer")
      #expect(going == "11:41:00  phone/home  \(amexText) is no longer suggested: dismissed")
      #expect(try await watching.log.line(with: "→") == "11:41:00  phone/home  → com.example.weather/Forecast")
      let line = try await watchingJSON.log.line(with: "dismissed")
      let update = JSONDocument(try JSONSerialization.jsonObject(with: Data(line.utf8)))
      #expect(update["suggestion"].isNull && update["suggestion_change"]["decision"].isNull)
      #expect(update["suggestion_change"]["widget"].text == amexText)
      #expect(try await marquee.json("stacks")["stacks"].list.allSatisfy { $0["suggestion"].isNull })
    }
  }

  @Test("marquee device add keeps the time zone of a device that it does not name")
  func deviceZone() async throws {
    try await run { _, marquee in
      #expect(try await marquee("device", "add", "desk", "--time-zone", "Asia/Tokyo")[0].contains("in Asia/Tokyo"))
      let kept = try await marquee("device", "add", "desk", "--language", "ja")
      #expect(kept == ["desk is already present, in Asia/Tokyo; its language is ja."])
      #expect(try await marquee("device", "add", "wall")[0].hasPrefix("wall is added, in "))
    }
  }

  @Test("A device's policy settings are shown, set and reset by name, atomically per command")
  func policy() async throws {
    try await run { _, marquee in
      let standard = try await marquee("policy", "phone")
      #expect(standard.count == PolicyField.all.count + 1)
      #expect(standard[0].split(separator: " ") == ["NAME", "VALUE", "UNIT", "OWN", "CONFIGURED"])
      #expect(standard.contains { $0.split(separator: " ") == ["rotation-count-max", "48", "count", "48"] })
      #expect(standard.contains { $0.split(separator: " ") == ["hold", "15m", "15m"] })
      let changed = try await marquee("policy", "phone", "hold=5m", "dwell=90", "rotation_count_max=7", "margin=0.25")
      let rows = changed.map { $0.split(separator: " ").map(String.init) }
      #expect(rows.contains(["hold", "5m", "yes", "15m"]))
      #expect(rows.contains(["dwell", "1m30s", "yes", "5m"]))
      #expect(rows.contains(["rotation-count-max", "7", "count", "yes", "48"]))
      #expect(rows.contains(["margin", "0.25", "number", "yes", "0.01"]))
      let mixed = try await marquee.json("policy", "phone", "hold=1h30m", "--reset", "dwell", "margin")
      let own = mixed["settings"].list.filter { $0["overridden"].flag == true }
      #expect(own.map { $0["name"].text } == ["hold", "rotation_count_max"])
      #expect(own[0]["value"].number == 5_400 && own[0]["configured"].number == 900)
      let rejected: [([String], Int32, String)] = [
        (["hold=1", "hoold=2"], 1, "Did you mean \"hold\"?"), (["hold=soon"], 64, "is not a duration"),
        (["hold=1", "dwell=-1"], 1, "dwell: -1.0 is out of range (0 to 366 days"),
        (["hold"], 64, "expected NAME=VALUE"),
        (["hold=1", "--reset", "hold"], 1, "hold: cannot be both set and reset"),
        (["--reset", "patience"], 1, "patience"),
      ]
      for (arguments, status, message) in rejected {
        let outcome = try await marquee.run(["policy", "phone"] + arguments)
        #expect(outcome.exit == .code(status) && outcome.errors.contains(message), "\(arguments): \(outcome.errors)")
      }
      #expect(try await marquee.run(["policy", "phne"]).errors.contains("Did you mean \"phone\"?"))
      #expect(
        try await marquee.json("policy", "phone")["settings"].list.filter { $0["overridden"].flag == true }.count == 2)
    }
  }

  private static let workout = """
    name: gym
    intentTypes:
      - {type: Workout, parameters: {sport: string, minutes: integer}, combinations: [[sport]]}
    shortcuts:
      - {kind: Rings, windows: [[0, 30]], role: information, group: fitness}
      - {kind: Plan, intent: {type: Workout, parameters: {sport: rowing}}, windows: [[60]]}
      - {intent: {type: Play, parameters: {list: [a, b]}}, providers: [gym, {location: [52.5, 13.4, 200]}]}
    relevantIntents: [{at: 0, windows: [[-60, 60]]}]
    """

  @Test("Shortcuts of a file are published without a provider: kinds and types are registered, warnings printed")
  func feed() async throws {
    try await run { server, marquee in
      let start = "from: 2021-06-07T11:41\n"
      let file = try server.directory.write(start + Self.workout, to: "gym.yaml")
      let sent = try await marquee("publish", "shortcuts", file, "--app", "com.example.gym")
      #expect(sent[0] == "Shortcuts of com.example.gym set on phone: 3.")
      #expect(sent[1] == "Relevant intents of com.example.gym set on phone: 1.")
      let stack = try await server.admin().stacks(of: Fixture.device)[0]
      #expect(stack.suggestedWidget?.kind.app.text == "com.example.gym")
      let table = try await marquee("shortcuts", "phone").map { line in
        line.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
      }
      let rings = ["com.example.gym/Rings", "Rings", "information", "11:41:00 to 12:11:00", "open", "fitness"]
      #expect(table.contains(rings))
      let plan = "com.example.gym/Plan(sport=rowing)"
      #expect(table.contains { $0.first == plan && $0.last == "ahead" })
      #expect(table.contains { $0.first == "com.example.gym: Play(list=[a, b])" && $0.last == "watch face" })
      #expect(table.contains { $0.last == "(sport)" && $0.first == "com.example.gym/Workout" })
      let app = try await marquee.json("shortcuts", "phone", "--app", "com.example.gym")["apps"].list[0]
      #expect(app["intent_types"].list.map { $0["type"].text } == ["Workout", "Play", "Unnamed"])
      #expect(app["shortcuts"].list[0]["group"].text == "fitness" && app["shortcuts"].list[1]["group"].isNull)
      let providers = app["shortcuts"].list[2]["providers"].list
      #expect(providers.map { $0["provider"].text } == ["routine", "location"] && providers[1]["radius"].number == 200)
      #expect(app["relevant_intents"].list[0]["state"].text == "open")
      // Publishing again changes nothing, and an empty set removes the shortcuts.
      _ = try await marquee("publish", "shortcuts", file, "--app", "com.example.gym")
      let unknown = try await marquee.run(["shortcuts", "phone", "--app", "com.example.gim"])
      #expect(unknown.exit == .code(1) && unknown.errors.contains("Did you mean \"com.example.gym\""))
      let empty = try server.directory.write(start + "shortcuts: [{at: 0, shortcuts: []}]", to: "none.yaml")
      let none = try await marquee.json("publish", "shortcuts", empty, "--app", "com.example.gym")
      #expect(none["shortcut_count"].number == 0 && none["intent_count"].isNull)
      #expect(try await server.admin().shortcuts(on: Fixture.device).apps.first?.shortcuts.isEmpty == true)
      let short = try server.directory.write(start + "shortcuts: [{kind: Rings, windows: [[0, 0.5]]}]", to: "s.yaml")
      let warned = try await marquee.json("publish", "shortcuts", short, "--app", "com.example.gym")
      #expect(warned["warnings"].list.contains { $0["code"].text == "window-too-short" && $0["entry"].number == 0 })
      let wrong = try server.directory.write("from: 2021-06-07\nentries: [[0, 1]]", to: "w.yaml")
      let rejected = try await marquee.run(["publish", "shortcuts", wrong, "--app", "com.example.gym"])
      #expect(rejected.exit == .code(1) && rejected.errors.contains("expected one case"))
    }
  }

  @Test("S2 A shortcut of a user activity is listed and suggested with its title and the values that identify it")
  func activityShortcut() async throws {
    try await run { server, marquee in
      let line = "{type: com.example.line, title: Line, info: {line: u2, scroll: 3}, required: [line]}"
      let file = try server.directory.write("shortcuts: [{activity: \(line), providers: [gym]}]", to: "line.yaml")
      _ = try await marquee("publish", "shortcuts", file, "--app", "com.example.transit")
      let (text, title) = ("com.example.line(line=u2)", "com.example.transit: com.example.line(line=u2) \"Line\"")
      #expect(try await marquee("shortcuts", "phone").contains { $0.hasPrefix("\(title)  ") })
      let listed = try await marquee.json("shortcuts", "phone")["apps"].list.flatMap { $0["shortcuts"].list }
      #expect(listed.map { $0["user_activity"].text } == [text] && listed.first?["intent"].isNull == true)
      #expect(listed.map { $0["title"].text } == ["Line"])
      _ = try await marquee("report-interaction", "routine", "gym")
      let face = try await marquee.json("suggest", "phone", "--on", "watch-face")["suggestions"].list
      #expect(face.map { $0["title"].text } == [title])
      for (name, activity, message) in [
        ("keys.yaml", "{type: a, required: [line]}", "a required key has no value"),
        ("type.yaml", "{info: {line: u2}}", "must have the key type"),
      ] {
        let wrong = try server.directory.write("shortcuts: [{activity: \(activity)}]", to: name)
        let rejected = try await marquee.run(["publish", "shortcuts", wrong, "--app", "com.example.transit"])
        #expect(rejected.exit == .code(1) && rejected.errors.contains(message), "\(rejected.errors)")
      }
    }
  }

  @Test("S5 The watch face is listed with reasons, in the order that follows from display reports")
  func watchFace() async throws {
    try await run { server, marquee in
      #expect(try await marquee("watch-face", "phone") == ["No relevant shortcuts."])
      let file = try server.directory.write("from: 2021-06-07T11:41\n" + Self.workout, to: "gym.yaml")
      _ = try await marquee("publish", "shortcuts", file, "--app", "com.example.gym")
      #expect(try await marquee("report-interaction", "routine", "gym") == ["Reported."])
      let lines = try await marquee("watch-face", "phone")
      #expect(lines.count == 4 && lines[1].hasPrefix("yes  Rings") && lines[2].hasPrefix("yes  "))
      #expect(lines[2].contains("the situation gym is in force since 11:41:00, until 15:41:00"))
      let face = try await marquee.json("watch-face", "phone", "--count", "1")
      #expect(face["has_more"].flag == true && face["items"].list[0]["relevant_now"].flag == true)
      #expect(face["next_change"].text == "2021-06-07T12:11:00+02:00")
      #expect(face["items"].list[0]["until"].text == "2021-06-07T12:11:00+02:00")
      _ = try await marquee("report-interaction", "place", "--latitude", "52.5", "--longitude", "13.401")
      let near = try await marquee("watch-face", "phone")
      #expect(near[2].contains("the user is at its place, 68 m from the center"))
      _ = try await marquee("report-interaction", "place")
      _ = try await marquee("report-interaction", "routine", "home")
      _ = try await marquee("report-interaction", "focus", "gym")
      #expect(try await marquee("watch-face", "phone")[2].contains("the focus gym is on"))
      _ = try await marquee("report-interaction", "focus")
      let away = try await marquee("watch-face", "phone").filter { $0.contains("Play") }
      #expect(away.count == 1 && away[0].contains("the user's location is unknown"))
      let wrong = try await marquee.run(["report-interaction", "place", "--latitude", "91", "--longitude", "0"])
      #expect(wrong.exit == .code(64) && wrong.errors.contains("latitude"))
    }
  }

  @Test("U1 Interactions with a suggestion can be reported by command")
  func suggestionReports() async throws {
    try await run { server, marquee in
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let shortcut = Relevance.shortcut(Relevance.amex, [(Fixture.start, Fixture.after(.hours(1)))])
      try await cards.setRelevantShortcuts([shortcut])
      _ = try await marquee("report-interaction", "blocked", "Purchases", "--device", "phone")
      let blocked = try await marquee.json("why-not", "home", "Purchases")["obstacles"].list
      #expect(blocked.first?["gate"]["gate"].text == "blocked")
      try await server.admin().setDeveloperMode(true, on: Fixture.device)
      _ = try await marquee("report-interaction", "blocked", "Purchases", "off")
      try await cards.setRelevantShortcuts([])
      try await cards.setRelevantShortcuts([shortcut])
      #expect(try await marquee.json("stacks")["stacks"].list[0]["suggestion"].text == amexText)
      _ = try await marquee("report-interaction", "dismissed", "home")
      #expect(try await marquee.json("stacks")["stacks"].list[0]["suggestion"].isNull)
      try await cards.setRelevantShortcuts([])
      try await cards.setRelevantShortcuts([shortcut])
      _ = try await marquee("report-interaction", "kept", "home")
      let kept = try await marquee.json("stacks")["stacks"].list[0]
      #expect(kept["suggestion"].isNull && kept["members"].list.first?.text == amexText)
    }
  }

  @Test("R14 Snoozes end by the device's clock; they are listed, and lifted even if the widget is gone")
  func snoozes() async throws {
    try await run { server, marquee in
      #expect(try await marquee("blocked") == ["Nothing is blocked."])
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      let shortcut = Relevance.shortcut(Relevance.amex, [(Fixture.start, Fixture.after(.days(2)))])
      try await cards.setRelevantShortcuts([shortcut])
      _ = try await marquee("report-interaction", "snoozed", "Purchases", "--until", "18:00", "--device", "phone")
      let reason = try await marquee("why-not", "home", "Purchases")[1]
      #expect(reason.hasSuffix(": snoozed by the user until 18:00:00."), "\(reason)")
      _ = try await marquee("report-interaction", "snoozed", "Purchases", "--until", "tomorrow")
      _ = try await marquee("report-interaction", "snoozed-app", "com.example.news", "--until", "+2h")
      _ = try await marquee("report-interaction", "blocked-app", "com.example.sport")
      let lines = try await marquee("blocked", "phone")
      try #require(lines.count == 4)
      #expect(lines[0].hasPrefix("WIDGET OR APP  ") && lines[0].hasSuffix("  BLOCKED"))
      #expect(lines[1].hasPrefix("com.example.sport  ") && lines[1].hasSuffix("  until lifted"))
      #expect(lines[2].hasPrefix("\(amexText)  ") && lines[2].hasSuffix("  until 2021-06-08 00:00:00"))
      #expect(lines[3].hasPrefix("com.example.news  ") && lines[3].hasSuffix("  until 13:41:00"))
      let listed = try await marquee.json("blocked")["blocked"].list
      #expect(listed.map { $0["widget"].text } == [nil, amexText, nil])
      #expect(listed.map { $0["app"].text } == ["com.example.sport", nil, "com.example.news"])
      #expect(listed.map { $0["until"].text } == [nil, "2021-06-08T00:00:00+02:00", "2021-06-07T13:41:00+02:00"])
      try await cards.setRelevantShortcuts([])
      _ = try await marquee("report-interaction", "blocked", "Purchases", "off")
      for app in ["com.example.sport", "com.example.news"] {
        _ = try await marquee("report-interaction", "blocked-app", app, "off")
      }
      #expect(try await marquee("blocked") == ["Nothing is blocked."])
      let past = try await marquee.run(["report-interaction", "snoozed", "Forecast", "--until", "2021-06-07 9:00"])
      #expect(past.exit == .code(64) && past.errors.contains("--until must be after the device's time"))
      #expect(try await marquee.run(["report-interaction", "snoozed", "Forecast"]).exit == .code(64))
    }
  }

  @Test("U1 Home Screen widgets outside stacks are reported and listed, and not suggested")
  func homeWidgets() async throws {
    try await run { server, marquee in
      let cards = try await Relevance.provider(server.connection(), of: Relevance.amex)
      try await cards.setRelevantShortcuts([
        Relevance.shortcut(Relevance.amex, [(Fixture.start, Fixture.after(.hours(1)))])
      ])
      #expect(try await marquee("widgets").last?.split(separator: " ").suffix(3) == ["suggested", "on", "home"])
      _ = try await marquee("report-interaction", "home", "Purchases")
      #expect(try await marquee.json("stacks")["stacks"].list[0]["suggestion"].isNull)
      let rows = try await marquee("widgets", "phone")
      #expect(rows.contains { $0.hasPrefix(amexText) && $0.hasSuffix("  Home Screen in systemSmall") })
      let listed = try await marquee.json("widgets", "phone")
      let forecast = try #require(
        listed["widgets"].list.first { $0["widget"].text == "com.example.weather/Forecast" })
      #expect(forecast["stacks"].list.map(\.text) == ["home"] && forecast["home_screen"].flag == false)
      let purchases = try #require(listed["kinds"].list.first { $0["kind"].text == "com.example.cards/Purchases" })
      #expect(purchases["intent_type"].text != nil && !purchases["families"].list.isEmpty)
      #expect(try await marquee.run(["report-interaction", "home", "Purchases"]).exit == .code(1))
      _ = try await marquee("report-interaction", "home", "Purchases", "off")
      #expect(!(try await marquee("widgets").contains { $0.contains("  Home Screen") }))
    }
  }

  @Test("W3 watch follows a device with its widgets outside stacks, or a stack without them")
  func watchHomeWidgets() async throws {
    try await run { server, marquee in
      try await Fixture.register(server.connection(), widgets: [Fixture.rain])
      _ = try await marquee("report-interaction", "home", "Rain")
      let watching = try marquee.start(["watch", "--device", "phone"])
      let watchingJSON = try marquee.start(["watch", "--device", "phone", "--json"])
      let watchingStack = try marquee.start(["watch", "home"])
      defer { for process in [watching, watchingJSON, watchingStack] { process.send(signal: SIGKILL) } }
      func update(_ part: String) async throws -> JSONDocument {
        let line = try await watchingJSON.log.line(with: part)
        return JSONDocument(try JSONSerialization.jsonObject(with: Data(line.utf8)))
      }
      let rain = "com.example.weather/Rain"
      #expect(
        try await watching.log.line(with: rain) == "11:41:00  phone  \(rain) in systemSmall is on the Home Screen")
      let shown = try await update("state")["home_widgets"].list
      #expect(shown.map { $0["widget"].text } == [rain] && shown.map { $0["family"].text } == ["systemSmall"])
      _ = try await watchingStack.log.line(with: "shows com.example.weather/Forecast")
      _ = try await marquee("report-interaction", "home", "Rain", "off")
      let removed = try await watching.log.line(with: "removed")
      #expect(removed == "11:41:00  phone  \(rain) in systemSmall is removed from the Home Screen")
      let removal = try await update("home_widget_removed")
      #expect(removal["widget"].text == rain && removal["family"].text == "systemSmall")
      _ = try await marquee("report-interaction", "home", "Rain")
      let added = try await watching.log.line(with: "added")
      #expect(added == "11:41:00  phone  \(rain) in systemSmall is added to the Home Screen")
      #expect(try await update("home_widget_added")["update"].text == "home_widget_added")
      _ = try await marquee("stack", "toggle", "home", "smart-rotate", "off")
      _ = try await watchingStack.log.line(with: "Smart Rotate is off")
      #expect(!watchingStack.log.text.contains("Home Screen"))
    }
  }
}
