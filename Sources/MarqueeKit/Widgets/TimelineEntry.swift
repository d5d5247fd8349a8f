// WidgetKit re-exports Foundation, and so does this module.
@_exported public import Foundation
import MarqueeModel

/// A widget's state from a date on.
public protocol TimelineEntry {
  /// The date at which the entry becomes current.
  var date: Date { get }
  /// The relevance of the widget from the entry's date on. `nil`, the default, keeps the relevance in force.
  var relevance: TimelineEntryRelevance? { get }
  /// The entry's expiry, sensitivity and URL. By default, it has none of them.
  var entryDetails: TimelineEntryDetails<Self> { get }
}

extension TimelineEntry {
  public var relevance: TimelineEntryRelevance? { nil }
  public var entryDetails: TimelineEntryDetails<Self> { TimelineEntryDetails() }
}

/// The parts of a timeline entry that few entries have: an expiry, privacy sensitivity and a URL.
public struct TimelineEntryDetails<Entry> {
  /// When the entry expires, after its date, if no later entry is current by then; `nil` for never.
  ///
  /// The widget of an expired entry is not relevant, and shows the fallback of the ``Timeline`` or is marked as stale.
  public var expiry: Date?
  /// Whether locked and shared screens do not show the entry's content and URL.
  public var isPrivacySensitive: Bool
  /// The entry whose content such screens show in place of a sensitive one; `nil` for no content.
  public var redacted: Entry?
  /// The absolute URL that the app opens when the user taps the widget; `nil` to open the app only.
  public var widgetURL: URL?

  /// Creates details.
  public init(
    expiry: Date? = nil, isPrivacySensitive: Bool = false, redacted: Entry? = nil, widgetURL: URL? = nil
  ) {
    self.expiry = expiry
    self.isPrivacySensitive = isPrivacySensitive
    self.redacted = redacted
    self.widgetURL = widgetURL
  }
}

extension TimelineEntryDetails: Sendable where Entry: Sendable {}

/// The relevance of a widget at an entry, relative to the other scores of its kind.
///
/// A higher score makes the Smart Stack more likely to rotate to the widget.
public struct TimelineEntryRelevance: Codable, Hashable, Sendable {
  /// The score. A widget with a positive score is eligible for rotation; non-finite scores are rejected when published.
  public let score: Float
  /// The time in seconds for which the score applies from the entry's date. 0 applies it until an entry provides
  /// relevance again.
  public let duration: TimeInterval

  /// Creates a relevance.
  public init(score: Float, duration: TimeInterval = 0) {
    self.score = score
    self.duration = duration
  }
}

extension MarqueeModel.TimelineEntryRelevance {
  init(_ relevance: TimelineEntryRelevance) throws(RequestError) {
    guard let duration = TimeSpan(seconds: relevance.duration) else {
      throw RequestError(.invalidArgument, field: "duration", "\(relevance.duration) s is not a valid duration")
    }
    try self.init(score: Double(relevance.score), duration: duration)
  }
}

/// A widget's timeline entries and reload policy.
public struct Timeline<EntryType: TimelineEntry> {
  /// The entries, in any order. Of several entries with the same date, the last one is used.
  public let entries: [EntryType]
  /// The reload policy.
  public let policy: TimelineReloadPolicy
  /// The entry whose content replaces that of an expired entry on every screen; `nil` to mark the expired entry as
  /// stale.
  ///
  /// Only the content is used. Of a sensitive fallback, it is the redacted entry's, or empty without one.
  public let fallback: EntryType?
  /// The group that the widget is in while it has the timeline; `nil` for none.
  public let group: WidgetRelevanceGroup?

  /// Creates a timeline.
  public init(
    entries: [EntryType], policy: TimelineReloadPolicy, fallback: EntryType? = nil, group: WidgetRelevanceGroup? = nil
  ) {
    self.entries = entries
    self.policy = policy
    self.fallback = fallback
    self.group = group
  }
}

extension Timeline: Sendable where EntryType: Sendable {}

/// The time at which a provider wants to provide the next timeline.
public struct TimelineReloadPolicy: Hashable, Sendable {
  fileprivate enum Choice: Hashable {
    case atEnd
    case never
    case after(Date)
  }

  fileprivate let choice: Choice

  /// Reload after the date of the last entry.
  public static let atEnd = TimelineReloadPolicy(choice: .atEnd)

  /// Do not reload until the app requests it.
  public static let never = TimelineReloadPolicy(choice: .never)

  /// Reload at a date, which may be before or after the last entry.
  public static func after(_ date: Date) -> TimelineReloadPolicy { TimelineReloadPolicy(choice: .after(date)) }
}

extension MarqueeModel.TimelineReloadPolicy {
  init(_ policy: TimelineReloadPolicy) throws(RequestError) {
    switch policy.choice {
    case .atEnd: self = .atEnd
    case .never: self = .never
    case .after(let date): self = .after(try Instant(date, field: "policy"))
    }
  }
}
