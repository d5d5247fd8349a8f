/// The relevance that the last entry to provide one has set (rule T3).
public struct RelevanceInForce: Hashable, Sendable {
  /// The score that the entry provided.
  public let score: Double
  /// The date of the entry.
  public let start: Instant
  /// When the score stops counting; `nil` when it holds until an entry provides relevance again.
  public let end: Instant?

  /// A relevance in force.
  public init(score: Double, start: Instant, end: Instant?) {
    self.score = score
    self.start = start
    self.end = end
  }

  /// The score that counts at `instant`, not before ``start``: 0 once the end has passed.
  public func effectiveScore(at instant: Instant) -> Double {
    if let end, end <= instant { return 0 }
    return start <= instant ? score : 0
  }
}

/// A relevance in force as an operator sees it.
public struct RelevanceReading: Hashable, Sendable {
  /// What the last entry to provide relevance has set.
  public let inForce: RelevanceInForce
  /// The score that counts now.
  public let effectiveScore: Double
  /// The highest score of the kind, which it is measured against (rule T6); 0 when no score is positive.
  public let reference: Double

  /// A reading.
  public init(inForce: RelevanceInForce, effectiveScore: Double, reference: Double) {
    self.inForce = inForce
    self.effectiveScore = effectiveScore
    self.reference = reference
  }
}

/// Where a widget's reload stands (rules T8, T9).
public struct ReloadReading: Hashable, Sendable {
  /// What is due.
  public enum Phase: Hashable, Sendable {
    /// Nothing.
    case none
    /// A request, then.
    case scheduled(Instant)
    /// A request that waits for budget, at least until then.
    case waiting(until: Instant)
    /// An answer: the request was made then.
    case requested(Instant)
  }

  /// Counted requests in the last 24 hours.
  public let countedCount: Int
  /// How many are allowed at present.
  public let budget: Int
  /// What is due.
  public let phase: Phase
  /// Why, unless nothing is due.
  public let reason: ReloadRequest.Reason?

  /// A reading.
  public init(countedCount: Int, budget: Int, phase: Phase, reason: ReloadRequest.Reason?) {
    self.countedCount = countedCount
    self.budget = budget
    self.phase = phase
    self.reason = reason
  }
}

/// A member of a stack as an operator sees it.
public struct MemberReading: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// Its relevance; `nil` while no entry has provided any.
  public let relevance: RelevanceReading?
  /// The current entry.
  public let current: TimelineEntry?
  /// Entries of its timeline; `nil` without a timeline.
  public let entryCount: Int?
  /// How many of them have been reached.
  public let reachedCount: Int
  /// Its reload.
  public let reload: ReloadReading

  /// A reading.
  public init(
    widget: Widget, relevance: RelevanceReading?, current: TimelineEntry?, entryCount: Int?, reachedCount: Int,
    reload: ReloadReading
  ) {
    self.widget = widget
    self.relevance = relevance
    self.current = current
    self.entryCount = entryCount
    self.reachedCount = reachedCount
    self.reload = reload
  }
}
