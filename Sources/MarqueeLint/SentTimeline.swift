import MarqueeModel

/// A timeline's entries sorted by date, as far as findings depend on them, each with its index in the order sent.
struct SentTimeline {
  struct Entry {
    let index: Int
    let date: Instant
    let relevance: TimelineEntryRelevance?
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

    /// Whether the score is positive and ends explicitly before the next one begins. The widget is then ineligible for
    /// a while, as with an entry that scores 0.
    var leavesGap: Bool {
      guard score > 0, let window, let next else { return false }
      return window >= TimelineLint.windowMin && window < next
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
      return Entry(index: submitted.sentIndex(ofEntryAt: position), date: entry.date, relevance: entry.relevance)
    }
    let providing = entries.filter { $0.relevance != nil }
    scored = providing.indices.compactMap { place in
      let entry = providing[place]
      guard let relevance = entry.relevance else { return nil }
      let next = place + 1 < providing.count ? entry.date.span(to: providing[place + 1].date) : nil
      return Scored(
        index: entry.index, date: entry.date, score: relevance.score,
        window: relevance.duration == .zero ? nil : relevance.duration, next: next)
    }
  }

  /// Whether there are enough scores to compare, without gaps between them.
  var isScoredThroughout: Bool {
    scored.count >= TimelineLint.scoreCountMin && !scored.contains(where: \.leavesGap)
  }
}
