extension Double {
  /// The sine of an angle in `-π ... π`, the same to the last bit on every machine, as ``naturalLogarithm`` is.
  ///
  /// The angle is brought to `-π/2 ... π/2`, where 12 terms of the series leave an error below 2⁻⁵².
  package var sine: Double {
    precondition(magnitude <= .pi, "the sine of \(self)")
    let angle = magnitude <= .pi / 2 ? self : (self < 0 ? -.pi : .pi) - self
    let square = angle * angle
    var series = 1.0
    for factor in stride(from: 22.0, through: 2, by: -2) {
      series = 1 - square / (factor * (factor + 1)) * series
    }
    return angle * series
  }

  /// The cosine of an angle in `-π ... π`, the same to the last bit on every machine.
  package var cosine: Double { (.pi / 2 - magnitude).sine }

  /// The angle in `0 ... π/2` of that sine, which is in `0 ... 1`, the same to the last bit on every machine.
  package var arcSine: Double {
    precondition((0...1).contains(self), "the arc sine of \(self)")
    // Near 1 the sine is flat: half the angle's complement is found instead.
    guard self <= 0.75 else { return .pi / 2 - 2 * ((1 - self) / 2).squareRoot().arcSine }
    var angle = self
    // Newton's method doubles the right places each time, from one.
    for _ in 0..<6 { angle -= (angle.sine - self) / angle.cosine }
    return angle
  }
}
