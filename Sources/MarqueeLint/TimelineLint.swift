import MarqueeModel

/// What is worth telling a provider about a timeline that is accepted all the same (rules L).
public enum TimelineLint {
  /// The findings on entries in the order in which they were sent.
  ///
  /// - `entries-unsorted`: an entry is dated before the one sent ahead of it; entries were sorted (rule T2).
  /// - `entries-same-date`: two entries have one date; the one sent last stays (rule T2).
  ///
  /// Each code is reported once, with the first entry that it is true of.
  public static func warnings(submitted entries: [TimelineEntry]) -> [TimelineWarning] {
    var warnings: [TimelineWarning] = []
    let pairs = zip(entries, entries.dropFirst())
    if let index = pairs.enumerated().first(where: { $1.1.date < $1.0.date })?.offset {
      warnings.append(
        TimelineWarning(
          code: "entries-unsorted", message: "entry \(index + 1) is dated before entry \(index); entries were sorted",
          entry: index + 1))
    }
    var firstByDate: [Instant: Int] = [:]
    for (index, entry) in entries.enumerated() {
      guard let first = firstByDate.updateValue(index, forKey: entry.date) else { continue }
      warnings.append(
        TimelineWarning(
          code: "entries-same-date", message: "entries \(first) and \(index) have one date; the later one stays",
          entry: index))
      break
    }
    return warnings
  }
}
