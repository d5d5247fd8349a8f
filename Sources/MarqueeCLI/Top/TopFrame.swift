import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// Renders a ``TopState`` for a screen of a given size. No line is wider than the screen.
struct TopFrame {
  /// A line and its style.
  struct Line: Equatable, Sendable {
    let text: String
    var style: Terminal.Style?

    init(_ text: String, _ style: Terminal.Style? = nil) {
      self.text = text
      self.style = style
    }
  }

  /// The number of decisions in a frame without a height limit.
  private static let decisionCountDefault = 20
  /// The minimum number of body lines for including empty lines.
  private static let spacedBodyMin = 9
  /// The minimum number of body lines for including headings.
  private static let headedBodyMin = 4

  let state: TopState
  /// The server's endpoint.
  let server: String
  let columns: Int
  /// The screen's height, or `nil` for as many lines as needed and no key help.
  let rows: Int?

  /// The lines from the top: as many as the screen has, or as many as needed.
  var lines: [Line] {
    let lines =
      rows.map(screen) ?? [header, Line("")] + table(count: state.names.count) + problems + [Line("")]
      + decisions(count: Self.decisionCountDefault)
    return lines.map { Line($0.text.singleLine.truncated(to: columns), $0.style) }
  }

  private func screen(_ rows: Int) -> [Line] {
    guard rows > 1 else { return [header] }
    let room = rows - 2
    let body =
      switch state.panel {
      case .none: stacks(room - problems.prefix(room / 2).count) + problems.prefix(room / 2)
      case .help: Self.help
      case .explanation(let name, let text, let first): explanation(of: name, text, first)
      }
    let padding = [Line](repeating: Line(""), count: max(0, room - body.count))
    return [header] + body.prefix(room) + padding + [footer]
  }

  // MARK: - Around the body

  private var header: Line {
    let left = "marquee top  \(server)"
    // Changing information takes precedence over constant information.
    guard left.columnCount + 2 + status.columnCount <= columns else { return Line(status, .bold) }
    let gap = columns - left.columnCount - status.columnCount
    return Line(left + String(repeating: " ", count: gap) + status, .bold)
  }

  /// The time on the selected stack's device, or the reason why it is unavailable.
  private var status: String {
    if state.isWaiting { return "the server is not responding; retrying" }
    let chosen = state.devices.first { $0.id == state.selection?.device } ?? state.devices.first
    guard let now = state.now, let device = chosen else { return "connecting to the server" }
    return "\(device.id)  \(device.clock.day(now)) \(device.clock.timeOfDay(now)), \(device.clock.zone.identifier)"
  }

  private var footer: Line {
    switch state.panel {
    case .none: Line("q quit  ↑↓ select a stack  enter why  ? help", .dim)
    case .help: Line("q quit  any other key goes back", .dim)
    case .explanation: Line("q quit  ↑↓ scroll  enter or esc goes back", .dim)
    }
  }

  private static let help = [
    Line(""),
    Line("  ↑ ↓, k j           select a stack, or scroll"),
    Line("  page up, page down ten lines at once"),
    Line("  home, end          the first stack, the last one"),
    Line("  enter, e           why the stack was changed last"),
    Line("  ?                  this"),
    Line("  q, Ctrl-C          quit"),
    Line(""),
    Line("  SCORE is the front widget's score, OF BEST the highest score of its kind, EVIDENCE the sum of all"),
    Line("  signals. See also \"marquee help explain\" and \"marquee help why-not\"."),
  ]

  // MARK: - Stacks and decisions

  /// The devices that the server cannot read, and those whose lines may be out of date, with the reasons. While the
  /// server does not respond at all, the header states that instead.
  private var problems: [Line] {
    state.devices.compactMap { device in
      if let error = device.error { return Line("\(device.id) cannot be read: \(error)") }
      guard let reason = device.interruption, !state.isWaiting else { return nil }
      return Line("\(device.id) is not up to date; reconnecting" + (reason.isEmpty ? "" : ": \(reason)"))
    }
  }

  private func stacks(_ room: Int) -> [Line] {
    let count = max(state.names.count, 1)
    guard room >= Self.headedBodyMin else { return Array(table(count: room).dropFirst(state.names.isEmpty ? 0 : 1)) }
    let isSpaced = room >= Self.spacedBodyMin
    let free = room - 2 - (isSpaced ? 2 : 0)
    // A third is reserved for decisions, which also get the lines that stacks do not need.
    let stackCount = min(count, max(1, free - free / 3))
    let gap = isSpaced ? [Line("")] : []
    return gap + table(count: stackCount) + gap + decisions(count: free - stackCount)
  }

