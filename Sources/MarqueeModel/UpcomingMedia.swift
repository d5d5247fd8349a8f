/// An app's list of media to play next (rule D7), corresponding to `INUpcomingMediaManager`.
public struct UpcomingMedia: Hashable, Sendable {
  /// How the app's media is suggested, corresponding to `INUpcomingMediaPredictionMode`.
  public enum Mode: UInt8, CaseIterable, Sendable {
    /// Suggest listed items and the user's habitual plays.
    case predictive = 1
    /// Suggest listed items only.
    case onlySuggested
  }

  /// Play-media intents of unplayed items, in the app's order of preference.
  public let intents: [Intent]
  /// How the app's media is suggested.
  public let mode: Mode

  /// Whether the list says no more than an app that has never set one.
  public var isDefault: Bool { intents.isEmpty && mode == .predictive }

  /// Creates a list.
  ///
  /// - Throws: ``RequestError`` if an intent has another type or is duplicated.
  public init(intents: [Intent], mode: Mode = .predictive) throws(RequestError) {
    var seen: Set<Intent> = []
    for (index, intent) in intents.enumerated() {
      guard intent.type == .playMedia else {
        throw RequestError(
          .invalidArgument, field: "intents[\(index)]",
          "intent type must be \(IntentType.playMedia), not \(intent.type)")
      }
      guard seen.insert(intent).inserted else {
        throw RequestError(.invalidArgument, field: "intents[\(index)]", "duplicate intent")
      }
    }
    self.intents = intents
    self.mode = mode
  }
}

extension UpcomingMedia.Mode: LosslessStringConvertible {
  /// The name used in commands and scenarios, such as `only-suggested`.
  public var description: String {
    switch self {
    case .predictive: "predictive"
    case .onlySuggested: "only-suggested"
    }
  }

  /// Creates a mode from its name, or returns `nil`.
  public init?(_ description: String) {
    guard let mode = Self.allCases.first(where: { $0.description == description }) else { return nil }
    self = mode
  }
}

extension UpcomingMedia: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(intents)
    writer.write(tag: mode.rawValue)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (intents, tag) = (try reader.readArray(Intent.self), try reader.readTag())
    guard let mode = Mode(rawValue: tag) else { throw reader.corrupt("unknown upcoming media mode: \(tag)") }
    self = try reader.checked { () throws(RequestError) in try UpcomingMedia(intents: intents, mode: mode) }
  }
}
