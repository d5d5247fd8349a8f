import MarqueeModel

extension TimelineLint {
  static func entriesUnsorted(_ entries: [TimelineEntry]) -> Finding? {
    let early = entries.indices.dropFirst().filter { entries[$0].date < entries[$0 - 1].date }
    guard let first = early.first else { return nil }
    return Finding(
      .entriesUnsorted, entry: first,
      "entry \(first) is dated before entry \(first - 1)\(more(than: early.count)); entries were sorted",
      [FindingValue("entry", first), FindingValue("before", first - 1)] + more(than: early.count))
  }

  static func entriesSameDate(_ entries: [TimelineEntry], _ timeline: SentTimeline) -> Finding? {
    guard timeline.entries.count < entries.count else { return nil }
    var firstByDate: [Instant: Int] = [:]
    var found: (first: Int, second: Int)?
    var count = 0
    for (index, entry) in entries.enumerated() {
      guard let first = firstByDate[entry.date] else {
        firstByDate[entry.date] = index
        continue
      }
      found = found ?? (first, index)
      count += 1
    }
    guard let found else { return nil }
    return Finding(
      .entriesSameDate, entry: found.second,
      "entries \(found.first) and \(found.second) have one date\(more(than: count)); the one sent last stays",
      [FindingValue("first", found.first), FindingValue("second", found.second)] + more(than: count))
  }

  static func entriesTooClose(_ timeline: SentTimeline) -> Finding? {
    let pairs = zip(timeline.entries, timeline.entries.dropFirst())
    let close = pairs.filter { $0.date.span(to: $1.date) < entrySpacingMin }
    guard let (before, after) = close.first else { return nil }
    let distance = before.date.span(to: after.date)
    return Finding(
      .entriesTooClose, entry: after.index,
      "entry \(after.index) follows entry \(before.index) after \(words(distance))\(more(than: close.count)); "
        + "entries should be at least \(words(entrySpacingMin)) apart",
      [
        FindingValue("entry", after.index), FindingValue("before", before.index), FindingValue("distance", distance),
        FindingValue("minimum", entrySpacingMin),
      ] + more(than: close.count))
  }

  static func entriesLongPast(_ entries: [TimelineEntry], _ context: LintContext) -> Finding? {
    let old = entries.indices.filter { entries[$0].date.span(to: context.now) > pastMax }
    guard let first = old.first else { return nil }
    let age = entries[first].date.span(to: context.now)
    return Finding(
      .entriesLongPast, entry: first,
      "entry \(first) is dated \(words(age)) before its publication\(more(than: old.count)); dates are in "
        + "milliseconds, and seconds may have been sent",
      [FindingValue("entry", first), FindingValue("age", age)] + more(than: old.count))
  }

  /// Formats a span in the largest unit that it reaches, with at most one decimal place.
  static func words(_ span: TimeSpan) -> String {
    let units: [(name: String, milliseconds: Int64)] = [
      ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000),
    ]
    guard let unit = units.first(where: { span.milliseconds.magnitude >= $0.milliseconds.magnitude }) else {
      return "\(span.milliseconds) ms"
    }
    let tenths = (Double(span.milliseconds) * 10 / Double(unit.milliseconds)).rounded()
    return "\(number(tenths / 10)) \(unit.name)"
  }

  /// Formats a number without a fraction if it is whole.
  static func number(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? String(Int64(saturating: value)) : String(value)
  }
}
