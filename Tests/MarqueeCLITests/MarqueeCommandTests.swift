import ArgumentParser
import Foundation
import MarqueeModel
import MarqueeTerminal
import MarqueeTransport
import MarqueeWire
import Testing

@testable import MarqueeCLI

@Suite(.timeLimit(.minutes(1)))
struct MarqueeCommandTests {
  @Test("Arguments are parsed into the values of the commands")
  func arguments() throws {
    let explain = try #require(
      try MarqueeCommand.parseAsRoot(["explain", "home/main", "--at", "-10m", "--json"]) as? ExplainCommand)
    #expect(try explain.at == TimeArgument("-10m"))
    #expect(explain.server.json && explain.server.server == nil)
    let toggle = try #require(
      try MarqueeCommand.parseAsRoot(["stack", "toggle", "main", "smart-rotate", "off", "--server", "tcp:[::1]:7000"])
        as? StackCommand.Toggle)
    #expect(toggle.state == .off && toggle.name == .smartRotate)
    #expect(toggle.server.server == .tcp(host: "::1", port: 7000))
    let create = try #require(
      try MarqueeCommand.parseAsRoot(["stack", "create", "main", "--family", "systemLarge"]) as? StackCommand.Create)
    #expect(create.family == .systemLarge)
    let feed = try #require(
      try MarqueeCommand.parseAsRoot(["publish", "calendar", "a.ics", "--app", "com.example.c"])
        as? PublishCommand.Calendar)
    #expect(feed.app.text == "com.example.c" && feed.kind.text == "NextEvent" && !feed.dryRun.dryRun)
    #expect(feed.placement.family == nil)
  }

  @Test("R12 The conditions of a pin and the flags of a rotation rule are parsed")
  func pins() throws {
    func pin(_ words: [String]) throws -> StackCommand.Pin {
      try #require(try MarqueeCommand.parseAsRoot(["stack", "pin", "home", "Clock"] + words) as? StackCommand.Pin)
    }
    let always = try pin([])
    #expect(always.times == nil && always.radius == nil && always.focus == nil)
    let place = ["--latitude", "-52.5", "--longitude", "-13.4", "--radius", "150"]
    let some = try pin(["--times", "mon-fri 07:00-09:00", "--focus", "work"] + place)
    #expect(try some.times == PinTimes(weekdays: .workdays, start: 420, end: 540))
    #expect(some.latitude == -52.5 && some.longitude == -13.4 && some.radius == 150 && some.focus?.text == "work")
    for (words, to, away) in [
      (["--to"], true, nil), (["--no-to"], false, nil), (["--no-away"], nil, false),
      (["--to", "--no-away"], true, false),
    ] as [([String], Bool?, Bool?)] {
      let rule = try #require(
        try MarqueeCommand.parseAsRoot(["stack", "rotation-rule", "home", "Clock"] + words)
          as? StackCommand.RotationRule)
      #expect(rule.to == to && rule.away == away)
    }
  }

  @Test("W1 A family is accepted where a widget is published, read or placed outside stacks")
  func families() throws {
    let family = ["--family", "systemLarge"]
    func parsed<Command>(_ words: [String], as type: Command.Type) throws -> Command {
      try #require(try MarqueeCommand.parseAsRoot(words + family) as? Command)
    }
    let csv = ["publish", "csv", "a.csv", "--widget", "com.example.a/Clock"]
    #expect(try parsed(csv, as: PublishCommand.CSV.self).placement.family == .systemLarge)
    #expect(
      try parsed(["publish", "calendar", "a"], as: PublishCommand.Calendar.self).placement.family == .systemLarge)
    #expect(try parsed(["publish", "weather", "a"], as: PublishCommand.Weather.self).placement.family == .systemLarge)
    #expect(try parsed(["timeline", "Clock"], as: TimelineCommand.self).family == .systemLarge)
    #expect(try parsed(["entry", "Clock"], as: EntryCommand.self).family == .systemLarge)
    let home = ["report-interaction", "home", "Clock", "off"]
    #expect(try parsed(home, as: ReportInteractionCommand.Home.self).family == .systemLarge)
  }

  @Test(
    "Invalid arguments are rejected as usage errors",
    arguments: [
      ["explain"], ["explain", "a", "--at", "soon"], ["devices", "--server", "nowhere"], ["decisions", "-n", "0"],
      ["stack", "create", "a", "--family", "huge"], ["entry", "Clock", "--family", "huge"],
      ["timeline", "Clock", "--family", "huge"], ["report-interaction", "home", "Clock", "--family", "huge"],
      ["report-interaction", "opened", "noapp"], ["stack", "rotation-rule", "home", "Clock"],
      ["stack", "pin", "home", "Clock", "--times", "07:00"], ["stack", "pin", "home", "Clock", "--radius", "5"],
      ["stack", "pin", "home", "Clock", "--latitude", "5", "--longitude", "5"],
      ["report-interaction", "snoozed", "Clock"],
      ["report-interaction", "snoozed-app", "com.example.a", "--until", "soon"],
      ["developer-mode", "home", "maybe"], ["remove-kinds", "phone", "com.example.a"],
      ["remove-intent-types", "phone", "com.example.a", "A", "A"], ["remove-app", "phone", "a"], ["remove-device"],
      ["publish", "csv", "a.csv"], ["watch"], ["watch", "home", "--device", "phone"],
      ["publish", "calendar", "a.ics", "--days", "0"], ["publish", "weather", "a.json", "--days", "17"],
      ["device", "add", "a\u{200B}b"],
      ["sing"], ["options", "phone", "com.example/A()", "b", "--any"],
      ["options", "phone", "com.example/A()", "b", "--descending"],
      ["options", "phone", "com.example/A()", "b", "--sort", "c", "--matching", "d"],
    ])
  func usage(_ arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try MarqueeCommand.parseAsRoot(arguments) }
    if let error { #expect(MarqueeCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue) }
  }

  @Test("A comparison is parsed into a property, an operator and a value with an optional type")
  func comparisons() throws {
    for (text, property, comparator, value) in [
      ("price<10", "price", .lessThan, .integer(10)), ("price <= 9.5", "price", .lessThanOrEqualTo, .double(9.5)),
      ("price>-1", "price", .greaterThan, .integer(-1)), ("price>=1", "price", .greaterThanOrEqualTo, .integer(1)),
      ("open=true", "open", .equalTo, .boolean(true)), ("name=string:7", "name", .equalTo, .string("7")),
      ("line!=object:u2", "line", .notEqualTo, .object(DisplayIdentity(identifier: "u2", display: "u2"))),
      ("name*=a=b", "name", .contains, .string("a=b")), ("name^=", "name", .hasPrefix, .string("")),
      ("name$=\u{301}x", "name", .hasSuffix, .string("\u{301}x")),
    ] as [(String, String, PropertyComparison.Comparator, IntentValue)] {
      #expect(try PropertyComparison(argument: text) == PropertyComparison(.init(property), comparator, value))
    }
    for text in ["", "price", "=3", "price*2", "price=integer:a", "price=place:1"] {
      let failure = #expect(throws: CommandFailure.self) { try PropertyComparison(argument: text) }
      #expect(failure?.status == .usage, "\(text)")
    }
  }

  @Test("Every command has a help text")
  func help() async throws {
    func check(_ command: any ParsableCommand.Type) {
      #expect(!command.configuration.abstract.isEmpty, "\(command)")
      for subcommand in command.configuration.subcommands { check(subcommand) }
    }
    check(MarqueeCommand.self)
    let completions = try await Binary.run(["--generate-completion-script", "bash"])
    #expect(completions.status == 0 && completions.output.contains("inspect"))
  }

  @Test("Help names the values and the default of an option, not their raw values")
  func defaults() {
    let media = PublishCommand.Media.helpMessage(includeHidden: false, columns: 400)
    #expect(media.contains("defaults to predictive. (values: predictive, only-suggested)"), "\(media)")
    let create = StackCommand.Create.helpMessage(includeHidden: false, columns: 400)
    #expect(create.contains("defaults to systemMedium. (values: systemSmall, systemMedium, "), "\(create)")
  }

  @Test("Without a server the status is 69, and the message names the endpoint and next steps")
  func unreachable() async throws {
    let outcome = try await Binary.run(["devices"], environment: ["MARQUEE_SERVER": "unix:/nowhere/marqueed.sock"])
    #expect(outcome.status == 69 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("unix:/nowhere/marqueed.sock") && outcome.errors.contains("MARQUEE_SERVER"))
    let wrong = try await Binary.run(["devices"], environment: ["MARQUEE_SERVER": "nowhere"])
    #expect(wrong.status == 64)
  }

  @Test(
    "A mistyped command is reported with the nearest commands",
    arguments: [
      (["inspcet", "home"], "no command is called \"inspcet\"", "Did you mean \"inspect\"?", "marquee"),
      (["add-device"], "no command is called \"add-device\"", "Did you mean \"device add\"?", "marquee"),
      (["stack-create", "home"], "no command is called \"stack-create\"", "Did you mean \"stack create\"?", "marquee"),
      (["hepl"], "no command is called \"hepl\"", "Did you mean \"help\"?", "marquee"),
      (["sing", "--server", "unix:/a"], "no command is called \"sing\"", nil, "marquee"),
      (
        ["stack", "creat", "main", "--family", "systemSmall"], "no stack command is called \"creat\"",
        "Did you mean \"create\"?", "marquee stack"
      ),
      (
        ["clock", "advnace", "+1h"], "no clock command is called \"advnace\"", "Did you mean \"advance\"?",
        "marquee clock"
      ),
    ] as [([String], String, String?, String)])
  func mistyped(_ arguments: [String], message: String, suggestion: String?, command: String) async throws {
    let hints = [suggestion, "See \"\(command) --help\"."].compactMap(\.self)
    let outcome = try await Binary.run(arguments)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.errors == (["marquee: \(message)"] + hints).joined(separator: "\n") + "\n")
    let json = try await Binary.run(arguments + ["--json"])
    let report = try Report(json.errors).error
    #expect(json.status == 64 && report.code == "INVALID_ARGUMENT")
    #expect(report.message == message && report.hints == hints)
  }

  @Test("An argument that resembles a command is not taken for one")
  func unmistaken() {
    for arguments in [["inspect", "inspcet"], ["help", "inspcet"], ["--json", "inspcet"], ["stack", "create"], []] {
      #expect(CommandFailure.unknownCommand(in: arguments) == nil, "\(arguments)")
    }
  }

  private struct Report: Decodable {
    struct Failure: Decodable {
      let code: String
      let message: String
      let hints: [String]
    }

    let error: Failure

    /// Reads a report on one line.
    init(_ text: String) throws {
      #expect(text.hasSuffix("\n") && !text.dropLast().contains("\n"), "\(text)")
      self = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
    }
  }

  @Test("With --json, a failure is one line of JSON on standard error, with the same exit status")
  func failures() async throws {
    let environment = ["MARQUEE_SERVER": "unix:/nowhere/marqueed.sock"]
    let unreachable = try await Binary.run(["devices", "--json"], environment: environment)
    let report = try Report(unreachable.errors)
    #expect(unreachable.status == 69 && unreachable.output.isEmpty && report.error.code == "UNAVAILABLE")
    #expect(report.error.message.hasPrefix("no server answers at unix:/nowhere/marqueed.sock"))
    #expect(report.error.hints.contains { $0.contains("MARQUEE_SERVER") })
    let usage = try await Binary.run(["donations", "--json", "--count", "0"], environment: environment)
    let rejected = try Report(usage.errors)
    #expect(usage.status == 64 && rejected.error.code == "INVALID_ARGUMENT")
    #expect(rejected.error.message == "--count must be at least 1")
    #expect(rejected.error.hints.first?.hasPrefix("Usage: marquee donations") == true, "\(rejected)")
    #expect(rejected.error.hints.last == "See 'marquee donations --help' for more information.")
    let missing = try await Binary.run(["inspect", "--json"], environment: environment)
    #expect(missing.status == 64)
    #expect(try Report(missing.errors).error.message == "Missing expected argument '<stack>'")
    let hostile = try await Binary.run(["device", "add", "a\u{1B}[2J", "--json"], environment: environment)
    #expect(hostile.errors.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A } && hostile.status == 64)
    #expect(try Report(hostile.errors).error.code == "INVALID_ARGUMENT")
    let file = try Binary.file("bad.tsv", "p\tnoon\topen\n")
    defer { unlink(file.path) }
    let unreadable = try await Binary.run(["evaluate-predictor", file.path, "--json"])
    #expect(try unreadable.status == 64 && Report(unreadable.errors).error.message.contains("line 1"))
    let text = try await Binary.run(["--", "--json"])
    #expect(text.status == 64 && !text.errors.hasPrefix("{"))
  }

  @Test("Server text cannot control the terminal")
  func printable() {
    let text = "a\u{1B}[2Jb\u{7}\nc\u{9B}d\u{202E}e\u{2028}f\u{1B}[1mg"
    let shown = "a\\u{1B}[2Jb\\u{7}\\u{A}c\\u{9B}d\\u{202E}e\\u{2028}f\\u{1B}[1mg"
    let (plain, styled) = (Terminal(isStyled: false, width: 80), Terminal(isStyled: true, width: 80))
    #expect(plain.rendered(plain.styled(text, .bold) + text) == shown + shown)
    #expect(styled.rendered(text + styled.styled(text, .bold)) == "\(shown)\u{1B}[1m\(shown)\u{1B}[0m")
    var table = Table(.init("A"))
    table.append(text)
    #expect(table.lines[1] == shown)
  }

  @Test("A table wraps wide cells between words or items, and their further lines are aligned")
  func wrapping() {
    var table = Table(.init("A"), .init("B", wrapping: .words(10)), .init("C", wrapping: .items(8)))
    table.append("x", "one two three four", "aa, bb, cc, abcdefghijk")
    table.append("yy", "short", "d")
    #expect(
      table.lines == [
        "A   B           C", "x   one two     aa, bb,", "    three four  cc,", "                abcdefghijk",
        "yy  short       d",
      ])
    #expect(table.rowLines.map(\.count) == [1, 3, 1])
  }

  @Test("JSON preserves every scalar, and contains none that controls a terminal")
  func exactJSON() throws {
    let text = "a\u{1B}[2J\u{7F}\u{9B}\u{202E}\u{2069}\u{2028}\u{61C}\n\u{200D}é"
    let json = JSONValue.object([.init("a", .string(text))]).text(isPretty: false)
    #expect(json.visible() == json)
    #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == ["a": text])
  }

  @Test("Watching prints a line for each change, and none for a state that was already printed (U3)")
  func watchLog() throws {
    let kinds = try ["Clock", "Cards"].map(Self.widget)
    let device = try DeviceID("home")
    let stack = { (front: Int, isOn: Bool) in
      Stack(
        id: try StackID("main"), family: .systemSmall, members: kinds, front: front, isSmartRotateOn: isOn,
        isWidgetSuggestionsOn: true)
    }
    let state = { (front: Int) in
      DisplayUpdate.Change.state(
        DeviceState(
          device: device, timeZone: try TimeZoneID("Europe/Berlin"), stacks: [try stack(front, true)], entries: []))
    }
    let changes: [DisplayUpdate.Change] = [
      try state(0),
      .front(FrontChange(stack: try StackID("main"), widget: kinds[1], front: 1, decision: 3, reason: "why")),
      try state(1), try state(0), .stack(try stack(0, false)),
      .entry(CurrentEntry(widget: kinds[0], family: .systemSmall, entry: nil)),
      .removed(try StackID("main")),
    ]
    var log = WatchLog(device: device, clock: .utc)
    let lines = changes.flatMap { log.lines(for: DisplayUpdate(at: .min, $0)) }
    #expect(
      lines == [
        "01:00:00  home/main  shows com.example.a/Clock",
        "01:00:00  home/main  → com.example.a/Cards: why (decision 3)",
        "01:00:00  home/main  → com.example.a/Clock",
        "01:00:00  home/main  Smart Rotate is off",
        "01:00:00  home  com.example.a/Clock in systemSmall shows nothing",
        "01:00:00  home/main  is gone",
      ])
  }

  @Test("Watching prints the date from the second day on")
  func watchLogDates() throws {
    let widget = WidgetInstance(try Self.widget("Clock"), in: .systemSmall)
    var log = WatchLog(device: try DeviceID("home"), clock: .utc)
    let times = [Int64(0), 23 * 3_600, 24 * 3_600, 49 * 3_600].map { Instant.min.advanced(by: .seconds($0)) }
    let lines = times.flatMap {
      log.lines(
        for: DisplayUpdate(at: $0, .entry(CurrentEntry(widget: widget.widget, family: widget.family, entry: nil))))
    }
    let begins = ["00:00:00  ", "23:00:00  ", "1970-01-02 00:00:00  ", "1970-01-03 01:00:00  "]
    #expect(lines.count == 4 && zip(lines, begins).allSatisfy { $0.hasPrefix($1) }, "\(lines)")
  }

  @Test("W4 W5 Watching prints that an entry is private, is stale, or is replaced by the fallback")
  func watchLogDetails() throws {
    let widget = WidgetInstance(try Self.widget("Clock"), in: .systemSmall)
    let (device, expiry) = (try DeviceID("home"), Instant.min.advanced(by: .hours(1)))
    let entry = try TimelineEntry(
      date: .min, details: EntryDetails(expiry: expiry, sensitivity: .isPrivate(nil)))
    var log = WatchLog(device: device, clock: .utc)
    let updates = [
      DisplayUpdate(at: .min, .entry(CurrentEntry(widget, entry))),
      DisplayUpdate(at: expiry, .entry(CurrentEntry(widget, entry, isStale: true))),
      DisplayUpdate(at: expiry, .entry(CurrentEntry(widget, entry.fallenBack(to: .empty)))),
    ]
    let lines = updates.flatMap { log.lines(for: $0) }
    let name = "home  com.example.a/Clock in systemSmall"
    #expect(
      lines == [
        "00:00:00  \(name) shows its entry of 00:00:00, which is private",
        "01:00:00  \(name) marks its entry as stale: the entry of 00:00:00, which is private, expired at 01:00:00",
        "01:00:00  \(name) shows its fallback: the entry of 00:00:00, expired at 01:00:00",
      ])
  }

  @Test("Watching prints the current entries at first, and after a reconnection those that have changed")
  func watchLogEntries() throws {
    let (clock, rain) = (try Self.widget("Clock"), try Self.widget("Rain"))
    let entries = [Int64(0), 1].map { TimelineEntry(date: Instant.min.advanced(by: .hours($0))) }
    let state = { (entries: [CurrentEntry]) in
      DisplayUpdate.Change.state(
        DeviceState(device: try DeviceID("home"), timeZone: try TimeZoneID("UTC"), stacks: [], entries: entries))
    }
    let current = { CurrentEntry(widget: $0, family: .systemSmall, entry: $1) }
    let changes = [
      try state([current(clock, entries[0]), current(rain, nil)]),
      try state([current(clock, entries[0]), current(rain, nil)]),
      .entry(current(clock, entries[1])), try state([current(clock, entries[1]), current(rain, entries[0])]),
      try state([current(clock, nil), current(rain, entries[0])]),
    ]
    var log = WatchLog(device: try DeviceID("home"), clock: .utc)
    #expect(
      changes.flatMap { log.lines(for: DisplayUpdate(at: .min, $0)) } == [
        "00:00:00  home  com.example.a/Clock in systemSmall shows its entry of 00:00:00",
        "00:00:00  home  com.example.a/Clock in systemSmall shows its entry of 01:00:00",
        "00:00:00  home  com.example.a/Rain in systemSmall shows its entry of 00:00:00",
        "00:00:00  home  com.example.a/Clock in systemSmall shows nothing",
      ])
  }

  @Test("R12 Watching prints the changed settings of members")
  func watchLogSettings() throws {
    let kinds = try ["Clock", "Cards"].map(Self.widget)
    let steps: [[Widget: MemberSettings]] = [
      [:], [kinds[1]: MemberSettings(pin: .always)],
      [
        kinds[1]: MemberSettings(
          pin: Pin(focus: try FocusID("work")), rotationRule: RotationRule(isToAllowed: false))
      ], [:],
    ]
    let changes = try steps.map { settings in
      DisplayUpdate.Change.stack(
        Stack(
          id: try StackID("main"), family: .systemSmall, members: kinds, front: 0, isSmartRotateOn: true,
          isWidgetSuggestionsOn: true, settings: settings))
    }
    var log = WatchLog(device: try DeviceID("home"), clock: .utc)
    #expect(
      changes.flatMap { log.lines(for: DisplayUpdate(at: .min, $0)) } == [
        "00:00:00  home/main  shows com.example.a/Clock",
        "00:00:00  home/main  com.example.a/Cards is pinned",
        "00:00:00  home/main  com.example.a/Cards is pinned in the Focus work; never rotated to",
        "00:00:00  home/main  com.example.a/Cards is neither pinned nor exempt from rotations",
      ])
  }

  @Test("W3 Watching a device prints its widgets outside stacks, and after a reconnection the differences")
  func watchLogOutsideStacks() throws {
    let kinds = try ["Clock", "Cards", "Rain"].map { WidgetInstance(try Self.widget($0), in: .systemLarge) }
    let device = try DeviceID("home")
    let state = { (widgets: [WidgetInstance]) in
      DisplayUpdate.Change.state(
        DeviceState(
          device: device, timeZone: try TimeZoneID("Europe/Berlin"), stacks: [], entries: [], homeWidgets: widgets))
    }
    let changes: [DisplayUpdate.Change] = [
      try state([kinds[0]]), .homeWidgetAdded(kinds[1]), try state([kinds[0], kinds[1]]), .homeWidgetRemoved(kinds[0]),
      try state([kinds[1]]), try state([kinds[2]]),
      try state([kinds[2], WidgetInstance(kinds[2].widget, in: .systemSmall)]),
    ]
    var log = WatchLog(device: device, clock: .utc)
    let lines = changes.flatMap { log.lines(for: DisplayUpdate(at: .min, $0)) }
    #expect(
      lines == [
        "01:00:00  home  com.example.a/Clock in systemLarge is on the Home Screen",
        "01:00:00  home  com.example.a/Cards in systemLarge is added to the Home Screen",
        "01:00:00  home  com.example.a/Clock in systemLarge is removed from the Home Screen",
        "01:00:00  home  com.example.a/Cards in systemLarge is removed from the Home Screen",
        "01:00:00  home  com.example.a/Rain in systemLarge is added to the Home Screen",
        "01:00:00  home  com.example.a/Rain in systemSmall is added to the Home Screen",
      ])
  }

  @Test("X1 Watching prints the name of a widget when it is first shown, and again only when it changes")
  func watchLogNames() throws {
    let (clock, device) = (try Self.widget("Clock"), try DeviceID("home"))
    let stack = Stack(
      id: try StackID("main"), family: .systemSmall, members: [clock], front: 0, isSmartRotateOn: true,
      isWidgetSuggestionsOn: true)
    let label = { (name: String) in
      WidgetLabel(
        widget: clock, appName: "a", kindName: name, display: ActionDisplay(title: name), accessibilityLabel: name)
    }
    let state = { (name: String) in
      DisplayUpdate.Change.state(
        DeviceState(
          device: device, timeZone: try TimeZoneID("UTC"), stacks: [stack], entries: [], labels: [label(name)]))
    }
    let changes = [
      try state("World Clock"), try state("World Clock"), .label(label("World Clock")), .label(label("Weltzeituhr")),
    ]
    var log = WatchLog(device: device, clock: .utc)
    let lines = changes.flatMap { log.lines(for: DisplayUpdate(at: .min, $0)) }
    #expect(
      lines == [
        "00:00:00  home/main  shows com.example.a/Clock", "00:00:00  home  com.example.a/Clock is named World Clock",
        "00:00:00  home  com.example.a/Clock is named Weltzeituhr",
      ])
  }

  private static func widget(_ kind: String) throws -> Widget {
    Widget(kind: WidgetKind(app: try AppID("com.example.a"), name: try KindName(kind)))
  }

  @Test("A negative number of a shard is no option")
  func negativeShard() {
    let failure = CommandFailure.negativeShard(in: ["cluster", "move", "-1", "a"])
    #expect(failure?.status == .usage && failure?.message == "\"-1\" is not the number of a shard")
    #expect(CommandFailure.negativeShard(in: ["cluster", "move", "--server", "unix:/a", "-12", "a"]) != nil)
    for arguments in [
      ["cluster", "move", "1", "a", "--wait", "-1"], ["cluster", "drain", "-1"], ["cluster", "move"],
    ] {
      #expect(CommandFailure.negativeShard(in: arguments) == nil)
    }
  }

  @Test("A clock is not advanced by a negative duration, which is no option")
  func backwardAdvance() {
    let failure = CommandFailure.backwardAdvance(in: ["clock", "advance", "-1h", "--json"])
    #expect(failure?.status == .usage && failure?.message == "\"-1h\" is in the past, and the clock never goes back")
    #expect(CommandFailure.backwardAdvance(in: ["clock", "advance", "1h"]) == nil)
    #expect(CommandFailure.backwardAdvance(in: ["clock", "advance", "-h"]) == nil)
    #expect(CommandFailure.backwardAdvance(in: ["explain", "home", "--at", "-1h"]) == nil)
  }
}
