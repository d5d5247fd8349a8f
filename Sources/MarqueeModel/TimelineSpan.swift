/// A span in which the instance of a widget had one timeline, or none.
public struct TimelineSpan: Hashable, Sendable {
  /// When the timeline came into force: its publication, or the beginning of the requested period.
  public let start: Instant
  /// When another timeline replaced it, when it was removed, or the end of the requested period; not before ``start``.
  public let end: Instant
  /// Whether the instance had a timeline.
  public let hasTimeline: Bool
  /// The entries that were current at some instant of the span, in chronological order and without content.
  public let entries: [TimelineEntry]
  /// The relevance at the start, possibly from an earlier timeline (rule T4); `nil` until an entry provides one.
  public let relevance: RelevanceStatus?

  /// Creates a span.
  public init(
    start: Instant, end: Instant, hasTimeline: Bool, entries: [TimelineEntry], relevance: RelevanceStatus?
  ) {
    self.start = start
    self.end = end
    self.hasTimeline = hasTimeline
    self.entries = entries
    self.relevance = relevance
  }
}
