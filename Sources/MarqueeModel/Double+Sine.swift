extension Double {
  /// The sine of an angle in `-π ... π`, bit-identical on all platforms, like ``naturalLogarithm``.
  ///
  /// The angle is reduced to `-π/2 ... π/2`, where 12 terms of the series leave an error below 2⁻⁵².
  package var sine: Double {
    precondition(magnitude <= .pi, "sine of \(self)")
    let angle = magnitude <= .pi / 2 ? self : (self < 0 ? -.pi : .pi) - self
    let square = angle * angle
    var series = 1.0
    for factor in stride(from: 22.0, through: 2, by: -2) {
      series = 1 - square / (factor * (factor + 1)) * series
    }
    return angle * series
  }

  /// The cosine of an angle in `-π ... π`, bit-identical on all platforms.
  package var cosine: Double { (.pi / 2 - magnitude).sine }

  /// The arc sine, in `0 ... π/2`, of a number in `0 ... 1`; bit-identical on all platforms.
  package var arcSine: Double {
    precondition((0...1).contains(self), "arc sine of \(self)")
    // The sine is flat near 1: compute half of the complementary angle instead.
    guard self <= 0.75 else { return .pi / 2 - 2 * ((1 - self) / 2).squareRoot().arcSine }
    var angle = self
    // Each iteration of Newton's method doubles the number of correct digits, starting from one.
    for _ in 0..<6 { angle -= (angle.sine - self) / angle.cosine }
    return angle
  }
}
