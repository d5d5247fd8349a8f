import MarqueeModel

extension TimelineLint {
  static func scoreConstant(_ timeline: SentTimeline) -> Finding? {
    guard timeline.isScoredThroughout, let first = timeline.scored.first,
      timeline.scored.allSatisfy({ $0.score == first.score })
    else { return nil }
    return Finding(
      .scoreConstant, entry: first.index,
      "all \(timeline.scored.count) scores are \(number(first.score)): "
        + "they do not distinguish times of higher relevance",
      [FindingValue("count", timeline.scored.count), FindingValue("score", first.score)])
  }

  static func scoreNeverZero(_ timeline: SentTimeline) -> Finding? {
    guard timeline.isScoredThroughout, let first = timeline.scored.first,
      timeline.scored.allSatisfy({ $0.score > 0 })
    else { return nil }
    return Finding(
      .scoreNeverZero, entry: first.index,
      "all \(timeline.scored.count) scores are positive: use 0 while the widget is not relevant",
      [FindingValue("count", timeline.scored.count)])
  }

  static func scoreNeverCleared(_ timeline: SentTimeline, _ context: LintContext) -> Finding? {
    if let last = timeline.scored.last {
      guard last.score > 0, last.window == nil, last.expiry == nil else { return nil }
      return Finding(
        .scoreNeverCleared, entry: last.index,
        "the score of entry \(last.index) is \(number(last.score)) with duration 0 and no later one: "
          + "it holds until an entry with relevance clears it",
        [FindingValue("entry", last.index), FindingValue("score", last.score)])
    }
    guard !timeline.entries.isEmpty, !timeline.endsEarlierScore(at: context.now),
      let inForce = context.inForce, inForce.end == nil, inForce.effectiveScore(at: context.now) > 0
    else { return nil }
    return Finding(
      .scoreNeverCleared,
      "no entry provides relevance, so that the score in force, \(number(inForce.score)), stays in force indefinitely",
      [FindingValue("score", inForce.score)])
  }

  static func scoreOver(_ timeline: SentTimeline, _ context: LintContext) -> Finding? {
    let positive = timeline.scored.filter { $0.score > 0 }
    let ends = positive.compactMap(\.end)
    guard let last = ends.max(), ends.count == positive.count, last.span(to: context.now) > scoreAgeMin else {
      return nil
    }
    let age = last.span(to: context.now)
    return Finding(
      .scoreOver, entry: positive.last?.index,
      "every positive score had ended \(words(age)) before the publication: the widget is never rotated to; the dates "
        + "may be those of another day",
      [FindingValue("age", age)])
  }

  static func scaleChanged(_ timeline: SentTimeline, _ context: LintContext) -> Finding? {
    guard context.reference > 0, let highest = timeline.scored.map(\.score).max(), highest > 0,
      let first = timeline.scored.first(where: { $0.score == highest })
    else { return nil }
    // Compared by multiplication, which cannot overflow or underflow in the relevant range as a quotient could.
    let isGreater = highest / scaleFactorMax > context.reference
    guard isGreater || context.reference / scaleFactorMax > highest else { return nil }
    return Finding(
      .scaleChanged, entry: first.index,
      "the highest score is \(number(highest)), the kind's so far \(number(context.reference)): scores are relative, "
        + "so that a change by more than \(number(scaleFactorMax)) times reduces the weight of "
        + (isGreater ? "the earlier scores" : "these scores"),
      [
        FindingValue("score", highest), FindingValue("reference", context.reference),
        FindingValue("factor", scaleFactorMax),
      ])
  }

  static func emptyWhileInForce(_ timeline: SentTimeline, _ context: LintContext) -> Finding? {
    guard timeline.entries.isEmpty, let inForce = context.inForce, inForce.effectiveScore(at: context.now) > 0
    else { return nil }
    let rest = inForce.end.map { context.now.span(to: $0) }
    let end = rest.map { "for \(words($0))" } ?? "indefinitely"
    return Finding(
      .emptyWhileInForce,
      "there are no entries, but the score in force, \(number(inForce.score)), stays in force \(end): "
        + "an entry that scores 0 clears it",
      [FindingValue("score", inForce.score)] + (rest.map { [FindingValue("rest", $0)] } ?? []))
  }
}
