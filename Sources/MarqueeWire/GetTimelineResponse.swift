internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A widget's stored timeline in a family without content, or its current entry with content.
public struct GetTimelineResponse: Hashable, Sendable {
  /// When the response was computed.
  public let at: Instant
  /// The family of the widget's instance: that of the request, or else the one that the server chose. The timeline's
  /// own family is `nil` if its content is made for every family.
  public let family: WidgetFamily
  /// The timeline, without contents and links, or with the current entry and its content, the next entry only, and the
  /// fallback; `nil` if there is none.
  public let timeline: Timeline?
  /// The relevance in force, possibly from an earlier timeline (rule T4).
  public let relevance: RelevanceStatus?
  /// The device's time zone.
  public let timeZone: TimeZoneID
  /// When the timeline was published; `nil` without a timeline.
  public let publishedAt: Instant?
  /// The timelines of the requested period, oldest first; each span begins when the previous one ends.
  public let spans: [TimelineSpan]

  /// Creates a response, dropping contents and links or, with `includesContent`, all entries but the current one,
  /// which keeps its content, and the next one.
  public init(
    at: Instant, family: WidgetFamily, timeline: Timeline?, includesContent: Bool = false, relevance: RelevanceStatus?,
    timeZone: TimeZoneID, publishedAt: Instant? = nil, spans: [TimelineSpan] = []
  ) {
    self.init(
      at: at, family: family,
      exactly: timeline.map { includesContent ? $0.current(at: at) : $0.withoutContent }, relevance: relevance,
      timeZone: timeZone, publishedAt: publishedAt, spans: spans)
  }

  private init(
    at: Instant, family: WidgetFamily, exactly timeline: Timeline?, relevance: RelevanceStatus?, timeZone: TimeZoneID,
    publishedAt: Instant?, spans: [TimelineSpan]
  ) {
    self.at = at
    self.family = family
    self.timeline = timeline
    self.relevance = relevance
    self.timeZone = timeZone
    self.publishedAt = publishedAt
    self.spans = spans
  }
}

extension Timeline {
  fileprivate var withoutContent: Timeline {
    Timeline(
      submitted: entries.map(\.withoutContent), policy: policy, family: family,
      fallback: fallback.map { _ in .empty }, group: group)
  }

  /// Returns the timeline with the current entry, and the next one without its content, only.
  fileprivate func current(at instant: Instant) -> Timeline {
    let count = reachedCount(at: instant)
    let next = entries[count...].prefix(1).map(\.withoutContent)
    return Timeline(
      submitted: Array(entries[..<count].suffix(1)) + next, policy: policy, family: family, fallback: fallback,
      group: group)
  }
}

extension GetTimelineResponse: WireValue {
  init(_ message: Marquee__V1__GetTimelineResponse) throws(RequestError) {
    let hasTimeline = message.has_timeline != 0
    let hasPublished =
      message.maybe_published_case == MARQUEE__V1__GET_TIMELINE_RESPONSE__MAYBE_PUBLISHED_PUBLISHED_MS
    self.init(
      at: try Field.instant(message.at_ms, "at_ms"),
      family: try WidgetFamily(message.instance_family, "instance_family"),
      exactly: hasTimeline
        ? Timeline(
          submitted: try Field.array(message.n_entries, message.entries, "entries"),
          policy: try Field.required(message.policy, "policy"),
          family: message.family.rawValue == 0 ? nil : try WidgetFamily(message.family, "family"),
          fallback: try Field.optional(message.fallback, "fallback"),
          group: try Field.identifierIfPresent(message.group, "group"))
        : nil,
      relevance: try Field.optional(message.relevance, "relevance"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"),
      publishedAt: hasPublished ? try Field.instant(message.published_ms, "published_ms") : nil,
      spans: try Field.array(message.n_spans, message.spans, "spans"))
  }

  func fill(_ message: inout Marquee__V1__GetTimelineResponse, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    message.instance_family = Marquee__V1__WidgetFamily(family)
    if let timeline {
      message.has_timeline = 1
      (message.n_entries, message.entries) = scratch.array(timeline.entries)
      message.policy = scratch.message(timeline.policy)
      if let family = timeline.family { message.family = Marquee__V1__WidgetFamily(family) }
      message.fallback = scratch.message(timeline.fallback)
      if let group = timeline.group { message.group = scratch.text(group) }
    }
    message.relevance = scratch.message(relevance)
    message.time_zone = scratch.text(timeZone)
    if let publishedAt {
      message.maybe_published_case = MARQUEE__V1__GET_TIMELINE_RESPONSE__MAYBE_PUBLISHED_PUBLISHED_MS
      message.published_ms = publishedAt.milliseconds
    }
    (message.n_spans, message.spans) = scratch.array(spans)
  }
}
