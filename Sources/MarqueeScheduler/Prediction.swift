import MarqueeModel

/// A prediction that the user will soon perform the action that a widget is about (rule P5).
struct Prediction: Equatable, Sendable {
  /// The predicted parameters of the widget's configuration, as a bit mask.
  let combination: UInt64
  /// The probability in units of 1 / ``PredictionSchedule/partCount``, rounded down; 0 counts as half a unit.
  var parts: Int
  var episode: Episode

  /// Whether the intent fulfils the prediction of a widget with this configuration.
  func isFulfilled(by intent: Intent, in configuration: Intent) -> Bool {
    intent.fulfils(combination, of: configuration)
  }

  var probability: Double {
    Double(PredictionSchedule.halfParts(parts)) / Double(2 * PredictionSchedule.partCount)
  }
}

extension Intent {
  /// Whether the intent has the values of the configuration's parameters that are set in `combination`.
  func fulfils(_ combination: UInt64, of configuration: Intent) -> Bool {
    type == configuration.type
      && configuration.parameters.enumerated().allSatisfy { bit, parameter in
        combination & (1 << bit) == 0 || parameters.contains(parameter)
      }
  }
}

extension Prediction: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(combination)
    writer.write(parts)
    writer.write(episode)
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    combination = try reader.readUInt64()
    parts = try reader.readInt()
    guard (0...PredictionSchedule.partCount).contains(parts) else {
      throw reader.corrupt("predicted probability of \(parts) parts is out of range")
    }
    episode = try reader.read()
  }
}
