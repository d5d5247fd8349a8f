/// Weights of up to sixteen experts, learned online: the mixture is the product of the experts, each to the power of
/// its weight.
///
/// Every event updates the weights by one online Newton step: the gradient of the event's log-probability times the
/// inverse of the curvature seen so far, which is maintained exactly by rank-one updates. A second set of weights per
/// ``Gap`` is added to the shared one. Each set has its own curvature, and they divide a step by their uncertainty.
struct Mixer: Sendable, Equatable {
  typealias Weights = SIMD16<Float>

  private struct Part: Sendable, Equatable {
    var weights: Weights
    /// The covariance of the weights, row by row.
    var covariance: [Weights]

    init(weights: Weights, variance: Float) {
      self.weights = weights
      covariance = (0..<16).map { row in
        var weights = Weights.zero
        weights[row] = variance
        return weights
      }
    }

    /// Returns the product of the covariance and a gradient.
    func step(_ gradient: Weights) -> Weights {
      covariance.withUnsafeBufferPointer { covariance in
        var step = Weights.zero
        for row in 0..<16 { step += covariance[row] * gradient[row] }
        return step
      }
    }

    mutating func move(by step: Weights, curvature: Float) {
      let scaled = step / curvature
      weights += scaled
      covariance.withUnsafeMutableBufferPointer { covariance in
        for row in 0..<16 { covariance[row] -= scaled * step[row] }
      }
    }
  }

  /// The shared part, then one part per gap.
  private var parts: [Part]

  /// Creates a mixer. `variance` is how far the weights are expected to move from their initial values.
  init(weights: Weights, variance: Float, gapVariance: Float?) {
    parts = [Part(weights: weights, variance: variance)]
    if let gapVariance {
      parts += (0..<Gap.count).map { _ in Part(weights: .zero, variance: gapVariance) }
    }
  }

  func weights(gap: Int) -> Weights {
    parts.count > 1 ? parts[0].weights + parts[1 + gap].weights : parts[0].weights
  }

  /// Takes a step along the gradient of an event; see ``ExpertTable/gradient(_:action:)``.
  mutating func learn(gradient: Weights, gap: Int) {
    let step = parts[0].step(gradient)
    var curvature = 1 + max(0, Self.sum(step * gradient))
    guard parts.count > 1 else { return parts[0].move(by: step, curvature: curvature) }
    let ofGap = parts[1 + gap].step(gradient)
    curvature += max(0, Self.sum(ofGap * gradient))
    parts[0].move(by: step, curvature: curvature)
    parts[1 + gap].move(by: ofGap, curvature: curvature)
  }

  private static func sum(_ weights: Weights) -> Float {
    total(weights.lowHalf) + total(weights.highHalf)
  }

  var byteCount: Int { parts.count * 17 * 64 }
}
