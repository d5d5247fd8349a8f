import MarqueeModel

/// Checks the consecutive timelines of one widget without a device.
///
/// It tracks the state that a device would have if this were its only widget of the kind: the relevance in force and
/// the scores of the last seven days.
public struct TimelineRehearsal: Sendable {
  /// The time for which past scores count towards the kind's highest score.
  public static let scoreMemory = TimeSpan.days(7)

  /// Entries that have not been reached.
  private var upcoming: ArraySlice<TimelineEntry> = []
  /// The highest positive score of the last timeline, reached or not.
  private var timelineBest = 0.0
  private var inForce: RelevanceInForce?
  /// Whether ``inForce`` has ended.
  private var isOver = false
  /// Past scores in force, with descending scores and ascending ends.
  private var past: [(score: Double, end: Instant)] = []
  private var now = Instant.min

  /// Creates the state of a widget without publications.
  public init() {}

  /// Returns the context at `now`, before a publication.
  ///
  /// - Precondition: `now` is not before the last publication.
  public mutating func context(at now: Instant) -> LintContext {
    precondition(now >= self.now, "the time precedes the last publication by \(now.span(to: self.now).milliseconds) ms")
    self.now = now
    while let entry = upcoming.first, entry.date <= now {
      upcoming.removeFirst()
      provide(entry, at: entry.date)
    }
    if let end = inForce?.end, end <= now { endRelevance(at: end) }
    past.removeFirst(past.prefix { $0.end.advanced(by: Self.scoreMemory) <= now }.count)
    let current = inForce.map { max(0, $0.effectiveScore(at: now)) } ?? 0
    return LintContext(now: now, inForce: inForce, reference: max(timelineBest, current, past.first?.score ?? 0))
  }

  /// Publishes a timeline at `now` and returns the findings about it.
  ///
  /// - Precondition: `now` is not before the last publication.
  public mutating func publish(_ submitted: SubmittedTimeline, at now: Instant) -> [LintWarning] {
    let context = context(at: now)
    let timeline = submitted.timeline
    let reached = timeline.reachedCount(at: now)
    upcoming = timeline.entries[reached...]
    timelineBest = timeline.entries.reduce(0) { max($0, $1.relevance?.score ?? 0) }
    if let entry = timeline.entries[..<reached].last(where: { $0.relevance != nil }) { provide(entry, at: now) }
    return TimelineLint.warnings(submitted: submitted, context: context)
  }

  /// Sets the relevance that `entry` provides, if any, and remembers the replaced score.
  private mutating func provide(_ entry: TimelineEntry, at now: Instant) {
    guard let provided = entry.relevance else { return }
    let end = provided.duration == .zero ? nil : entry.date.advanced(by: provided.duration)
    endRelevance(at: min(inForce?.end ?? now, now))
    inForce = RelevanceInForce(score: provided.score, start: entry.date, end: end)
    isOver = end.map { $0 <= now } ?? false
  }

  private mutating func endRelevance(at end: Instant) {
    if let inForce, !isOver { remember(inForce.score, until: end) }
    isOver = true
  }

  /// Remembers a score that was in force until `end`, which is not before the ends of remembered scores.
  ///
  /// Earlier scores that it equals or exceeds are dropped, since they can never again be the highest.
  private mutating func remember(_ score: Double, until end: Instant) {
    guard score > 0 else { return }
    while let last = past.last, last.score <= score { past.removeLast() }
    past.append((score, end))
  }
}
