import MarqueeModel

/// A timeline's entries sorted by date, as far as findings depend on them, each with its index in the order sent.
struct SentTimeline {
  struct Entry {
    let index: Int
    let date: Instant
    let relevance: TimelineEntryRelevance?
    /// The entry's expiry, or `nil` if it has none.
    let expiry: Instant?
    /// Whether the entry is still current at its expiry (rule W4).
    let isExpiryEffective: Bool
  }

  /// An entry that provides relevance.
  struct Scored {
    let index: Int
    let date: Instant
    let score: Double
    /// The duration of the score, or `nil` if it lasts until the next relevance.
    let window: TimeSpan?
    /// The time until the next entry that provides relevance, or `nil` for the last.
    let next: TimeSpan?
    /// The time until this or a later entry expires before the next relevance (rule W4), or `nil` if none does.
    let expiry: TimeSpan?

    /// The instant at which the score ends; `nil` if it lasts until a later timeline.
    var end: Instant? { [window, next, expiry].compactMap(\.self).min().map { date.advanced(by: $0) } }

    /// Whether the score is positive and ends explicitly before the next one begins. The widget is then ineligible for
    /// a while, as with an entry that scores 0.
    var leavesGap: Bool {
      guard score > 0, let next, let end = [window, expiry].compactMap(\.self).min() else { return false }
      return end >= TimelineLint.windowMin && end < next
    }
  }

  let entries: [Entry]
  let scored: [Scored]
  let policy: TimelineReloadPolicy

  init(_ submitted: SubmittedTimeline) {
    let timeline = submitted.timeline
    policy = timeline.policy
    entries = timeline.entries.indices.map { position in
      let entry = timeline.entries[position]
      return Entry(
        index: submitted.sentIndex(ofEntryAt: position), date: entry.date, relevance: entry.relevance,
        expiry: entry.expiry, isExpiryEffective: timeline.expiry(ofEntryAt: position) != nil)
    }
    let expiries = entries.compactMap { $0.isExpiryEffective ? $0.expiry : nil }
    let providing = entries.filter { $0.relevance != nil }
    scored = providing.indices.compactMap { place in
      let entry = providing[place]
      guard let relevance = entry.relevance else { return nil }
      let next = place + 1 < providing.count ? providing[place + 1].date : nil
      let expiry = expiries.first { $0 > entry.date }.flatMap { $0 < next ?? .max ? $0 : nil }
      return Scored(
        index: entry.index, date: entry.date, score: relevance.score,
        window: relevance.duration == .zero ? nil : relevance.duration, next: next.map { entry.date.span(to: $0) },
        expiry: expiry.map { entry.date.span(to: $0) })
    }
  }

  /// Whether an expiry ends the score of an earlier timeline (rules T4, W4) if this one is published at `now`: one that
  /// is ahead, or that of the entry current at `now`.
  func endsEarlierScore(at now: Instant) -> Bool {
    let current = entries.lastIndex { $0.date <= now }
    return entries.indices.contains { position in
      let entry = entries[position]
      return entry.isExpiryEffective && (position == current || entry.expiry.map { $0 > now } ?? false)
    }
  }

  /// Whether there are enough scores to compare, without gaps between them.
  var isScoredThroughout: Bool {
    scored.count >= TimelineLint.scoreCountMin && !scored.contains(where: \.leavesGap)
  }
}
