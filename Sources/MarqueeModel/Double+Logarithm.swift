extension Double {
  /// The natural logarithm of a positive, finite number, the same to the last bit on every machine.
  ///
  /// System libraries differ in the last bits of `log`, and decisions must not (rule R8); this one uses nothing but
  /// the operations that IEEE 754 rounds exactly. The number is split into `m · 2^k` with `m` in `√½ ..< √2`, and
  /// `ln m = 2 artanh((m − 1) / (m + 1))` is summed as a series; the error is below 2 units in the last place of
  /// results away from zero.
  package var naturalLogarithm: Double {
    precondition(self > 0 && isFinite, "the logarithm of \(self)")
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
    // ln 2 in two parts: the first has so few bits that its product with an exponent is exact.
    return power * 0.693147180369123816490 + (2 * ratio * series + power * 1.90821492927058770002e-10)
  }
}
