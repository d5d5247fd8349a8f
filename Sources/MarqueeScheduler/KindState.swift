import MarqueeModel

/// A registered widget kind and the scores that its widgets are measured against (rule T6).
struct KindState: Equatable, Sendable {
  var descriptor: WidgetDescriptor
  /// Positive scores that are no longer in force.
  var history = ScoreHistory()
  /// The highest positive score of the current timelines, in force, and in ``history``; 0 when there is none.
  var best = 0.0

  init(_ descriptor: WidgetDescriptor) {
    self.descriptor = descriptor
  }
}

/// Leaves ``KindState/best`` out: it follows from the rest of the device.
extension KindState: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(descriptor)
    writer.write(history)
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    descriptor = try reader.read()
    history = try reader.read()
  }
}
