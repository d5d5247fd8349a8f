import Foundation
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire
import Testing

@testable import MarqueeCLI

/// The state machine of `marquee top`: its orders and its frames.
struct TopTests {
  private static let berlin = DeviceClock(zone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)
  /// 2021-06-07 11:41 in Berlin.
  private static let start = Instant.min.advanced(by: .seconds(1_623_058_860))
  private static let phone = known { try DeviceID("phone") }
  private static let forecast = widget("com.example.weather", "Forecast")
  private static let score = widget("com.example.sport", "Score")

  private static func known<Value>(_ make: () throws -> Value) -> Value {
    do { return try make() } catch { preconditionFailure("a name of ours is rejected: \(error)") }
  }

  private static func widget(_ app: String, _ kind: String) -> Widget {
    known { Widget(kind: WidgetKind(app: try AppID(app), name: try KindName(kind))) }
  }

  private static func stack(_ name: String = "home", front: Int = 0, hasSuggestion: Bool = false) -> Stack {
    Stack(
      id: known { try StackID(name) }, family: .systemSmall, members: [forecast, score], front: front,
      isSmartRotateOn: true, isWidgetSuggestionsOn: true, hasSuggestion: hasSuggestion)
  }

  private static func explanation(_ stack: Stack, _ evidence: Double) -> Explanation {
    let signal = SignalShare(signal: .timeline, score: 5, reference: 5, strength: 1, weight: 0.8, share: 1.61)
    let front = stack.frontWidget
    return Explanation(
      stack: stack.id, at: start, front: front,
      candidates: stack.members.enumerated().map { index, widget in
        let isInFront = index == stack.front
        return Candidate(
          widget: widget, position: index, isInFront: isInFront, evidence: isInFront ? evidence : 0,
          signals: isInFront ? [signal] : [], episodeStart: nil, gates: [])
      }, chosen: nil)
  }

  private static func reading(_ stacks: [Stack], next: Instant?, decisions: [Decision] = []) -> TopSnapshot {
    let reload = ReloadStatus(countedCount: 0, budget: 40, phase: .none, reason: nil)
    let relevance = RelevanceStatus(
      inForce: RelevanceInForce(score: 5, start: start, end: nil), effectiveScore: 5, reference: 10)
    return TopSnapshot(
      stacks: Dictionary(
        uniqueKeysWithValues: stacks.map { stack in
          let members = stack.members.map { widget in
            MemberState(
              widget: widget, relevance: widget == score ? relevance : nil, current: nil, entryCount: nil,
              reachedCount: 0, reload: reload)
          }
          let inspection = InspectStackResponse(
            at: start, stack: stack, members: members, nextChange: next, isDeveloperModeOn: false)
          return (stack.id, TopSnapshot.OfStack(inspection: inspection, explanation: explanation(stack, 1.61)))
        }), decisions: decisions)
  }

  private static func decision(_ number: UInt64, _ stack: Stack, after minutes: Int64) -> Decision {
    let explained = explanation(stack, 1.61)
    return Decision(
      number: number, to: score,
      explanation: Explanation(
        stack: stack.id, at: start.advanced(by: .minutes(minutes)), front: forecast,
        candidates: explained.candidates, chosen: score))
  }

  private static func state(of stacks: [Stack]) -> TopState {
    var state = TopState(devices: [(phone, berlin)])
    _ = state.handle(.clock(start))
    let device = DeviceState(
      device: phone, timeZone: known { try TimeZoneID("Europe/Berlin") }, stacks: stacks, entries: [])
    #expect(state.handle(.updated(phone, DisplayUpdate(at: start, .state(device)))) == [.read(phone)])
    return state
  }

  private static func frame(_ state: TopState, _ columns: Int, _ rows: Int?) -> [String] {
    TopFrame(state: state, server: "unix:/run/s", columns: columns, rows: rows).lines.map(\.text)
  }

