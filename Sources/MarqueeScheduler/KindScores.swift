import MarqueeModel

/// What the scores of one widget kind are measured against (rule T6).
struct KindScores: Equatable, Sendable {
  /// Positive scores that are no longer in force.
  var history = ScoreHistory()
  /// The highest positive score of the current timelines, in force, and in ``history``; 0 when there is none.
  var best = 0.0
}

/// Leaves ``KindScores/best`` out: it follows from the rest of the device.
extension KindScores: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(history)
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    history = try reader.read()
  }
}
