/// The relevance of a widget from an entry's date on (WWDC21 10049, rule T3).
public struct TimelineEntryRelevance: Hashable, Sendable {
  /// The finite score. Positive scores make the widget eligible for rotation, relative to its kind's other scores
  /// (rules T5, T6).
  public let score: Double
  /// How long the score stays in force from the entry's date; zero: until an entry provides relevance again.
  public let duration: TimeSpan

  /// Creates a relevance.
  ///
  /// - Throws: ``RequestError`` if the score is not finite or the duration is negative (rule T7).
  public init(score: Double, duration: TimeSpan = .zero) throws(RequestError) {
    guard score.isFinite else { throw RequestError(.invalidArgument, field: "score", "\(score) is not finite") }
    guard duration >= .zero else {
      throw RequestError(.invalidArgument, field: "duration_ms", "-\(duration.words) is negative")
    }
    self.score = score
    self.duration = duration
  }
}

/// An entry's content: opaque bytes for displays (rule T10).
public struct EntryContent: Hashable, Sendable {
  /// The maximum size of a media type, in bytes.
  public static let mediaTypeSizeMax = 255

  /// A media type, such as `application/json`; may be empty.
  public let mediaType: String
  /// The content, forwarded to displays unchanged.
  public let bytes: [UInt8]

  /// Empty content.
  public static let empty = EntryContent(unchecked: "", bytes: [])

  /// Creates content.
  ///
  /// - Throws: ``RequestError`` if the media type is too long.
  public init(mediaType: String, bytes: [UInt8]) throws(RequestError) {
    guard mediaType.utf8.count <= Self.mediaTypeSizeMax else {
      throw RequestError(
        .invalidArgument, field: "media_type",
        "media type of \(mediaType.utf8.count) bytes exceeds media-type-size-max (\(Self.mediaTypeSizeMax))")
    }
    self.init(unchecked: mediaType, bytes: bytes)
  }

  private init(unchecked mediaType: String, bytes: [UInt8]) {
    self.mediaType = mediaType
    self.bytes = bytes
  }

  /// The size of the content with its media type, in bytes.
  public var storedSize: Int { bytes.count + mediaType.utf8.count }
}

/// An entry of a timeline: the content that a widget shows from a date on, and its relevance.
public struct TimelineEntry: Hashable, Sendable {
  /// When the entry becomes current.
  public let date: Instant
  /// The relevance that comes into force at the date; `nil` to keep the previous one (rule T3).
  public let relevance: TimelineEntryRelevance?
  /// The content.
  public let content: EntryContent
  private let storage: DetailsStorage

  /// Details in memory of their own, because most entries have none.
  private enum DetailsStorage: Hashable {
    case none
    indirect case details(EntryDetails)

    init(_ details: EntryDetails) { self = details == .none ? .none : .details(details) }
  }

  /// Creates an entry without details.
  public init(date: Instant, relevance: TimelineEntryRelevance? = nil, content: EntryContent = .empty) {
    self.date = date
    self.relevance = relevance
    self.content = content
    storage = .none
  }

  /// Creates an entry.
  ///
  /// - Throws: ``RequestError`` if the entry expires before its date or at it (rule W4).
  public init(
    date: Instant, relevance: TimelineEntryRelevance? = nil, content: EntryContent = .empty, details: EntryDetails
  ) throws(RequestError) {
    if let expiry = details.expiry, expiry <= date {
      throw RequestError(.invalidArgument, field: "expiry_ms", "the expiry is not after the entry's date")
    }
    self.init(date: date, relevance: relevance, content: content, checked: details)
  }

  private init(date: Instant, relevance: TimelineEntryRelevance?, content: EntryContent, checked: EntryDetails) {
    self.date = date
    self.relevance = relevance
    self.content = content
    storage = DetailsStorage(checked)
  }

  /// The expiry, sensitivity and link; ``EntryDetails/none`` for most entries.
  public var details: EntryDetails {
    switch storage {
    case .none: .none
    case .details(let details): details
    }
  }

  /// Whether the entry has details.
  public var hasDetails: Bool { if case .none = storage { false } else { true } }

  /// When the entry expires if it is still current; `nil` if it never does (rule W4).
  public var expiry: Instant? { if case .details(let details) = storage { details.expiry } else { nil } }

  /// The size of the content and of its redacted form, in bytes.
  public var contentSize: Int {
    guard case .details(let details) = storage else { return content.bytes.count }
    return content.bytes.count + (details.redacted?.bytes.count ?? 0)
  }

  /// The size of the contents with their media types and of the link, in bytes.
  public var storedContentSize: Int {
    guard case .details(let details) = storage else { return content.storedSize }
    return content.storedSize + (details.redacted?.storedSize ?? 0) + (details.link?.text.utf8.count ?? 0)
  }

  /// The entry without contents and link.
  public var withoutContent: TimelineEntry {
    TimelineEntry(
      date: date, relevance: relevance, content: .empty,
      checked: EntryDetails(expiry: details.expiry, sensitivity: details.isPrivate ? .isPrivate(nil) : .none))
  }

