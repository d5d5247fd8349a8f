extension Double {
  /// The natural logarithm of a positive, finite number, bit-identical on all platforms.
  ///
  /// System libraries differ in the last bits of `log`, but decisions must be deterministic (rule R8). This
  /// implementation uses only operations that IEEE 754 rounds exactly: the number is split into `m · 2^k` with `m` in
  /// `√½ ..< √2`, and `ln m = 2 artanh((m − 1) / (m + 1))` is summed as a series. The error is below 2 units in the
  /// last place, except near zero.
  ///
  /// - Precondition: The number is positive and finite.
  package var naturalLogarithm: Double {
    precondition(self > 0 && isFinite, "logarithm of \(self)")
    var power = Double(exponent)
    var mantissa = significand
    if mantissa > 1.4142135623730951 {
      mantissa *= 0.5
      power += 1
    }
    let ratio = (mantissa - 1) / (mantissa + 1)
    let square = ratio * ratio
    var series = 1.0 / 23
    series = series * square + 1 / 21
    series = series * square + 1 / 19
    series = series * square + 1 / 17
    series = series * square + 1 / 15
    series = series * square + 1 / 13
    series = series * square + 1 / 11
    series = series * square + 1 / 9
    series = series * square + 1 / 7
    series = series * square + 1 / 5
    series = series * square + 1 / 3
    series = series * square + 1
    // ln 2, split so that the product of the high part and any exponent is exact.
    return power * 0.693147180369123816490 + (2 * ratio * series + power * 1.90821492927058770002e-10)
  }
}
