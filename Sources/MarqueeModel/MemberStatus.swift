/// The relevance set by the last entry that provided one (rule T3).
public struct RelevanceInForce: Hashable, Sendable {
  /// The score that the entry provided.
  public let score: Double
  /// The date of the entry.
  public let start: Instant
  /// When the score expires; `nil` if it stays in force until an entry provides relevance again.
  public let end: Instant?

  /// Creates a relevance in force.
  public init(score: Double, start: Instant, end: Instant?) {
    self.score = score
    self.start = start
    self.end = end
  }

  /// Returns the effective score at an instant: 0 before ``start`` and once the end has passed.
  public func effectiveScore(at instant: Instant) -> Double {
    if let end, end <= instant { return 0 }
    return start <= instant ? score : 0
  }
}

/// The status of a widget's relevance, as shown to operators.
public struct RelevanceStatus: Hashable, Sendable {
  /// The relevance set by the last entry that provided one.
  public let inForce: RelevanceInForce
  /// The effective score now.
  public let effectiveScore: Double
  /// The highest score of the kind, by which the score is normalized (rule T6); 0 if no score is positive.
  public let reference: Double

  /// Creates a status.
  public init(inForce: RelevanceInForce, effectiveScore: Double, reference: Double) {
    self.inForce = inForce
    self.effectiveScore = effectiveScore
    self.reference = reference
  }
}

/// The status of the timeline reloads of a widget's instance (rules T8, T9).
public struct ReloadStatus: Hashable, Sendable {
  /// The current phase.
  public enum Phase: Hashable, Sendable {
    /// No reload is due.
    case none
    /// A reload request is scheduled for this time.
    case scheduled(Instant)
    /// A reload request is waiting for budget, at least until this time.
    case waiting(until: Instant)
    /// A reload was requested at this time, and the provider has not answered yet.
    case requested(Instant)
  }

  /// The number of requests in the last 24 hours that count against the budget.
  public let countedCount: Int
  /// The number of requests currently allowed in 24 hours.
  public let budget: Int
  /// The current phase.
  public let phase: Phase
  /// The reason of the request; `nil` if no reload is due.
  public let reason: ReloadRequest.Reason?

  /// Creates a status.
  public init(countedCount: Int, budget: Int, phase: Phase, reason: ReloadRequest.Reason?) {
    self.countedCount = countedCount
    self.budget = budget
    self.phase = phase
    self.reason = reason
  }
}

/// The status of a stack's member, as shown to operators.
public struct MemberStatus: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// Its relevance; `nil` until an entry provides one.
  public let relevance: RelevanceStatus?
  /// The current entry.
  public let current: TimelineEntry?
  /// When the current entry expires or has expired; `nil` if it has no expiry or is replaced by then (rule W4).
  public let expiry: Instant?
  /// The number of entries of its timeline; `nil` without a timeline.
  public let entryCount: Int?
  /// The number of entries whose date has been reached.
  public let reachedCount: Int
  /// The status of its reloads.
  public let reload: ReloadStatus

  /// Creates a status.
  public init(
    widget: Widget, relevance: RelevanceStatus?, current: TimelineEntry?, expiry: Instant?, entryCount: Int?,
    reachedCount: Int, reload: ReloadStatus
  ) {
    self.widget = widget
    self.relevance = relevance
    self.current = current
    self.expiry = expiry
    self.entryCount = entryCount
    self.reachedCount = reachedCount
    self.reload = reload
  }
}