  /// Returns up to `count` lines with the stacks around the selected one, under headings.
  private func table(count: Int) -> [Line] {
    let names = state.names
    guard !names.isEmpty else {
      let isKnown = state.devices.allSatisfy { $0.rows != nil }
      return [Line(isKnown ? "No stacks. Add one with: marquee stack create DEVICE/STACK --family FAMILY" : "…")]
    }
    let chosen = state.selection.flatMap(names.firstIndex) ?? 0
    let start = min(max(0, chosen - count / 2), max(0, names.count - count))
    let all = state.devices.flatMap { device in (device.rows ?? []).map { cells(of: $0, on: device) } }
    let lines = TopTable(rows: all).lines(columns: columns)
    return [Line(lines[0], .dim)]
      + lines.dropFirst().enumerated().dropFirst(start).prefix(count).map { index, text in
        Line((index == chosen && rows != nil ? "▸ " : "  ") + text, index == chosen && rows != nil ? .bold : nil)
      }
  }

  private func cells(of row: TopState.Row, on device: TopState.Device) -> TopTable.Row {
    let relevance = row.reading?.relevance
    let now = state.now ?? .min
    return TopTable.Row(
      stack: "\(device.id)/\(row.stack.id)", front: row.stack.frontWidget,
      isSuggested: row.stack.frontWidget.map { $0 == row.stack.suggestedWidget } ?? false,
      score: relevance.map { TimelineGraph.label($0.effectiveScore) } ?? "-",
      best: relevance.flatMap { $0.reference > 0 ? TimelineGraph.label($0.reference) : nil } ?? "-",
      evidence: row.reading?.evidence.map(TimelineGraph.label) ?? "-",
      suggestion: row.stack.suggestedWidget.map { TopTable.short($0) } ?? "",
      next: row.reading?.inspection.nextChange.map { next in
        device.clock.shortly(next, now: now) + Self.wait(until: next, now)
      } ?? "-")
  }

  /// Formats the time until `instant` in one unit, or as an empty text from two days on.
  private static func wait(until instant: Instant, _ now: Instant) -> String {
    let seconds = (now.span(to: instant).milliseconds + 999) / 1000
    switch seconds {
    case ..<1: return ""
    case ..<60: return ", in \(seconds) s"
    case ..<3_600: return ", in \((seconds + 59) / 60) min"
    case ..<172_800: return ", in \((seconds + 3_599) / 3_600) h"
    default: return ""
    }
  }

  /// Returns up to `count` lines with the newest decisions of all devices, under a heading.
  private func decisions(count: Int) -> [Line] {
    let now = state.now ?? .min
    let all = state.devices.flatMap { device in device.decisions.map { (device: device, decision: $0) } }
      .sorted { left, right in
        let (mine, other) = (left.decision, right.decision)
        if mine.at != other.at { return mine.at > other.at }
        if left.device.id != right.device.id { return left.device.id < right.device.id }
        return mine.number > other.number
      }
    guard !all.isEmpty else { return [Line("NO DECISIONS YET", .dim)] }
    let rows = all.prefix(count).map { device, decision in
      let explanation = decision.explanation
      let said = { (instant: Instant) in device.clock.shortly(instant, now: decision.at) }
      let name = device.names.name
      let why =
        decision.kind == .suggestion
        ? explanation.suggestionSummary(format: said, name: name) : explanation.summary(format: said, name: name)
      return [device.clock.shortly(decision.at, now: now), "\(device.id)/\(decision.stack)", why]
    }
    let widths = (0..<2).map { column in min(rows.map { $0[column].columnCount }.max() ?? 0, columns / 3) }
    return [Line("DECISIONS, NEWEST FIRST", .dim)]
      + rows.map { cells in
        Line("  \(cells[0].fitted(to: widths[0]))  \(cells[1].fitted(to: widths[1]))  \(cells[2])")
      }
  }

  // MARK: - Why

  private func explanation(of name: TopState.StackName, _ text: [String]?, _ first: Int) -> [Line] {
    guard let text else { return [Line("\(name)  …", .bold)] }
    return text.dropFirst(first).flatMap { Self.wrapped($0, columns) }.map { Line($0) }
  }

  /// Wraps the text at spaces to lines of at most `columns` columns. Continuation lines keep the indentation of the
  /// first.
  static func wrapped(_ text: String, _ columns: Int) -> [String] {
    let text = text.singleLine
    guard text.columnCount > columns else { return [text] }
    let indent = String(text.prefix { $0 == " " }.prefix(columns / 2))
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let longer = line.isEmpty ? indent + word : line + " " + word
      if line.isEmpty || longer.columnCount <= columns {
        line = longer
      } else {
        lines.append(line)
        line = indent + "  " + word
      }
    }
    return lines + [line]
  }
}
