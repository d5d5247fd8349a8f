import MarqueeModel
import MarqueeScheduler
import Metrics

/// What devices decide, what keeps them from it, and what comes of it, through the metrics system that the process has
/// chosen.
struct OutcomeMetrics: Sendable {
  private struct Prediction: Sendable {
    let parts: Int
    let judged: Counter
    let cameTrue: Counter
    let stated: FloatingPointCounter
  }

  /// By kind and gate.
  private let stops: [(Decision.Kind, Gate, Counter)]
  /// By kind and outcome.
  private let outcomes: [(Decision.Kind, Tally.Outcome, Counter)]
  /// By the parts of their probability.
  private let predictions: [Prediction]
  private let squaredError: FloatingPointCounter

  init(_ factory: any MetricsFactory) {
    stops = Decision.Kind.allCases.flatMap { kind in
      (kind == .rotation ? Gate.rotation : Gate.suggestion).map { gate in
        let dimensions = [("kind", kind.word), ("gate", gate.description.replacing(" ", with: "_"))]
        return (kind, gate, Counter(label: "marquee_decisions_stopped_total", dimensions: dimensions, factory: factory))
      }
    }
    outcomes = Decision.Kind.allCases.flatMap { kind in
      Tally.Outcome.allCases.map { outcome in
        let dimensions = [("kind", kind.word), ("outcome", outcome.word)]
        return (
          kind, outcome, Counter(label: "marquee_decision_outcomes_total", dimensions: dimensions, factory: factory)
        )
      }
    }
    predictions = (1...Tally.partCount).map { parts in
      let dimensions = [("sixteenths", "\(parts)")]
      return Prediction(
        parts: parts,
        judged: Counter(label: "marquee_predictions_judged_total", dimensions: dimensions, factory: factory),
        cameTrue: Counter(label: "marquee_predictions_true_total", dimensions: dimensions, factory: factory),
        stated: FloatingPointCounter(
          label: "marquee_predictions_stated_total", dimensions: dimensions, factory: factory))
    }
    squaredError = FloatingPointCounter(
      label: "marquee_predictions_squared_error_total", dimensions: [], factory: factory)
  }

  /// Tells of what was counted.
  func add(_ tally: Tally) {
    guard !tally.isEmpty else { return }
    for (kind, gate, counter) in stops { counter.add(tally.stopCount(kind, gate)) }
    for (kind, outcome, counter) in outcomes { counter.add(tally.outcomeCount(kind, outcome)) }
    for prediction in predictions {
      let (judged, cameTrue) = (
        tally.judgedCount(parts: prediction.parts), tally.trueCount(parts: prediction.parts)
      )
      guard judged > 0 else { continue }
      let probability = Tally.probability(parts: prediction.parts)
      prediction.judged.add(judged)
      prediction.cameTrue.add(cameTrue)
      prediction.stated.increment(by: Double(judged) * probability)
      let (high, low) = (1 - probability, probability)
      squaredError.increment(by: Double(cameTrue) * high * high + Double(judged - cameTrue) * low * low)
    }
  }
}

extension Counter {
  fileprivate func add(_ count: Int) {
    if count > 0 { increment(by: count) }
  }
}

extension Decision.Kind {
  fileprivate var word: String {
    switch self {
    case .rotation: "rotation"
    case .suggestion: "suggestion"
    }
  }
}

extension Tally.Outcome {
  fileprivate var word: String {
    switch self {
    case .used: "used"
    case .usedLater: "used_later"
    case .unused: "unused"
    }
  }
}
