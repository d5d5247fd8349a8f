import MarqueeModel

/// The state of a device before a timeline is published, as far as findings depend on it.
public struct LintContext: Hashable, Sendable {
  /// The instant of publication.
  public var now: Instant
  /// The relevance set by the widget's last entry that provided one, ended or not, or `nil` if there was none.
  public var inForce: RelevanceInForce?
  /// The highest positive score to which scores of the widget's kind are relative, or 0 if there is none.
  public var reference: Double
  /// The widget's reload budget per 24 hours.
  public var reloadBudget: Int
  /// The minimum time between two reloads.
  public var reloadSpacing: TimeSpan

  /// Creates a context. By default, nothing has been published, and the budget is that of a widget that is often in
  /// front.
  ///
  /// - Precondition: `reference` and `reloadBudget` are not negative.
  public init(
    now: Instant, inForce: RelevanceInForce? = nil, reference: Double = 0, reloadBudget: Int = 70,
    reloadSpacing: TimeSpan = .minutes(5)
  ) {
    precondition(
      reference >= 0 && reloadBudget >= 0, "negative argument: reference \(reference), reloadBudget \(reloadBudget)")
    self.now = now
    self.inForce = inForce
    self.reference = reference
    self.reloadBudget = reloadBudget
    self.reloadSpacing = reloadSpacing
  }
}
