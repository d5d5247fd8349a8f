/// The number of steps that the recurrences of a calendar can take: the limit `feed-step-count-max`.
struct StepBudget {
  /// The maximum number of steps, besides those of one rule.
  let countMax: Int
  private var spentCount = 0

  /// Creates a budget of which nothing is spent.
  init(_ countMax: Int) {
    self.countMax = countMax
  }

  /// Spends the steps of a rule.
  mutating func spend(_ count: Int) { spentCount += count }

  /// Verifies that a rule can take another step.
  ///
  /// - Parameter count: The steps that the rule has taken, which are not spent yet.
  /// - Throws: ``FeedError`` if the budget is exceeded.
  func check(after count: Int) throws(FeedError) {
    guard spentCount + count <= countMax else {
      throw FeedError(.limitExceeded, "the recurrence rules have too many steps (feed-step-count-max: \(countMax))")
    }
  }
}
