import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee timeline`
struct TimelineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline", abstract: "Draw a widget's score in force over a day, from its stored timelines.",
    discussion: """
      Every timeline is drawn over the span in which it was stored: also one that was replaced or removed since. Only \
      the current one is drawn after now. If the server does not keep the whole day, or if the day has very many \
      events, the curve begins later.
      """)

  @Argument(help: "DEVICE:APP/KIND(PARAMETER=VALUE, …), or an unambiguous short form.", completion: .widgetNames)
  var widget: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The day, such as yesterday, monday or 2021-06-07; defaults to today.", valueName: "date"),
    transform: { text in try TimeArgument(text) })
  var day: TimeArgument?

  @Option(help: "The widget's family; defaults to one in which it is visible, or else to the one published last.")
  var family: WidgetFamily?

  @Option(help: ArgumentHelp("Write the chart to this PNG file.", valueName: "file"), completion: .file())
  var png: String?

  @Option(help: ArgumentHelp("Write the chart to this SVG file.", valueName: "file"), completion: .file())
  var svg: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let (device, widget) = try await session.widget(self.widget)
      let clock = try device.clock
      let day = try day?.instant(now: device.now, clock: clock) ?? device.now
      let (dayStart, dayEnd) = clock.dayBounds(containing: day)
      let isPast = dayEnd <= device.now
      let answer: GetTimelineResponse
      do {
        answer = try await session.operators.timeline(
          of: widget, in: family, on: device.device,
          at: isPast ? dayEnd.advanced(by: TimeSpan(milliseconds: -1)) : nil,
          since: dayStart < device.now ? dayStart : nil)
      } catch let status as RPCStatus where status.details.compactMap(FieldViolation.init).first?.field == "at" {
        let reason = status.details.compactMap(FieldViolation.init).first?.reason ?? ""
        throw CommandFailure(.rejected, "--day \(clock.day(day)): \(reason)", code: status.code)
      }
      let name = "\(device.device):\(widget.exactText) in \(answer.family)"
      let graph = TimelineGraph(
        title: "\(name), \(clock.day(day))", entries: answer.timeline?.entries ?? [],
        inForce: answer.relevance?.inForce, past: answer.spans, day: day, now: device.now, clock: clock)
      if let svg { try OutputFile.write(Array(graph.svg.utf8), to: svg) }
      if let png {
        try OutputFile.write(try PNGImage(svg: graph.svg, size: TimelineGraph.drawingSize, scale: 2).bytes, to: png)
      }
      guard svg == nil && png == nil || session.isJSON else { return }
      session.write(
        json: answer.json(device.device, widget, clock),
        lines: graph.terminalLines(width: session.terminal.width) + answer.groupLines + answer.spanLines(clock))
    }
  }
}

extension GetTimelineResponse {
  /// The family of the widget's instance, and the one that the content is made for, as JSON.
  var familyFields: [JSONValue.Field] {
    [
      .init("family", .string(family.description)),
      .init("content_family", timeline?.family.map { .string($0.description) } ?? .null),
    ]
  }

  /// The line that names the group of the timeline, if it has one.
  var groupLines: [String] { timeline?.group.map { ["Group: \($0)"] } ?? [] }

  /// Returns the line about the timelines of a day that had several.
  fileprivate func spanLines(_ clock: DeviceClock) -> [String] {
    guard spans.count > 1 else { return [] }
    let texts = spans.map { span in
      let count = span.entries.count
      let reached = " with \(count) \(count == 1 ? "entry" : "entries") reached"
      return clock.timeOfDay(span.start) + (span.hasTimeline ? reached : " none")
    }
    return ["Timelines: " + texts.joined(separator: ", ")]
  }

  fileprivate func json(_ device: DeviceID, _ widget: Widget, _ clock: DeviceClock) -> JSONValue {
    .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("time_zone", .string(timeZone.text)),
        .init("widget", .string(widget.exactText)),
      ] + familyFields + [
        .init("relevance", relevance.map { $0.json(clock) } ?? .null)
      ] + .time("published", publishedAt, clock) + [
        .init("policy", timeline.map { $0.policy.json(clock) } ?? .null),
        .init("fallback", timeline.map { .boolean($0.fallback != nil) } ?? .null),
        .init("group", timeline?.group.map { .string($0.text) } ?? .null),
        .init("entries", timeline.map { .array($0.entries.map { $0.json(clock) }) } ?? .null),
        .init("spans", .array(spans.map { $0.json(clock) })),
      ])
  }
}

extension TimelineSpan {
  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    .object(
      .time("start", start, clock) + .time("end", end, clock) + [
        .init("relevance", relevance.map { $0.json(clock) } ?? .null),
        .init("entries", hasTimeline ? .array(entries.map { $0.json(clock) }) : .null),
      ])
  }
}

extension TimelineReloadPolicy {
  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    switch self {
    case .atEnd: .object([.init("name", "at_end")] + .time("date", nil, clock))
    case .after(let date): .object([.init("name", "after")] + .time("date", date, clock))
    case .never: .object([.init("name", "never")] + .time("date", nil, clock))
    }
  }
}

extension TimelineEntry {
  /// Returns the entry's date, relevance and expiry as JSON, with the duration in seconds.
  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    .object(
      .time("date", date, clock) + [
        .init("score", relevance.map { .number($0.score) } ?? .null),
        .init("duration", relevance.map { .number($0.duration.seconds) } ?? .null),
      ] + .time("expiry", expiry, clock) + [.init("private", .boolean(details.isPrivate))])
  }
}
