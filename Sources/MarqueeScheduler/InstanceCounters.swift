import MarqueeModel

/// The counts of an instance of a widget (rule R17): plain numbers, so that counting allocates nothing.
struct InstanceCounters: Equatable, Sendable {
  /// The counted occurrences. The raw values are the positions in the stored format.
  enum Occurrence: Int, CaseIterable {
    case span, rotation, tap, scrollAway, suggestion, kept, dismissal
  }

  private var counts: SIMD8<UInt32> = .zero
  /// The total length of the completed spans at the front of a visible stack.
  private(set) var frontTime = TimeSpan.zero
  /// When the last completed span ended; `Instant.max` if there is none.
  private var lastSpanEnd = Instant.max
  /// When the first occurrence was counted, or the first span began; `nil` if nothing was counted.
  private(set) var since: Instant?

  init() {}

  /// Whether nothing was counted.
  var isEmpty: Bool { since == nil }

  /// Whether these counts began after others, or have not begun while the others have.
  func begins(after other: InstanceCounters) -> Bool { other.since.map { $0 < since ?? .max } ?? false }

  /// Returns the number of occurrences. Of spans at the front of a visible stack, only completed ones are counted.
  func count(of occurrence: Occurrence) -> Int { Int(counts[occurrence.rawValue]) }

  mutating func count(_ occurrence: Occurrence, at now: Instant) {
    add(occurrence)
    since = since ?? now
  }

  /// Counts a span at the front of a visible stack, unless its length is zero. A span that begins when the last one
  /// ended continues it, so that the result depends only on the front at each instant.
  mutating func countSpan(from start: Instant, to end: Instant) {
    guard start < end else { return }
    let first = begin(start)
    let total = TimeSpan(milliseconds: frontTime.milliseconds + start.span(to: end).milliseconds)
    // Spans do not overlap, unless the device was decoded from damaged bytes.
    frontTime = min(total, first.span(to: end))
    lastSpanEnd = end
  }

  /// Returns the counters with the present span, which counts even if it has just begun.
  func including(spanFrom start: Instant, at now: Instant) -> InstanceCounters {
    var counters = self
    if start < now { counters.countSpan(from: start, to: now) } else { _ = counters.begin(start) }
    return counters
  }

  /// Adds the counts of another instance.
  mutating func add(_ other: InstanceCounters) {
    for index in counts.indices {
      let (sum, overflow) = counts[index].addingReportingOverflow(other.counts[index])
      counts[index] = overflow ? .max : sum
    }
    frontTime = TimeSpan(milliseconds: frontTime.milliseconds + other.frontTime.milliseconds)
    since = [since, other.since].compactMap(\.self).min()
  }

  /// Counts the beginning of a span, and returns the instant from which the instance has been counted.
  private mutating func begin(_ start: Instant) -> Instant {
    if start != lastSpanEnd { add(.span) }
    let first = min(since ?? start, start)
    since = first
    return first
  }

  /// Adds 1 to a count, up to the maximum of its type.
  private mutating func add(_ occurrence: Occurrence) {
    if counts[occurrence.rawValue] < .max { counts[occurrence.rawValue] += 1 }
  }

  /// Adapts the counters to a clock that was moved back to `now`. Counts are kept; time at the front is limited to the
  /// time that has passed.
  ///
  /// - Parameters:
  ///   - now: The present instant.
  ///   - start: The start of the present span at the front of a visible stack, if there is one, which becomes `now` if
  ///     it is later.
  mutating func restateTime(at now: Instant, spanFrom start: Instant?) {
    guard let first = since.map({ min($0, now) }) else { return }
    since = first
    frontTime = min(frontTime, max(.zero, first.span(to: min(start ?? now, now))))
    // A later span that now begins when the last one ended does not continue it.
    if lastSpanEnd > now || lastSpanEnd == now && start.map({ $0 > now }) == true { lastSpanEnd = .max }
  }
}

extension InstanceCounters {
  func write(to writer: inout ByteWriter) {
    writer.write(since)
    guard since != nil else { return }
    for occurrence in Occurrence.allCases { writer.write(count(of: occurrence)) }
    writer.write(frontTime)
    writer.write(lastSpanEnd)
  }

  init(from reader: inout ByteReader, at now: Instant) throws(BinaryDecodingError) {
    since = try reader.readOptional()
    guard let since else { return }
    for occurrence in Occurrence.allCases {
      guard let count = UInt32(exactly: try reader.readInt()) else {
        throw reader.corrupt("count of an instance exceeds \(UInt32.max)")
      }
      counts[occurrence.rawValue] = count
    }
    frontTime = try reader.read()
    lastSpanEnd = try reader.read()
    guard since <= now, lastSpanEnd <= now || lastSpanEnd == .max, frontTime >= .zero,
      frontTime <= since.span(to: now)
    else {
      throw reader.corrupt("statistics of the future, or more time at the front than has passed")
    }
  }
}
