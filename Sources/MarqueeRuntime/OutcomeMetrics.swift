import MarqueeModel
import MarqueeScheduler
import Metrics

/// The metrics of decisions, blocked decisions and outcomes.
struct OutcomeMetrics: Sendable {
  private struct Prediction: Sendable {
    let parts: Int
    let evaluated: Counter
    let cameTrue: Counter
    let stated: FloatingPointCounter
  }

  /// Blocked decisions, by kind and gate.
  private let blocked: [(Decision.Kind, Gate, Counter)]
  /// Decision outcomes, by kind and outcome.
  private let outcomes: [(Decision.Kind, DecisionCounters.Outcome, Counter)]
  /// Predictions, by probability bucket.
  private let predictions: [Prediction]
  private let squaredError: FloatingPointCounter

  init(_ factory: any MetricsFactory) {
    blocked = Decision.Kind.byEvidence.flatMap { kind in
      (kind == .rotation ? Gate.rotation : Gate.suggestion).map { gate in
        let dimensions = [("kind", kind.word), ("gate", gate.description.replacing(" ", with: "_"))]
        return (kind, gate, Counter(label: "marquee_decisions_blocked_total", dimensions: dimensions, factory: factory))
      }
    }
    outcomes = Decision.Kind.byEvidence.flatMap { kind in
      DecisionCounters.Outcome.allCases.map { outcome in
        let dimensions = [("kind", kind.word), ("outcome", outcome.word)]
        return (
          kind, outcome, Counter(label: "marquee_decision_outcomes_total", dimensions: dimensions, factory: factory)
        )
      }
    }
    predictions = (1...DecisionCounters.partCount).map { parts in
      let dimensions = [("sixteenths", "\(parts)")]
      return Prediction(
        parts: parts,
        evaluated: Counter(label: "marquee_predictions_evaluated_total", dimensions: dimensions, factory: factory),
        cameTrue: Counter(label: "marquee_predictions_true_total", dimensions: dimensions, factory: factory),
        stated: FloatingPointCounter(
          label: "marquee_predictions_stated_total", dimensions: dimensions, factory: factory))
    }
    squaredError = FloatingPointCounter(
      label: "marquee_predictions_squared_error_total", dimensions: [], factory: factory)
  }

  /// Adds the counts to the metrics.
  func add(_ counters: DecisionCounters) {
    guard !counters.isEmpty else { return }
    for (kind, gate, counter) in blocked { counter.add(counters.blockedCount(kind, gate)) }
    for (kind, outcome, counter) in outcomes { counter.add(counters.outcomeCount(kind, outcome)) }
    for prediction in predictions {
      let (evaluated, cameTrue) = (
        counters.evaluatedCount(parts: prediction.parts), counters.trueCount(parts: prediction.parts)
      )
      guard evaluated > 0 else { continue }
      let probability = DecisionCounters.probability(parts: prediction.parts)
      prediction.evaluated.add(evaluated)
      prediction.cameTrue.add(cameTrue)
      prediction.stated.increment(by: Double(evaluated) * probability)
      let (high, low) = (1 - probability, probability)
      squaredError.increment(by: Double(cameTrue) * high * high + Double(evaluated - cameTrue) * low * low)
    }
  }
}

extension Counter {
  fileprivate func add(_ count: Int) {
    if count > 0 { increment(by: count) }
  }
}

extension Decision.Kind {
  /// The value of the dimension `kind`.
  var word: String {
    switch self {
    case .rotation: "rotation"
    case .suggestion: "suggestion"
    case .pin: "pin"
    case .rest: "rest"
    }
  }
}

extension DecisionCounters.Outcome {
  fileprivate var word: String {
    switch self {
    case .used: "used"
    case .usedLater: "used_later"
    case .unused: "unused"
    }
  }
}
