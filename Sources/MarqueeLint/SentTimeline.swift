import MarqueeModel

/// A timeline's entries by date, each with its place in the order sent; of one date only the one sent last (rule T2).
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
    /// How long the score is meant to hold; `nil` until relevance is provided again.
    let window: TimeSpan?
    /// How long after this entry relevance is provided again; `nil` after the last.
    let next: TimeSpan?

    /// Whether the score is positive and ends, on purpose, before the next one begins: then the widget is not
    /// eligible for a while, as if an entry had said 0.
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

  /// Whether there are enough scores to compare, and no gap between them.
  var isScoredThroughout: Bool {
    scored.count >= TimelineLint.scoreCountMin && !scored.contains(where: \.leavesGap)
  }
}