  /// The entry for screens that others can read: without the content and the link if it is private, but with the
  /// redacted content, if any (rule W5).
  public var redacted: TimelineEntry {
    guard case .details(let details) = storage, details.isPrivate else { return self }
    return TimelineEntry(
      date: date, relevance: relevance, content: details.redacted ?? .empty,
      checked: EntryDetails(expiry: details.expiry, sensitivity: .isPrivate(nil)))
  }

  /// Returns the entry with a timeline's fallback as its content, which is never private and has no link (rule W4).
  public func fallenBack(to fallback: EntryContent) -> TimelineEntry {
    TimelineEntry(
      date: date, relevance: relevance, content: fallback, checked: EntryDetails(expiry: details.expiry))
  }
}

/// When the engine requests the next timeline (rule T8).
public enum TimelineReloadPolicy: Hashable, Sendable {
  /// After the last entry's date.
  case atEnd
  /// At a date, before or after the last entry.
  case after(Instant)
  /// Never at a given time.
  case never
}

/// A widget's timeline: entries in strictly ascending order of dates, a reload policy, a family, a fallback, and a
/// group.
public struct Timeline: Hashable, Sendable {
  /// The entries, in strictly ascending order of dates.
  public let entries: [TimelineEntry]
  /// When the engine requests the next timeline.
  public let policy: TimelineReloadPolicy
  /// The family that the content is made for, or `nil` for every family of the kind (rule W1).
  public let family: WidgetFamily?
  /// The content that replaces that of an expired entry; `nil` to mark the entry as stale instead (rule W4).
  public let fallback: EntryContent?
  /// The group that the widget is in while it has the timeline; `nil` for none (rule R15).
  public let group: GroupName?

  /// The total size of the contents, media types and links, and of the group's name, in bytes.
  public let contentSize: Int

  /// The size of the largest content, in bytes: that of an entry with its redacted form, or the fallback.
  public var largestContentSize: Int {
    var largest = fallback?.bytes.count ?? 0
    for index in entries.indices { largest = max(largest, entries[index].contentSize) }
    return largest
  }

  /// Creates a timeline from entries in any order, as ``SubmittedTimeline`` does.
  public init(
    submitted: [TimelineEntry], policy: TimelineReloadPolicy, family: WidgetFamily? = nil,
    fallback: EntryContent? = nil, group: GroupName? = nil
  ) {
    self = SubmittedTimeline(submitted, policy: policy, family: family, fallback: fallback, group: group).timeline
  }

  /// Creates a timeline from entries in strictly ascending order of dates.
  init(
    sorted entries: [TimelineEntry], policy: TimelineReloadPolicy, family: WidgetFamily?, fallback: EntryContent?,
    group: GroupName?
  ) {
    var size = (fallback?.storedSize ?? 0) + (group?.text.utf8.count ?? 0)
    for index in entries.indices { size += entries[index].storedContentSize }
    self.entries = entries
    self.policy = policy
    self.family = family
    self.fallback = fallback
    self.group = group
    contentSize = size
  }

  private init(_ other: Timeline, family: WidgetFamily?) {
    (entries, policy, contentSize) = (other.entries, other.policy, other.contentSize)
    (fallback, group) = (other.fallback, other.group)
    self.family = family
  }

  /// Returns the timeline with its content made for a family, or for every family of the kind if `nil`.
  public func made(for family: WidgetFamily?) -> Timeline { Timeline(self, family: family) }

  /// Returns the number of entries whose date is not after `instant`.
  public func reachedCount(at instant: Instant) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].date <= instant { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the current entry: the latest whose date is not after `instant` (rule T2).
  public func entry(at instant: Instant) -> TimelineEntry? {
    let count = reachedCount(at: instant)
    return count == 0 ? nil : entries[count - 1]
  }

  /// Returns when the entry at a position expires while it is current (rule W4).
  ///
  /// - Returns: The expiry, or `nil` if the entry has none or the next entry becomes current by then.
  public func expiry(ofEntryAt position: Int) -> Instant? {
    guard let expiry = entries[position].expiry else { return nil }
    let isReplaced = position + 1 < entries.count && entries[position + 1].date <= expiry
    return isReplaced ? nil : expiry
  }

  /// Returns the first expiry of an entry at one of `positions` that is not after `instant` (rule W4).
  public func firstExpiry(in positions: Range<Int>, by instant: Instant) -> Instant? {
    for position in positions {
      if let expiry = expiry(ofEntryAt: position), expiry <= instant { return expiry }
    }
    return nil
  }

  /// Returns the entry that a widget shows when the entry at a position is current, before or after its expiry (W4).
  public func shownEntry(at position: Int, isExpired: Bool) -> ShownEntry {
    guard isExpired else { return ShownEntry(entries[position]) }
    return fallback.map { ShownEntry(entries[position].fallenBack(to: $0)) }
      ?? ShownEntry(entries[position], isStale: true)
  }
}
