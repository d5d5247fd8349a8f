internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A widget's stored timeline, without content.
public struct GetTimelineResponse: Hashable, Sendable {
  /// When the response was computed.
  public let at: Instant
  /// The timeline, without the entries' content; `nil` if there is none.
  public let timeline: Timeline?
  /// The relevance in force, possibly from an earlier timeline (rule T4).
  public let relevance: RelevanceStatus?
  /// The device's time zone.
  public let timeZone: TimeZoneID

  /// Creates a response, dropping the entries' content.
  public init(at: Instant, timeline: Timeline?, relevance: RelevanceStatus?, timeZone: TimeZoneID) {
    self.at = at
    self.timeline = timeline.map { timeline in
      Timeline(
        submitted: timeline.entries.map { TimelineEntry(date: $0.date, relevance: $0.relevance) },
        policy: timeline.policy)
    }
    self.relevance = relevance
    self.timeZone = timeZone
  }
}

extension GetTimelineResponse: WireValue {
  init(_ message: Marquee__V1__GetTimelineResponse) throws(RequestError) {
    let hasTimeline = message.has_timeline != 0
    self.init(
      at: try Field.instant(message.at_ms, "at_ms"),
      timeline: hasTimeline
        ? Timeline(
          submitted: try Field.array(message.n_entries, message.entries, "entries"),
          policy: try Field.required(message.policy, "policy"))
        : nil,
      relevance: try Field.optional(message.relevance, "relevance"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"))
  }

  func fill(_ message: inout Marquee__V1__GetTimelineResponse, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    if let timeline {
      message.has_timeline = 1
      (message.n_entries, message.entries) = scratch.array(timeline.entries)
      message.policy = scratch.message(timeline.policy)
    }
    message.relevance = scratch.message(relevance)
    message.time_zone = scratch.text(timeZone)
  }
}
