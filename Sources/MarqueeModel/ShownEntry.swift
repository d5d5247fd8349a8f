/// The entry that an instance of a widget shows: the current one or, once that has expired, the timeline's fallback
/// (rule W4).
public struct ShownEntry: Hashable, Sendable {
  /// The current entry; once it has expired, with the fallback as its content, if there is one.
  public let entry: TimelineEntry
  /// Whether the entry has expired and there is no fallback, so that the content is outdated.
  public let isStale: Bool

  /// Creates a shown entry.
  public init(_ entry: TimelineEntry, isStale: Bool = false) {
    self.entry = entry
    self.isStale = isStale
  }

  /// Returns what a screen shows: the redacted form of a private entry if others can read the screen (rule W5).
  public func on(_ screen: ScreenState) -> ShownEntry {
    screen.isReadableByOthers ? ShownEntry(entry.redacted, isStale: isStale) : self
  }
}

/// The state of the screen of a display (rule W5).
public enum ScreenState: UInt8, CaseIterable, Sendable {
  /// Only the user reads the screen.
  case unlocked = 1
  /// The screen is locked: anyone near it can read it.
  case locked
  /// The screen is shared with others, such as in a call, or shown in public.
  case shared

  /// Whether private entries are redacted.
  public var isReadableByOthers: Bool { self != .unlocked }
}

extension ScreenState: CustomStringConvertible {
  /// The state's name, as tools spell it.
  public var description: String {
    switch self {
    case .unlocked: "unlocked"
    case .locked: "locked"
    case .shared: "shared"
    }
  }
}