  private static func told() -> TopState {
    let stacks = [stack("home", front: 1), stack("work")]
    var state = state(of: stacks)
    let next = start.advanced(by: .minutes(24))
    let decisions = [
      decision(2, stack("home", front: 1), after: 0), decision(1, stack("work", front: 1), after: -1_440),
    ]
    _ = state.handle(.read(phone, reading(stacks, next: next, decisions: decisions)))
    return state
  }

  @Test("A frame lists the stacks with fronts, scores, evidence and next changes, then the newest decisions")
  func frame() {
    #expect(
      Self.frame(Self.told(), 100, 14) == [
        "marquee top  unix:/run/s                                   phone  2021-06-07 11:41:00, Europe/Berlin",
        "",
        "  STACK       FRONT                         SCORE  OF BEST  EVIDENCE  NEXT CHANGE",
        "▸ phone/home  com.example.sport/Score           5       10      1.61  12:05:00, in 24 min",
        "  phone/work  com.example.weather/Forecast      -        -      1.61  12:05:00, in 24 min",
        "",
        "DECISIONS, NEWEST FIRST",
        "  11:41:00             phone/home  Score leads: its score 5 is 100 % of its kind's best, evidence 1…",
        "  2021-06-06 11:41:00  phone/work  Score leads: its score 5 is 100 % of its kind's best, evidence 1…",
        "", "", "", "",
        "q quit  ↑↓ select a stack  enter why  ? help",
      ])
  }

  @Test("A narrow screen omits the least important columns and truncates the rest; a short one has no headings")
  func small() {
    #expect(
      Self.frame(Self.told(), 44, 8) == [
        "phone  2021-06-07 11:41:00, Europe/Berlin",
        "  STACK       FRONT     SCORE  EVIDENCE",
        "▸ phone/home  Score         5      1.61",
        "  phone/work  Forecast      -      1.61",
        "DECISIONS, NEWEST FIRST",
        "  11:41:00        phone/home  Score leads: …",
        "  2021-06-06 11…  phone/work  Score leads: …",
        "q quit  ↑↓ select a stack  enter why  ? help",
      ])
    #expect(
      Self.frame(Self.told(), 24, 4) == [
        "phone  2021-06-07 11:41…", "▸ phone/…  Score", "  phone/…  Forecast", "q quit  ↑↓ select a sta…",
      ])
    #expect(Self.frame(Self.told(), 24, 1) == ["phone  2021-06-07 11:41…"])
  }

  @Test("A frame fits the screen at every size", arguments: 1...60)
  func sizes(_ size: Int) {
    var told = Self.told()
    _ = told.handle(.pressed(.enter))
    _ = told.handle(.explained(told.names[0], [String](repeating: "    a line that says why it stands so", count: 9)))
    for state in [Self.told(), TopState(devices: []), Self.state(of: []), told] {
      for rows in [1, 2, 3, 5, 8, 12, 40] {
        let lines = Self.frame(state, size, rows)
        #expect(lines.count == rows && lines.allSatisfy { $0.columnCount <= size }, "\(size)×\(rows)")
      }
    }
  }

  @Test("A single frame is as high as necessary and lists no keys; without data it says so")
  func once() {
    let lines = Self.frame(Self.told(), 100, nil)
    #expect(lines.count == 9 && lines[2].hasPrefix("  STACK") && lines[3].hasPrefix("  phone/home"))
    let empty = Self.frame(TopState(devices: [(Self.phone, Self.berlin)]), 80, 6)
    #expect(empty[0].hasSuffix("connecting to the server") && empty.contains("…"))
    #expect(Self.frame(Self.state(of: []), 80, 6).contains { $0.hasPrefix("No stacks. Add one with") })
  }

  @Test("A device that the server cannot read is listed with the reason, below the stacks of the others")
  func unreadable() throws {
    let tablet = try DeviceID("tablet")
    var state = TopState(devices: [(Self.phone, Self.berlin), (tablet, Self.berlin)])
    let device = DeviceState(
      device: Self.phone, timeZone: try TimeZoneID("Europe/Berlin"), stacks: [Self.stack()], entries: [])
    _ = state.handle(.updated(Self.phone, DisplayUpdate(at: Self.start, .state(device))))
    #expect(state.handle(.unreadable(tablet, "DATA_LOSS: corrupt")).isEmpty && state.names.count == 1)
    for rows in [nil, 12] as [Int?] {
      let lines = Self.frame(state, 80, rows)
      let place = try #require(lines.firstIndex(of: "tablet cannot be read: DATA_LOSS: corrupt"))
      #expect(lines[..<place].contains { $0.contains("phone/home") })
    }
    for rows in 1...8 { #expect(Self.frame(state, 80, rows).count == rows) }
  }

  @Test("A device whose updates are interrupted is listed with the reason until they continue, if the server responds")
  func interrupted() {
    var state = Self.told()
    let line = "phone is not up to date; reconnecting"
    func isListed(_ text: String) -> Bool {
      let frames = [nil, 14].map { Self.frame(state, 100, $0) }
      #expect(frames[0].contains(text) == frames[1].contains(text))
      return frames[0].contains(text)
    }
    #expect(!isListed(line) && state.handle(.interrupted(Self.phone, "")).isEmpty && isListed(line))
    #expect(state.handle(.interrupted(Self.phone, "the server n3 is not available")).isEmpty)
    #expect(isListed("\(line): the server n3 is not available") && state.names.count == 2)
    #expect(state.handle(.lost).isEmpty && !isListed("\(line): the server n3 is not available"))
    _ = state.handle(.clock(Self.start))
    #expect(isListed("\(line): the server n3 is not available"))
    #expect(state.handle(.resumed(Self.phone)).isEmpty && !isListed("\(line): the server n3 is not available"))
  }

  @Test("Server text cannot control the terminal")
  func control() throws {
    let stack = try Intent(
      type: IntentType("K"),
      parameters: [IntentParameter(name: IntentParameter.Name("a"), value: .single(.string("x\u{1B}[2J\ny\u{202E}z")))])
    let widget = Widget(kind: Self.forecast.kind, configuration: stack)
    var state = Self.state(of: [
      Stack(
        id: try StackID("home"), family: .systemSmall, members: [widget], front: 0, isSmartRotateOn: true,
        isWidgetSuggestionsOn: true)
    ])
    _ = state.handle(.pressed(.enter))
    for panel in [false, true] {
      if panel { _ = state.handle(.explained(state.names[0], ["a\u{1B}]0;b\u{7}", "c\u{9B}2J"])) }
      let text = Self.frame(state, 120, 10).joined()
      #expect(text.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
    }
  }
}

