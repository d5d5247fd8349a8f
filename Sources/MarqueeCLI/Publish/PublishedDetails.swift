import MarqueeModel

/// The details that all entries of a published timeline get, and its fallback and group.
struct PublishedDetails: Sendable {
  /// How long each entry is valid from its date on; `nil` if it does not expire.
  let lifetime: TimeSpan?
  let sensitivity: EntrySensitivity
  let link: EntryLink?
  let fallback: EntryContent?
  let group: GroupName?

  /// Returns the timeline with these details.
  func applied(to timeline: Timeline) throws(RequestError) -> Timeline {
    try applied(to: SubmittedTimeline(timeline)).timeline
  }

  /// Returns the timeline with these details, and its entries in the same order.
  func applied(to submitted: SubmittedTimeline) throws(RequestError) -> SubmittedTimeline {
    let timeline = submitted.timeline
    var entries: [TimelineEntry] = []
    for entry in submitted.entries {
      let details = EntryDetails(
        expiry: lifetime.map { entry.date.advanced(by: $0) }, sensitivity: sensitivity, link: link)
      entries.append(
        try TimelineEntry(date: entry.date, relevance: entry.relevance, content: entry.content, details: details))
    }
    return SubmittedTimeline(
      entries, policy: timeline.policy, family: timeline.family, fallback: fallback, group: group)
  }
}

extension SubmittedTimeline {
  /// Creates a timeline whose entries are sent in the order of their dates.
  init(_ timeline: Timeline) {
    self.init(
      timeline.entries, policy: timeline.policy, family: timeline.family, fallback: timeline.fallback,
      group: timeline.group)
  }
}

extension EntryContent {
  /// Creates content from a text.
  init(plainText text: String) {
    do {
      try self.init(mediaType: "text/plain", bytes: Array(text.utf8))
    } catch {
      preconditionFailure("a fixed media type is invalid: \(error)")
    }
  }
}
