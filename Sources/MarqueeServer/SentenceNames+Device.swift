import MarqueeModel
import MarqueeScheduler

extension Device {
  /// Returns the names of the widgets that summaries of the explanations name.
  func names(in explanations: [Explanation]) -> SentenceNames {
    let candidates = explanations.flatMap(\.candidates)
    return names(of: candidates.map(\.widget) + candidates.compactMap(\.representative))
  }

  /// Returns the names of the widgets that summaries of the obstacles name.
  func names(in whyNot: WhyNot) -> SentenceNames {
    names(of: [whyNot.widget] + whyNot.obstacles.compactMap(\.other))
  }
}
