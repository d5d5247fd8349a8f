/// What an app has for the person to play next (rule D7): `INUpcomingMediaManager` on the platform.
public struct UpcomingMedia: Hashable, Sendable {
  /// What is suggested of an app's media: `INUpcomingMediaPredictionMode` on the platform.
  public enum Mode: UInt8, CaseIterable, Sendable {
    /// Listed items, and what the person is used to play.
    case predictive = 1
    /// Listed items alone.
    case onlySuggested
  }

  /// Play-media intents that the person has not played, the app's first choice first.
  public let intents: [Intent]
  /// What is suggested of the app's media.
  public let mode: Mode

  /// A list, or a refusal of an intent of another type or one that comes twice.
  public init(intents: [Intent], mode: Mode = .predictive) throws(Refusal) {
    var seen: Set<Intent> = []
    for (index, intent) in intents.enumerated() {
      guard intent.type == .playMedia else {
        throw Refusal(
          .invalidArgument, field: "intents[\(index)]", "an intent \(intent.type), not \(IntentType.playMedia)")
      }
      guard seen.insert(intent).inserted else {
        throw Refusal(.invalidArgument, field: "intents[\(index)]", "the intent comes twice")
      }
    }
    self.intents = intents
    self.mode = mode
  }
}

extension UpcomingMedia.Mode: LosslessStringConvertible {
  /// The name as commands and scenarios spell it, such as `only-suggested`.
  public var description: String {
    switch self {
    case .predictive: "predictive"
    case .onlySuggested: "only-suggested"
    }
  }

  /// The mode of that name, or `nil`.
  public init?(_ description: String) {
    guard let mode = Self.allCases.first(where: { $0.description == description }) else { return nil }
    self = mode
  }
}

extension UpcomingMedia: ByteCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(intents)
    writer.write(tag: mode.rawValue)
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    let (intents, tag) = (try reader.readArray(Intent.self), try reader.readTag())
    guard let mode = Mode(rawValue: tag) else { throw reader.corrupt("\(tag) is no mode of upcoming media") }
    self = try reader.checked { () throws(Refusal) in try UpcomingMedia(intents: intents, mode: mode) }
  }
}
