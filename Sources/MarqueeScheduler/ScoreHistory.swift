import MarqueeModel

/// The positive scores of a widget kind that were in force and no longer are, as far as they can still be the
/// highest of the policy's memory (rule T6).
///
/// Scores fall and ends rise along the array: an older score that a later one equals or passes can never again be
/// the highest, and is forgotten at once.
struct ScoreHistory: Equatable, Sendable {
  struct Past: Equatable, Sendable {
    let score: Double
    let end: Instant
  }

  /// Scores remembered, at most; beyond it, the one before the newest is forgotten.
  static let scoreCountMax = 1_024

  private(set) var scores: [Past] = []

  /// The highest remembered score, or 0.
  var highest: Double { scores.first?.score ?? 0 }

  /// Remembers a score that was in force until `end`, which is not before the ends of those remembered.
  mutating func remember(_ score: Double, until end: Instant) {
    while let last = scores.last, last.score <= score { scores.removeLast() }
    if scores.count == Self.scoreCountMax { scores.removeLast() }
    scores.append(Past(score: score, end: end))
  }

  /// The first instant at which a score is forgotten.
  func nextExpiry(memory: TimeSpan) -> Instant? {
    scores.first?.end.advanced(by: memory)
  }

  /// Forgets the scores whose end is at least `memory` before `now`.
  mutating func forget(at now: Instant, memory: TimeSpan) {
    scores.removeFirst(scores.prefix { $0.end.advanced(by: memory) <= now }.count)
  }

  init() {}
}

extension ScoreHistory: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(scores.count)
    for past in scores {
      writer.write(past.score)
      writer.write(past.end)
    }
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    for _ in 0..<(try reader.readCount()) {
      let past = Past(score: try reader.readDouble(), end: try reader.read())
      guard past.score > 0, past.score.isFinite,
        scores.last.map({ $0.score > past.score && $0.end <= past.end }) ?? true
      else { throw reader.corrupt("past scores out of order") }
      scores.append(past)
    }
  }
}
