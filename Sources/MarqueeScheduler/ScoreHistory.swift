import MarqueeModel

/// Past positive scores of a widget kind that can still become the highest within ``Policy/scoreRetention`` (rule T6).
///
/// A monotonic queue: scores descend and ends ascend. A score is discarded as soon as a later one is at least as high,
/// because it can never be the highest again.
struct ScoreHistory: Equatable, Sendable {
  struct Past: Equatable, Sendable {
    let score: Double
    let end: Instant
  }

  /// The maximum number of scores kept. Beyond it, the newest stored score is replaced.
  static let scoreCountMax = 1_024

  private(set) var scores: [Past] = []

  /// The highest score, or 0 if there is none.
  var highest: Double { scores.first?.score ?? 0 }

  /// Adds a score that was in force until `end`, which must not precede the ends already stored.
  mutating func remember(_ score: Double, until end: Instant) {
    while let last = scores.last, last.score <= score { scores.removeLast() }
    if scores.count == Self.scoreCountMax { scores.removeLast() }
    scores.append(Past(score: score, end: end))
  }

  /// Clamps the ends of scores to `instant`.
  mutating func restateTime(at instant: Instant) {
    scores = scores.map { Past(score: $0.score, end: min($0.end, instant)) }
  }

  /// Returns the first instant at which a score expires, or `nil`.
  func nextExpiry(retention: TimeSpan) -> Instant? {
    scores.first?.end.advanced(by: retention)
  }

  /// Removes the scores that ended at least `retention` before `now`.
  mutating func removeExpired(at now: Instant, retention: TimeSpan) {
    scores.removeFirst(scores.prefix { $0.end.advanced(by: retention) <= now }.count)
  }

  init() {}
}

extension ScoreHistory: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(scores.count)
    for past in scores {
      writer.write(past.score)
      writer.write(past.end)
    }
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for _ in 0..<(try reader.readCount()) {
      let past = Past(score: try reader.readDouble(), end: try reader.read())
      guard past.score > 0, past.score.isFinite,
        scores.last.map({ $0.score > past.score && $0.end <= past.end }) ?? true
      else { throw reader.corrupt("past scores are not in order") }
      scores.append(past)
    }
  }
}