extension TopTests {
  @Test("The explanation of a stack ends with the text of the card that it shows, unless the card is private")
  func card() throws {
    let json = #"{"type":"AdaptiveCard","version":"1.5","body":[{"type":"TextBlock","text":"Bus 100"}]}"#
    let content = try EntryContent(mediaType: "application/vnd.microsoft.card.adaptive", bytes: Array(json.utf8))
    for (isPrivate, lines) in [(false, ["why", "", "The widget shows:", "  Bus 100"]), (true, ["why"])] {
      var state = Self.told()
      let details = EntryDetails(sensitivity: isPrivate ? .isPrivate(nil) : .none)
      let entry = try TimelineEntry(date: Self.start, content: content, details: details)
      let current = CurrentEntry(widget: Self.score, family: .systemSmall, entry: entry)
      _ = state.handle(.updated(Self.phone, DisplayUpdate(at: Self.start, .entry(current))))
      _ = state.handle(.pressed(.enter))
      let name = try #require(state.selection)
      _ = state.handle(.explained(name, ["why"]))
      #expect(state.panel == .explanation(name, lines, firstLine: 0))
    }
  }

  @Test("A change is drawn at once and requests a read; data of another front is not shown")
  func change() {
    var state = Self.told()
    let front = FrontChange(stack: Self.stack().id, widget: Self.forecast, front: 0, decision: 3, reason: "why")
    #expect(state.handle(.updated(Self.phone, DisplayUpdate(at: Self.start, .front(front)))) == [.read(Self.phone)])
    #expect(
      Self.frame(state, 100, 14)[3].hasPrefix("▸ phone/home  com.example.weather/Forecast      -        -         -"))
    let stale = Self.reading([Self.stack("home", front: 1)], next: nil)
    #expect(state.handle(.read(Self.phone, stale)).isEmpty)
    #expect(Self.frame(state, 100, 14)[3].contains("/Forecast      -        -         -"))
    _ = state.handle(.read(Self.phone, Self.reading([Self.stack()], next: nil)))
    #expect(Self.frame(state, 100, 14)[3].hasSuffix("-        -      1.61  -"))
    _ = state.handle(.updated(Self.phone, DisplayUpdate(at: Self.start, .removed(Self.stack().id))))
    #expect(state.names.map(\.description) == ["phone/work"] && state.selection == state.names[0])
    _ = state.handle(
      .updated(Self.phone, DisplayUpdate(at: Self.start, .stack(Self.stack("new", hasSuggestion: true)))))
    #expect(Self.frame(state, 100, 14)[2].contains("SUGGESTION"))
    #expect(Self.frame(state, 100, 14)[4].contains("  Forecast (suggested)  "))
  }

  @Test("Due changes are read once, and everything after an outage")
  func clock() {
    var state = Self.told()
    #expect(state.handle(.clock(Self.start.advanced(by: .minutes(23)))).isEmpty)
    #expect(state.handle(.clock(Self.start.advanced(by: .minutes(24)))) == [.read(Self.phone)])
    #expect(state.handle(.clock(Self.start.advanced(by: .minutes(25)))).isEmpty)
    #expect(state.handle(.lost).isEmpty && state.isWaiting)
    #expect(Self.frame(state, 100, 14)[0].hasSuffix("the server is not responding; retrying"))
    #expect(Self.frame(state, 30, 14)[0] == "the server is not responding;…")
    #expect(state.handle(.clock(Self.start.advanced(by: .minutes(26)))) == [.read(Self.phone)])
    #expect(!state.isWaiting)
  }

  @Test("Keys select a stack, ask why, scroll through the answer, show help, and quit")
  func keys() {
    var state = Self.told()
    let names = state.names
    #expect(state.handle(.pressed(.down)).isEmpty && state.selection == names[1])
    #expect(state.handle(.pressed(.character("j"))).isEmpty && state.selection == names[1])
    _ = state.handle(.pressed(.home))
    #expect(state.selection == names[0])
    _ = state.handle(.pressed(.end))
    #expect(state.handle(.pressed(.character("k"))).isEmpty && state.selection == names[0])
    #expect(state.handle(.pressed(.character("e"))) == [.explain(names[0])])
    #expect(Self.frame(state, 80, 6)[1] == "phone/home  …")
    #expect(state.handle(.explained(names[1], ["not asked"])).isEmpty)
    _ = state.handle(.explained(names[0], ["first", "second"]))
    #expect(Self.frame(state, 80, 6)[1...2] == ["first", "second"])
    _ = state.handle(.pressed(.down))
    _ = state.handle(.pressed(.pageDown))
    #expect(Self.frame(state, 80, 6)[1...2] == ["second", ""])
    _ = state.handle(.pressed(.escape))
    #expect(state.panel == .none)
    _ = state.handle(.pressed(.character("?")))
    #expect(Self.frame(state, 80, 14).contains { $0.contains("q, Ctrl-C") })
    #expect(state.handle(.pressed(.enter)).isEmpty && state.panel == .none)
    #expect(state.handle(.pressed(.character("q"))) == [.quit])
  }

  @Test("A long line is wrapped at spaces, with a larger indentation of the continuation lines")
  func wrapped() {
    #expect(TopFrame.wrapped("  one two three four", 10) == ["  one two", "    three", "    four"])
    #expect(TopFrame.wrapped("short", 10) == ["short"])
  }
}
