/// The parts of a timeline entry that few entries have.
public struct EntryDetails: Hashable, Sendable {
  /// No expiry, not private, and no link.
  public static let none = EntryDetails()

  /// When the entry expires if it is still current; `nil` if it never does (rule W4).
  public let expiry: Instant?
  /// Whether the content may be read by others.
  public let sensitivity: EntrySensitivity
  /// The URL that the app opens when the user taps the widget; `nil` to open the app only. Private if the entry is.
  public let link: EntryLink?

  /// Creates details.
  public init(expiry: Instant? = nil, sensitivity: EntrySensitivity = .none, link: EntryLink? = nil) {
    self.expiry = expiry
    self.sensitivity = sensitivity
    self.link = link
  }

  /// Whether screens that others can read do not show the content (rule W5).
  public var isPrivate: Bool { sensitivity != .none }

  /// The content that such screens show in place of a private one.
  public var redacted: EntryContent? { if case .isPrivate(let redacted) = sensitivity { redacted } else { nil } }
}

/// Whether others may read the content of an entry (rule W5).
public enum EntrySensitivity: Hashable, Sendable {
  /// Every screen shows the content.
  case none
  /// Screens that others can read show the redacted content or, without one, none.
  case isPrivate(EntryContent?)
}
