/// A place that asks what to suggest to the person (rule P6).
public enum SuggestionSurface: UInt8, CaseIterable, Sendable {
  case lockScreen = 1
  case search
  case suggestionsWidget
  case watchFace
  /// Lists people to share with.
  case shareSheet
  /// Lists what to play next.
  case nowPlaying
  /// Lists what the person does often enough to make a shortcut of it.
  case shortcutsGallery
}

extension SuggestionSurface: LosslessStringConvertible {
  /// The name as commands and scenarios spell it, such as `lock-screen`.
  public var description: String {
    switch self {
    case .lockScreen: "lock-screen"
    case .search: "search"
    case .suggestionsWidget: "suggestions-widget"
    case .watchFace: "watch-face"
    case .shareSheet: "share-sheet"
    case .nowPlaying: "now-playing"
    case .shortcutsGallery: "shortcuts-gallery"
    }
  }

  /// The surface of that name, or `nil`.
  public init?(_ description: String) {
    guard let surface = Self.allCases.first(where: { $0.description == description }) else { return nil }
    self = surface
  }
}

/// What the person did with something that a surface suggested (rule R11).
public enum SuggestionOutcome: UInt8, CaseIterable, Sendable {
  /// The surface showed it. Nothing is counted for that alone; whatever comes next is, once.
  case shown = 1
  /// The person took it up.
  case acted
  /// The person waved it off.
  case dismissed
}

extension SuggestionOutcome: LosslessStringConvertible {
  /// The name as commands and scenarios spell it, such as `acted`.
  public var description: String {
    switch self {
    case .shown: "shown"
    case .acted: "acted"
    case .dismissed: "dismissed"
    }
  }

  /// The outcome of that name, or `nil`.
  public init?(_ description: String) {
    guard let outcome = Self.allCases.first(where: { $0.description == description }) else { return nil }
    self = outcome
  }
}

/// Tells one thing that may be suggested from all others on its device: 128 bits that say nothing of what it is about.
/// The same thing has the same name on every surface and at every time.
public struct SuggestionID: Hashable, Sendable {
  /// The name as a number.
  public let number: UInt128

  /// The name of that number.
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

  /// The name that ``description`` spells.
  public init?(_ description: String) {
    guard description.utf8.count == 32, let number = UInt128(description, radix: 16),
      Self(number: number).description == description
    else { return nil }
    self.init(number: number)
  }
}

extension SuggestionID: ByteCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(bits: UInt64(truncatingIfNeeded: number >> 64))
    writer.write(bits: UInt64(truncatingIfNeeded: number))
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    let (high, low) = (try reader.readBits(), try reader.readBits())
    self.init(number: UInt128(high) << 64 | UInt128(low))
  }
}
