/// An online logistic regression with eight features, which takes one Newton step per outcome.
struct OnlineLogistic: Sendable, Equatable {
  private(set) var weights: Lanes
  private var covariance: [Lanes]

  init(weights: Lanes, variance: Float) {
    self.weights = weights
    covariance = (0..<8).map { row in
      var lanes = Lanes.zero
      lanes[row] = variance
      return lanes
    }
  }

  func probability(_ features: Lanes) -> Float {
    let score = Double(total(weights * features))
    return Float(1 / (1 + exponential(-score)))
  }

  /// Learns an outcome, with the weight of `times` outcomes.
  mutating func learn(_ features: Lanes, happened: Bool, times: Float = 1) {
    let probability = probability(features)
    var step = Lanes.zero
    covariance.withUnsafeBufferPointer { covariance in
      for row in 0..<8 { step += covariance[row] * features[row] }
    }
    let curvature = times * probability * (1 - probability)
    let divisor = 1 + curvature * max(0, total(step * features))
    weights += step * (times * ((happened ? 1 : 0) - probability) / divisor)
    let scaled = step * (curvature / divisor)
    covariance.withUnsafeMutableBufferPointer { covariance in
      for row in 0..<8 { covariance[row] -= scaled * step[row] }
    }
  }

  /// Returns the odds of a probability, limited to ten thousand.
  @inline(__always) static func odds(_ probability: Float) -> Float {
    let limited = Double(min(max(probability, 1e-4), 1 - 1e-4))
    return Float(limited / (1 - limited))
  }
}
