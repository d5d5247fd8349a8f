import MarqueeModel

extension TimelineLint {
  static func windowTooShort(_ timeline: SentTimeline) -> Finding? {
    let short = timeline.scored.compactMap { entry in
      entry.window.flatMap { entry.score > 0 && $0 < windowMin ? (index: entry.index, window: $0) : nil }
    }
    guard let first = short.first else { return nil }
    return Finding(
      .windowTooShort, entry: first.index,
      "the score of entry \(first.index) holds for \(words(first.window))\(more(than: short.count)): "
        + "less than \(words(windowMin)) is too short to be seen",
      [FindingValue("entry", first.index), FindingValue("length", first.window), FindingValue("minimum", windowMin)]
        + more(than: short.count))
  }

  static func windowCutOff(_ timeline: SentTimeline) -> Finding? {
    let cut = timeline.scored.indices.filter { place in
      let entry = timeline.scored[place]
      guard entry.score > 0, let window = entry.window, let next = entry.next else { return false }
      return window > next
    }
    guard let place = cut.first, let window = timeline.scored[place].window, let next = timeline.scored[place].next
    else { return nil }
    let (index, cutter) = (timeline.scored[place].index, timeline.scored[place + 1].index)
    return Finding(
      .windowCutOff, entry: index,
      "the score of entry \(index) lasts \(words(window)), but entry \(cutter) replaces it "
        + "after \(words(next))\(more(than: cut.count))",
      [
        FindingValue("entry", index), FindingValue("length", window), FindingValue("next", cutter),
        FindingValue("after", next),
      ] + more(than: cut.count))
  }

  static func expiryWithoutEffect(_ timeline: SentTimeline) -> Finding? {
    let idle = timeline.entries.indices.filter { place in
      timeline.entries[place].expiry != nil && !timeline.entries[place].isExpiryEffective
    }
    guard let place = idle.first else { return nil }
    let (index, next) = (timeline.entries[place].index, timeline.entries[place + 1].index)
    return Finding(
      .expiryWithoutEffect, entry: index,
      "entry \(index) never expires, because entry \(next) is current by then\(more(than: idle.count))",
      [FindingValue("entry", index), FindingValue("next", next)] + more(than: idle.count))
  }

  static func reloadOverBudget(_ timeline: SentTimeline, _ context: LintContext) -> Finding? {
    let date: Instant
    switch timeline.policy {
    case .never: return nil
    case .atEnd: date = timeline.entries.last?.date ?? context.now
    case .after(let instant): date = instant
    }
    let wait = context.now.span(to: date)
    guard wait > .zero else {
      return Finding(
        .reloadOverBudget, "the policy requests the next timeline immediately, after each publication", [])
    }
    let isTooSoon = wait < context.reloadSpacing
    let (count, overflow) = wait.milliseconds.multipliedReportingOverflow(by: Int64(context.reloadBudget))
    guard isTooSoon || !overflow && count < TimeSpan.days(1).milliseconds else { return nil }
    let limit =
      isTooSoon
      ? "reloads are at least \(words(context.reloadSpacing)) apart"
      : "the budget is \(context.reloadBudget) in 24 h"
    return Finding(
      .reloadOverBudget, "the policy asks for the next timeline after \(words(wait)); \(limit)",
      [
        FindingValue("wait", wait),
        isTooSoon ? FindingValue("spacing", context.reloadSpacing) : FindingValue("budget", context.reloadBudget),
      ])
  }
}
