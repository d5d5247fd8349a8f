import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTerminal

/// A simulated day with the user's choice of stack and format.
struct DayView {
  let day: SimulatedDay
  /// The stack to show, or `nil` for all stacks.
  let stack: StackID?

  private var clock: DeviceClock { day.scenario.clock }
  private var device: DeviceID { day.scenario.device }

  private var events: [DayEvent] {
    DayEvent.all(in: day).filter { stack == nil || $0.stack == stack }
  }

  /// The stacks to show.
  private var tracks: [StackTrack] { day.stacks.filter { stack == nil || $0.id == stack } }

  /// The day as a table.
  var lines: [String] {
    let events = events
    guard !events.isEmpty else { return ["No events."] }
    var table = Table(.init("TIME"), .init("STACK"), .init("WHAT"), .init("WIDGET"), .init("WHY"))
    for event in events {
      table.append(
        clock.shortly(event.at, now: day.scenario.begin), event.stack?.text ?? "", event.kind,
        event.widget?.exactText ?? "", event.details)
    }
    return table.lines
  }

  /// Returns the explanation of each stack's front and of possible suggestions.
  func explanations(at instant: Instant) throws(CommandFailure) -> (json: JSONValue, lines: [String]) {
    let device = try device(at: instant)
    var (lines, objects) = ([String](), [JSONValue]())
    for id in device.allStacks.map(\.id) where stack == nil || id == stack {
      guard let members = device.explanation(of: id), let others = device.suggestionExplanation(of: id) else {
        continue
      }
      if !lines.isEmpty { lines.append("") }
      let names = device.names(in: [members, others])
      lines += members.lines(on: self.device, clock, .standard, names)
      lines += others.suggestionLines(clock, .standard, names)
      objects.append(
        .object([
          .init("members", members.json(on: self.device, clock, names)),
          .init("suggestions", others.suggestionJSON(on: self.device, clock, names)),
        ]))
    }
    if lines.isEmpty { lines = ["No stack exists at that time."] }
    return (.object([.init("explanations", .array(objects))]), lines)
  }

  /// Returns the obstacles between a widget and the front of a stack, in order.
  func whyNot(_ text: String, at instant: Instant) throws(CommandFailure) -> (json: JSONValue, lines: [String]) {
    let device = try device(at: instant)
    let names = NameDirectory.DeviceNames(
      device: self.device, timeZone: device.timeZone, now: instant, stacks: device.allStacks.map(\.id),
      widgets: device.knownWidgets, kinds: device.registeredKinds)
    let widget = try NameDirectory.widgetToShow(text, on: names)
    guard let id = stack ?? (names.stacks.count == 1 ? names.stacks[0] : nil) else {
      throw CommandFailure(.usage, "there are \(names.stacks.count) stacks; select one with --stack")
    }
    let answer: WhyNot
    do { answer = try device.whyNot(widget, in: id) } catch { throw CommandFailure(.rejected, "\(error)") }
    let shown = device.names(in: answer)
    return (answer.json(on: self.device, clock, shown), answer.lines(on: self.device, clock, .standard, shown))
  }

  private func device(at instant: Instant) throws(CommandFailure) -> Device {
    guard instant >= day.scenario.begin, instant <= day.end else {
      let (from, to) = (clock.rfc3339(day.scenario.begin), clock.rfc3339(day.end))
      throw CommandFailure(.usage, "\(clock.rfc3339(instant)) is outside the simulated time, \(from) to \(to)")
    }
    return day.device(at: instant)
  }
}

// MARK: JSON

extension DayView {
  /// The day as JSON, with all data of the table and the chart.
  var json: JSONValue {
    let events = events
    let names = day.device(at: day.end).names(in: events.compactMap(\.decision?.explanation))
    return .object(
      [.init("device", .string(device.text)), .init("time_zone", .string(clock.zone.identifier))]
        + .time("from", day.scenario.begin, clock) + .time("to", day.end, clock) + [
          .init("events", .array(events.map { json($0, names) })),
          .init("stacks", .array(tracks.map(json))),
          .init("widgets", .array(day.widgets.map(json))),
        ])
  }

  private func json(_ event: DayEvent, _ names: SentenceNames) -> JSONValue {
    .object(
      .time("at", event.at, clock) + [
        .init("stack", event.stack.map { .string($0.text) } ?? .null), .init("kind", .string(event.kind)),
        .init("widget", event.widget.map { .string($0.exactText) } ?? .null),
        .init("reason", .string(event.details)),
        .init("number", event.decision.map { .integer(Int64(clamping: $0.number)) } ?? .null),
        .init("explanation", event.decision.map { $0.explanation.json(on: device, clock, names) } ?? .null),
      ])
  }

  private func json(_ track: StackTrack) -> JSONValue {
    .object([
      .init("stack", .string(track.id.text)),
      .init(
        "spans",
        .array(
          track.spans.map { span in
            .object(
              .time("from", span.start, clock) + .time("to", span.end, clock) + [
                .init("front", span.stack.frontWidget.map { .string($0.exactText) } ?? .null),
                .init("members", .array(span.stack.members.map { .string($0.exactText) })),
                .init("suggestion", span.stack.suggestedWidget.map { .string($0.exactText) } ?? .null),
                .init("smart_rotate", .boolean(span.stack.isSmartRotateOn)),
                .init("widget_suggestions", .boolean(span.stack.isWidgetSuggestionsOn)),
                .init("settings", span.stack.settingsJSON),
              ])
          })),
    ])
  }

  private func json(_ track: WidgetTrack) -> JSONValue {
    let scores = track.scores.map { span in
      JSONValue.object(
        .time("from", span.start, clock) + .time("to", span.end, clock) + [.init("score", .number(span.score))])
    }
    let windows = track.windows.map { window in
      JSONValue.object(.time("from", window.start, clock) + .time("to", window.end, clock))
    }
    return .object([
      .init("widget", .string(track.widget.exactText)), .init("scores", .array(scores)),
      .init("windows", .array(windows)),
    ])
  }
}
