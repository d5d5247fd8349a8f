import MarqueeModel

/// What is expected of a widget: that the person soon does what it is about (rule P5).
struct Prediction: Equatable, Sendable {
  /// The predicted combination: a bit for each parameter of the widget's configuration that is in it.
  let combination: UInt64
  /// The probability in parts of ``Foresight/partCount``, from 1.
  var parts: Int
  var episode: Episode

  /// Whether doing the intent is what was predicted of a widget with this configuration.
  func isFulfilled(by intent: Intent, in configuration: Intent) -> Bool {
    intent.fulfils(combination, of: configuration)
  }

  var probability: Double { Double(parts) / Double(Foresight.partCount) }
}

extension Intent {
  /// Whether it has the values of a configuration's parameters, of those that have a bit in `combination`.
  func fulfils(_ combination: UInt64, of configuration: Intent) -> Bool {
    type == configuration.type
      && configuration.parameters.enumerated().allSatisfy { bit, parameter in
        combination & (1 << bit) == 0 || parameters.contains(parameter)
      }
  }
}

extension Prediction: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(combination)
    writer.write(parts)
    writer.write(episode)
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    combination = try reader.readUInt64()
    parts = try reader.readInt()
    guard (1...Foresight.partCount).contains(parts) else { throw reader.corrupt("\(parts) parts of a probability") }
    episode = try reader.read()
  }
}
