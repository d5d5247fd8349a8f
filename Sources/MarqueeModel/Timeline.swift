/// How worthy of a rotation a widget is from an entry's date on (WWDC21 10049, rule T3).
public struct TimelineEntryRelevance: Hashable, Sendable {
  /// Finite; positive scores make the widget eligible, relative to its kind's other scores (rules T5, T6).
  public let score: Double
  /// How long the score holds from the entry's date; zero holds it until an entry provides relevance again.
  public let duration: TimeSpan

  /// A relevance, or a refusal of a score that is not finite or a negative duration (rule T7).
  public init(score: Double, duration: TimeSpan = .zero) throws(Refusal) {
    guard score.isFinite else { throw Refusal(.invalidArgument, field: "score", "\(score) is not finite") }
    guard duration >= .zero else {
      throw Refusal(.invalidArgument, field: "duration_ms", "\(duration.milliseconds) ms is negative")
    }
    self.score = score
    self.duration = duration
  }
}

/// What a widget shows: bytes that only the provider and the display understand (rule T10).
public struct EntryContent: Hashable, Sendable {
  /// Bytes in a media type, at most.
  public static let mediaTypeSizeMax = 255

  /// A media type, such as `application/json`; may be empty.
  public let mediaType: String
  /// The content, handed to displays unchanged.
  public let bytes: [UInt8]

  /// No content.
  public static let empty = EntryContent(unchecked: "", bytes: [])

  /// Content of that type, or a refusal of a media type that is too long.
  public init(mediaType: String, bytes: [UInt8]) throws(Refusal) {
    guard mediaType.utf8.count <= Self.mediaTypeSizeMax else {
      throw Refusal(
        .invalidArgument, field: "media_type",
        "media-type-size-max is \(Self.mediaTypeSizeMax), this one has \(mediaType.utf8.count) bytes")
    }
    self.init(unchecked: mediaType, bytes: bytes)
  }

  private init(unchecked mediaType: String, bytes: [UInt8]) {
    self.mediaType = mediaType
    self.bytes = bytes
  }
}

/// What a widget shows from a date on, and how relevant that is.
public struct TimelineEntry: Hashable, Sendable {
  /// When the entry becomes current.
  public let date: Instant
  /// The relevance that reaching the entry sets, or `nil` to leave what is in force (rule T3).
  public let relevance: TimelineEntryRelevance?
  /// What to show.
  public let content: EntryContent

  /// An entry.
  public init(date: Instant, relevance: TimelineEntryRelevance? = nil, content: EntryContent = .empty) {
    self.date = date
    self.relevance = relevance
    self.content = content
  }
}

/// When a provider wants to be asked for the next timeline (rule T8).
public enum TimelineReloadPolicy: Hashable, Sendable {
  /// Once the last entry's date has passed.
  case atEnd
  /// At that date, before or after the last entry.
  case after(Instant)
  /// Not by the clock.
  case never
}

/// A widget's entries, in strictly rising order of their dates, and when to ask for more.
public struct Timeline: Hashable, Sendable {
  /// The entries; dates rise strictly.
  public let entries: [TimelineEntry]
  /// When the provider wants to be asked for the next timeline.
  public let policy: TimelineReloadPolicy

  /// A timeline of what a provider sent, in whatever order: entries are sorted, and of those with one date the
  /// one sent last stays (rule T2).
  public init(submitted: [TimelineEntry], policy: TimelineReloadPolicy) {
    self.policy = policy
    if zip(submitted, submitted.dropFirst()).allSatisfy({ $0.date < $1.date }) {
      entries = submitted
      return
    }
    var sorted: [TimelineEntry] = []
    sorted.reserveCapacity(submitted.count)
    let order = submitted.indices.sorted { (submitted[$0].date, $0) < (submitted[$1].date, $1) }
    for index in order {
      if sorted.last?.date == submitted[index].date { sorted.removeLast() }
      sorted.append(submitted[index])
    }
    entries = sorted
  }

  /// The number of entries whose date is not after `instant`.
  public func reachedCount(at instant: Instant) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].date <= instant { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The current entry: the latest whose date is not after `instant` (rule T2).
  public func entry(at instant: Instant) -> TimelineEntry? {
    let count = reachedCount(at: instant)
    return count == 0 ? nil : entries[count - 1]
  }
}
