import MarqueeModel

/// What is known of a device before a timeline is published to it: what the findings that depend on it look at.
public struct LintContext: Hashable, Sendable {
  /// When the timeline is published.
  public var now: Instant
  /// The relevance that the widget's last entry to provide one has set, ended or not; `nil` when there was none.
  public var inForce: RelevanceInForce?
  /// The highest positive score that the widget's kind is measured against (rule T6); 0 when there is none.
  public var reference: Double
  /// Reloads that the widget may have in 24 hours (rule T9).
  public var reloadBudget: Int
  /// The least time between two reloads (rule T9).
  public var reloadSpacing: TimeSpan

  /// A context. Where nothing else is known, nothing has been published, and the budget is that of a widget which is
  /// often at the front.
  ///
  /// - Precondition: `reference` and `reloadBudget` are not negative.
  public init(
    now: Instant, inForce: RelevanceInForce? = nil, reference: Double = 0, reloadBudget: Int = 70,
    reloadSpacing: TimeSpan = .minutes(5)
  ) {
    precondition(reference >= 0 && reloadBudget >= 0, "a reference of \(reference), a budget of \(reloadBudget)")
    self.now = now
    self.inForce = inForce
    self.reference = reference
    self.reloadBudget = reloadBudget
    self.reloadSpacing = reloadSpacing
  }
}
