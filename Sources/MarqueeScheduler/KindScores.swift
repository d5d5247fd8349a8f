import MarqueeModel

/// The score reference of one widget kind (rule T6).
struct KindScores: Equatable, Sendable {
  /// Positive scores that are no longer in force.
  var history = ScoreHistory()
  /// The highest positive score in the current timelines, in force, and in ``history``, or 0 if there is none.
  var best = 0.0
}

/// The encoding omits ``KindScores/best``, which is derived from the rest of the device.
extension KindScores: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(history)
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    history = try reader.read()
  }
}
