import MarqueeModel

/// A timeline's entries sorted by date, each with its index in the order sent. Of entries with equal dates, only the
/// last one sent is kept (rule T2).
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

  init(_ sent: [TimelineEntry], _ policy: TimelineReloadPolicy) {
    self.policy = policy
    var entries: [Entry] = []
    entries.reserveCapacity(sent.count)
    let isSorted = zip(sent, sent.dropFirst()).allSatisfy { $0.date <= $1.date }
    let order = isSorted ? Array(sent.indices) : sent.indices.sorted { (sent[$0].date, $0) < (sent[$1].date, $1) }
    for index in order {
      if entries.last?.date == sent[index].date { entries.removeLast() }
      entries.append(Entry(index: index, date: sent[index].date, relevance: sent[index].relevance))
    }
    self.entries = entries
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
