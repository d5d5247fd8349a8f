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
      throw RequestError(.invalidArgument, field: "duration_ms", "\(duration.milliseconds) ms is negative")
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
}

/// An entry of a timeline: the content that a widget shows from a date on, and its relevance.
public struct TimelineEntry: Hashable, Sendable {
  /// When the entry becomes current.
  public let date: Instant
  /// The relevance that comes into force at the date; `nil` to keep the previous one (rule T3).
  public let relevance: TimelineEntryRelevance?
  /// The content.
  public let content: EntryContent

  /// Creates an entry.
  public init(date: Instant, relevance: TimelineEntryRelevance? = nil, content: EntryContent = .empty) {
    self.date = date
    self.relevance = relevance
    self.content = content
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

/// A widget's timeline: entries in strictly ascending order of dates, a reload policy, and a family.
public struct Timeline: Hashable, Sendable {
  /// The entries, in strictly ascending order of dates.
  public let entries: [TimelineEntry]
  /// When the engine requests the next timeline.
  public let policy: TimelineReloadPolicy
  /// The family that the content is made for, or `nil` for every family of the kind (rule W1).
  public let family: WidgetFamily?

  /// The total size of the entries' contents and media types, in bytes.
  public let contentSize: Int

  /// Creates a timeline from entries in any order, as ``SubmittedTimeline`` does.
  public init(submitted: [TimelineEntry], policy: TimelineReloadPolicy, family: WidgetFamily? = nil) {
    self = SubmittedTimeline(submitted, policy: policy, family: family).timeline
  }

  /// Creates a timeline from entries in strictly ascending order of dates.
  init(sorted entries: [TimelineEntry], policy: TimelineReloadPolicy, family: WidgetFamily? = nil) {
    var size = 0
    for index in entries.indices {
      size += entries[index].content.bytes.count + entries[index].content.mediaType.utf8.count
    }
    self.entries = entries
    self.policy = policy
    self.family = family
    contentSize = size
  }

  private init(_ other: Timeline, family: WidgetFamily?) {
    (entries, policy, contentSize) = (other.entries, other.policy, other.contentSize)
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
}
