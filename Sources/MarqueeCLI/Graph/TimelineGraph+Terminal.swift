import MarqueeModel
import MarqueeSimulator

extension TimelineGraph {
  /// The number of rows of the curve in a terminal; each shows eight levels.
  private static let rowCount = 8
  private static let blocks: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// Returns the chart in Unicode block characters, at most `width` columns wide (at least 40 are used).
  ///
  /// A column shows the highest score in force within it, so that a short window remains visible.
  func terminalLines(width: Int) -> [String] {
    let labels = [Self.label(scoreMax), Self.label(scoreMax / 2), "0"]
    let margin = (labels.map(\.count).max() ?? 1) + 2
    let columnCount = max(40, min(width, 200)) - margin
    let levels = columnScores(columnCount).map { score in
      scoreMax > 0 && score > 0 ? max(1, Int(saturating: (score / scoreMax * Double(Self.rowCount * 8)).rounded())) : 0
    }
    let nowColumn = column(of: now, columnCount)
    var lines = [title, ""]
    for row in (0..<Self.rowCount).reversed() {
      let label = row == Self.rowCount - 1 ? labels[0] : row == Self.rowCount / 2 - 1 ? labels[1] : row == 0 ? "0" : ""
      let cells = levels.indices.map { index -> Character in
        let level = max(0, min(8, levels[index] - row * 8))
        return level == 0 && index == nowColumn ? "┊" : Self.blocks[level]
      }
      lines.append(Self.padded(label, margin - 2) + " ┤" + String(cells))
    }
    let gutter = String(repeating: " ", count: margin - 1)
    lines.append(gutter + "└" + String(axis(columnCount)))
    lines.append(gutter + " " + hourLabels(columnCount))
    lines.append(gutter + " " + String(pointers(columnCount, nowColumn)))
    return (lines + legend(hasNow: nowColumn != nil)).map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  private func legend(hasNow: Bool) -> [String] {
    var parts = ["• entry", "━ window"]
    if !expiries.isEmpty { parts.append("✕ expiry") }
    if hasNow { parts.append("▲ now, \(clock.timeOfDay(now))") }
    var lines = [parts.joined(separator: "   ")]
    if let expired {
      lines.append("The current entry expired at \(clock.timeOfDay(expired)): nothing counts until the next one.")
    }
    if scoreMax == 0 {
      lines.append(
        "No score above zero on this day: a shortcut, a prediction or a pin can bring the widget to the front.")
    }
    if scoreMin < 0 {
      lines.append(
        "Scores below zero, lowest \(Self.label(scoreMin)), are drawn as 0: neither makes a widget eligible.")
    }
    return lines
  }

  private func columnScores(_ count: Int) -> [Double] {
    var scores = Array(repeating: 0.0, count: count)
    for segment in segments where segment.score > 0 {
      guard let first = column(of: segment.start, count) else { continue }
      let last = column(of: segment.end.advanced(by: TimeSpan(milliseconds: -1)), count) ?? first
      for index in first...last { scores[index] = max(scores[index], segment.score) }
    }
    return scores
  }

  private func axis(_ count: Int) -> [Character] {
    var cells = Array(repeating: Character("─"), count: count)
    for hour in hours(every: 1) {
      guard let index = column(of: hour, count), count >= 72 || cells[max(0, index - 1)] == "─" else { continue }
      cells[index] = "┴"
    }
    return cells
  }

  private func hourLabels(_ count: Int) -> String {
    var cells = Array(repeating: Character(" "), count: count)
    for hour in hours(every: count >= 96 ? 2 : 3) {
      guard let index = column(of: hour, count), index + 2 <= count else { continue }
      for (offset, digit) in clock.hourAndMinute(hour).prefix(2).enumerated() { cells[index + offset] = digit }
    }
    return String(cells)
  }

  private func pointers(_ count: Int, _ nowColumn: Int?) -> [Character] {
    var cells = Array(repeating: Character(" "), count: count)
    for window in windows {
      guard let first = column(of: window.start, count) else { continue }
      let last = column(of: window.end.advanced(by: TimeSpan(milliseconds: -1)), count) ?? first
      for index in first...last { cells[index] = "━" }
    }
    for expiry in expiries { column(of: expiry, count).map { cells[$0] = "✕" } }
    for mark in marks { column(of: mark.date, count).map { cells[$0] = "•" } }
    nowColumn.map { cells[$0] = "▲" }
    return cells
  }

  private func column(of instant: Instant, _ count: Int) -> Int? {
    guard instant >= start, instant < end else { return nil }
    return Int(start.span(to: instant).milliseconds * Int64(count) / start.span(to: end).milliseconds)
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// Formats a score with at most four significant digits.
  static func label(_ score: Double) -> String {
    guard score != 0 else { return "0" }
    if score == score.rounded(), score.magnitude < 1e6 { return String(Int64(saturating: score)) }
    if score.magnitude >= 1e6 || score.magnitude < 1e-3 { return String(score) }
    let factor = score.magnitude >= 100 ? 10.0 : score.magnitude >= 1 ? 100.0 : 10_000.0
    let rounded = (score * factor).rounded() / factor
    return rounded == rounded.rounded() ? String(Int64(saturating: rounded)) : String(rounded)
  }
}
