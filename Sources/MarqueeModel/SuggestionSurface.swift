/// A place outside stacks where suggestions are shown (rule P6).
public enum SuggestionSurface: UInt8, CaseIterable, Sendable {
  case lockScreen = 1
  case search
  case suggestionsWidget
  case watchFace
  /// Suggests people to share with.
  case shareSheet
  /// Suggests media to play next.
  case nowPlaying
  /// Suggests frequent actions to turn into shortcuts.
  case shortcutsGallery
  /// Notifies of reservation errands when they are due (rule S9).
  case notifications
}

extension SuggestionSurface: LosslessStringConvertible {
  /// The name used in commands and scenarios, such as `lock-screen`.
  public var description: String {
    switch self {
    case .lockScreen: "lock-screen"
    case .search: "search"
    case .suggestionsWidget: "suggestions-widget"
    case .watchFace: "watch-face"
    case .shareSheet: "share-sheet"
    case .nowPlaying: "now-playing"
    case .shortcutsGallery: "shortcuts-gallery"
    case .notifications: "notifications"
    }
  }

  /// Creates a surface from its name, or returns `nil`.
  public init?(_ description: String) {
    guard let surface = Self.allCases.first(where: { $0.description == description }) else { return nil }
    self = surface
  }
}

/// The user's reaction to a suggestion on a surface (rule R11).
public enum SuggestionOutcome: UInt8, CaseIterable, Sendable {
  /// The surface showed the suggestion. This alone counts for nothing; the next outcome counts once.
  case shown = 1
  /// The user acted on the suggestion.
  case acted
  /// The user dismissed the suggestion.
  case dismissed
}

extension SuggestionOutcome: LosslessStringConvertible {
  /// The name used in commands and scenarios, such as `acted`.
  public var description: String {
    switch self {
    case .shown: "shown"
    case .acted: "acted"
    case .dismissed: "dismissed"
    }
  }

  /// Creates an outcome from its name, or returns `nil`.
  public init?(_ description: String) {
    guard let outcome = Self.allCases.first(where: { $0.description == description }) else { return nil }
    self = outcome
  }
}

/// The identifier of a suggestion, unique on its device: 128 bits that do not reveal the subject.
///
/// The same subject has the same identifier on every surface and at any time.
public struct SuggestionID: Hashable, Sendable {
  /// The numeric value.
  public let number: UInt128

  /// Creates an identifier from its numeric value.
  public init(number: UInt128) {
    self.number = number
  }
}

extension SuggestionID: LosslessStringConvertible {
  /// 32 hexadecimal digits, lowercase.
  public var description: String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// Creates an identifier from its ``description``, or returns `nil`.
  public init?(_ description: String) {
    guard description.utf8.count == 32, let number = UInt128(description, radix: 16),
      Self(number: number).description == description
    else { return nil }
    self.init(number: number)
  }
}

extension SuggestionID: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(bits: UInt64(truncatingIfNeeded: number >> 64))
    writer.write(bits: UInt64(truncatingIfNeeded: number))
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (high, low) = (try reader.readBits(), try reader.readBits())
    self.init(number: UInt128(high) << 64 | UInt128(low))
  }
}
