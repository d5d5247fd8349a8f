import MarqueeModel

/// One widget's timelines played without a device: what each publication finds, as the earlier ones leave it.
///
/// It knows what a device knows whose only widget of that kind this is: the relevance in force (rules T3, T4) and the
/// scores of the last seven days (rule T6).
public struct TimelineRehearsal: Sendable {
  /// How long a score that was in force is remembered.
  public static let scoreMemory = TimeSpan.days(7)

  /// Entries that have not been reached.
  private var upcoming: ArraySlice<TimelineEntry> = []
  /// The highest positive score of the last timeline, reached or not.
  private var timelineBest = 0.0
  private var inForce: RelevanceInForce?
  /// Whether the end of ``inForce`` has passed.
  private var isOver = false
  /// Scores that were in force; they fall and their ends rise.
  private var past: [(score: Double, end: Instant)] = []
  private var now = Instant.min

  /// A widget that nothing has been published for.
  public init() {}

  /// What is known at `now`, before anything is published then.
  ///
  /// - Precondition: `now` is not before the last publication.
  public mutating func context(at now: Instant) -> LintContext {
    precondition(now >= self.now, "time runs backwards by \(now.span(to: self.now).milliseconds) ms")
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

  /// Publishes a timeline at `now`, and gives the findings on it.
  ///
  /// - Precondition: `now` is not before the last publication.
  public mutating func publish(
    submitted entries: [TimelineEntry], policy: TimelineReloadPolicy, at now: Instant
  ) -> [LintWarning] {
    let context = context(at: now)
    let timeline = Timeline(submitted: entries, policy: policy)
    let reached = timeline.reachedCount(at: now)
    upcoming = timeline.entries[reached...]
    timelineBest = timeline.entries.reduce(0) { max($0, $1.relevance?.score ?? 0) }
    if let entry = timeline.entries[..<reached].last(where: { $0.relevance != nil }) { provide(entry, at: now) }
    return TimelineLint.warnings(submitted: entries, policy: policy, context: context)
  }

  /// Sets the relevance that `entry` provides, if it does, and remembers the score that it replaces.
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

  /// Remembers a score that was in force until `end`, which is not before the ends of those remembered.
  ///
  /// An earlier score that it equals or passes can never again be the highest.
  private mutating func remember(_ score: Double, until end: Instant) {
    guard score > 0 else { return }
    while let last = past.last, last.score <= score { past.removeLast() }
    past.append((score, end))
  }
}
