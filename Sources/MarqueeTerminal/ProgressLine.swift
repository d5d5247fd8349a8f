import MarqueeModel

/// A line that shows a command's current operation and progress.
package struct ProgressLine: Equatable, Sendable {
  /// The amount of work done.
  package enum Amount: Equatable, Sendable {
    case unknown
    /// Bytes, with the total if known.
    case bytes(Int, of: Int?)
    /// Items, with the total if known; the noun is plural.
    case count(Int, of: Int?, String)
    /// A fraction of the whole, from 0 to 1.
    case share(Double)
  }

  let operation: String
  let amount: Amount
  /// The time since the operation began.
  let elapsed: Duration

  package init(operation: String, amount: Amount, elapsed: Duration) {
    self.operation = operation
    self.amount = amount
    self.elapsed = elapsed
  }

  /// Returns the line in at most `columns` columns. If it does not fit, the description is truncated before the
  /// numbers.
  package func text(columns: Int) -> String {
    let numbers = (parts + [Self.text(of: elapsed)]).joined(separator: ", ")
    let separator = parts.isEmpty ? ", " : ": "
    let room = columns - numbers.columnCount - separator.count
    guard room > 0 else { return numbers.truncated(to: columns) }
    return operation.singleLine.truncated(to: room) + separator + numbers
  }

  private var parts: [String] {
    switch amount {
    case .unknown: return []
    case .bytes(let done, of: nil): return [Self.text(ofBytes: done)]
    case .bytes(let done, of: let all?):
      return [Self.percentage(done, all), "\(Self.text(ofBytes: done)) of \(Self.text(ofBytes: all))"]
    case .count(let done, of: nil, let noun): return ["\(done) \(noun)"]
    case .count(let done, of: let all?, let noun): return [Self.percentage(done, all), "\(done) of \(all) \(noun)"]
    case .share(let share): return share >= 0 ? ["\(Int(saturating: min(share, 1) * 100)) %"] : []
    }
  }

  /// Rounded down, so that 100 % means complete.
  private static func percentage(_ done: Int, _ all: Int) -> String {
    "\(all > 0 ? Int(saturating: Double(min(max(done, 0), all)) / Double(all) * 100) : 100) %"
  }

  private static func text(ofBytes count: Int) -> String {
    var (tenths, unit) = (count * 10, "B")
    for larger in ["kB", "MB", "GB", "TB"] where tenths >= 10_000 { (tenths, unit) = (tenths / 1_000, larger) }
    return unit == "B" ? "\(count) B" : "\(tenths / 10).\(tenths % 10) \(unit)"
  }

  private static func text(of duration: Duration) -> String {
    let seconds = duration.components.seconds
    return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
  }
}
