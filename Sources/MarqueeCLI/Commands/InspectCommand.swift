import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee inspect`
struct InspectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show a stack's front, its widgets with their relevance, and its next change.")

  @Argument(help: "DEVICE/STACK, or STACK if only one device has it.", completion: .stackNames)
  var stack: String

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let (device, stack) = try await session.stack(self.stack)
      let answer = try await session.operators.inspect(stack, on: device.device)
      let displays = try await session.isJSON ? [:] : session.operators.widgets(of: device.device).displaysByWidget
      let clock = try device.clock
      session.write(
        json: answer.json(on: device.device, clock),
        lines: answer.lines(on: device.device, clock, session.terminal, displays))
    }
  }
}

extension InspectStackResponse {
  func json(on device: DeviceID, _ clock: DeviceClock) -> JSONValue {
    guard case .object(let stackFields) = stack.json(on: device) else { preconditionFailure("a stack is an object") }
    return .object(
      .time("at", at, clock) + stackFields + .time("next_change", nextChange, clock) + [
        .init("developer_mode", .boolean(isDeveloperModeOn)),
        .init("widgets", .array(members.map { $0.json(clock) })),
        .init("focus_filters", .array(focusFilters.map { $0.json() })),
      ])
  }

  /// Returns the stack as text.
  fileprivate func lines(
    on device: DeviceID, _ clock: DeviceClock, _ terminal: Terminal, _ displays: [Widget: ActionDisplay]
  ) -> [String] {
    let next = nextChange.map { "can change next at \(clock.shortly($0, now: at))" } ?? "nothing will change by itself"
    var lines = [
      terminal.styled("\(device)/\(stack.id)", .bold)
        + "  \(stack.family), Smart Rotate \(stack.isSmartRotateOn ? "on" : "off"), "
        + "Widget Suggestions \(stack.isWidgetSuggestionsOn ? "on" : "off")"
        + (isDeveloperModeOn ? ", developer mode" : ""),
      "\(clock.day(at)) \(clock.timeOfDay(at)), \(clock.zone.identifier); \(next)", "",
    ]
    var table = Table(
      .init(" "), .init("#", .right), .init("WIDGET"), .init("TITLE", wrapping: .words(30)), .init("SCORE", .right),
      .init("OF BEST", .right),
      .init("SINCE"), .init("UNTIL"), .init("ENTRIES", .right), .init("RELOAD"), .init("GROUP"))
    for (index, member) in members.enumerated() {
      let relevance = member.relevance
      table.append(
        index == stack.front ? "▸" : "", String(index), stack.words(member.widget),
        (displays[member.widget] ?? ActionDisplay(of: member.widget)).text,
        relevance.map { TimelineGraph.label($0.effectiveScore) } ?? "-",
        relevance.map { $0.reference > 0 ? TimelineGraph.label($0.reference) : "-" } ?? "-",
        relevance.map { clock.shortly($0.inForce.start, now: at) } ?? "-",
        relevance.map { $0.inForce.end.map { clock.shortly($0, now: at) } ?? "replaced" } ?? "-",
        member.entryCount.map { "\(member.reachedCount)/\($0)\(member.currentNotes(clock, now: at))" } ?? "-",
        member.reload.words(clock, now: at), member.group?.text ?? "")
    }
    let rows = table.rowLines
    lines += rows[0].map { terminal.styled($0, .dim) }
    for (index, row) in rows.dropFirst().enumerated() {
      lines += index == stack.front ? row.map { terminal.styled($0, .bold) } : row
    }
    guard !members.isEmpty else { return lines.dropLast() + ["The stack is empty."] }
    return lines + focusFilters.map { "Focus \($0.focus): \($0.exactText)" }
  }
}

extension MemberState {
  /// Returns the state of the current entry as it follows the number of entries.
  fileprivate func currentNotes(_ clock: DeviceClock, now: Instant) -> String {
    guard let current else { return "" }
    let expired = current.expiry.flatMap { $0 <= now ? ", expired at \(clock.shortly($0, now: now))" : nil } ?? ""
    return expired + (current.isPrivate ? ", private" : "")
  }

  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    .object([
      .init("widget", .string(widget.exactText)),
      .init("relevance", relevance.map { $0.json(clock) } ?? .null),
      .init("current_entry", current.map { $0.json(clock) } ?? .null),
      .init("entry_count", entryCount.map { .integer(Int64($0)) } ?? .null),
      .init("reached_count", .integer(Int64(reachedCount))),
      .init("reload", reload.json(clock)), .init("group", group.map { .string($0.text) } ?? .null),
    ])
  }
}

extension MemberState.CurrentEntryInfo {
  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    .object(
      .time("date", date, clock) + [
        .init("media_type", .string(mediaType)), .init("content_size", .integer(Int64(contentSize))),
      ] + .time("expiry", expiry, clock) + [.init("private", .boolean(isPrivate))])
  }
}

extension RelevanceStatus {
  /// Returns the relevance as JSON.
  func json(_ clock: DeviceClock) -> JSONValue {
    .object(
      [
        .init("score", .number(inForce.score)), .init("effective_score", .number(effectiveScore)),
        .init("reference", .number(reference)),
      ] + .time("start", inForce.start, clock) + .time("end", inForce.end, clock))
  }
}

extension ReloadStatus {
  fileprivate func words(_ clock: DeviceClock, now: Instant) -> String {
    let phrase =
      switch phase {
      case .none: "none due"
      case .scheduled(let date): "due \(clock.shortly(date, now: now))"
      case .waiting(let date): "waits for budget until \(clock.shortly(date, now: now))"
      case .requested(let date): "requested \(clock.shortly(date, now: now))"
      }
    return "\(phrase), \(countedCount) of \(budget) in 24 h"
  }

  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    let (name, date): (String, Instant?) =
      switch phase {
      case .none: ("none", nil)
      case .scheduled(let date): ("scheduled", date)
      case .waiting(let date): ("waiting", date)
      case .requested(let date): ("requested", date)
      }
    return .object(
      [
        .init("phase", .string(name)), .init("reason", reason.map { .string($0.name) } ?? .null),
        .init("counted_count", .integer(Int64(countedCount))), .init("budget", .integer(Int64(budget))),
      ] + .time("date", date, clock))
  }
}

extension ReloadRequest.Reason {
  /// The name of the reason, in JSON and in text.
  var name: String {
    switch self {
    case .atEnd: "at_end"
    case .after: "after"
    case .app: "app"
    case .user: "user"
    case .placed: "placed"
    case .resized: "resized"
    }
  }
}
