extension Double {
  /// The number with at most two decimals, or two significant digits if it is close to zero.
  var words: String { words(decimalCount: 2) }

  /// Returns the number and the minimum that it is compared with as text, such as `0.3996` and `0.4`.
  ///
  /// Both have at most two decimals, or more if only these show that the number is below the minimum.
  func words(comparedWith minimum: Double) -> (number: String, minimum: String) {
    let count = decimalCount(comparedWith: minimum, atLeast: 2)
    return (words(decimalCount: count), minimum.words(decimalCount: count))
  }

  /// Returns the number of decimals to which the number and the minimum that it is compared with are rounded.
  ///
  /// - Parameter least: The smallest result, in `0 ... 15`. It is exceeded only if a number below the minimum would
  ///   otherwise be rounded to it.
  package func decimalCount(comparedWith minimum: Double, atLeast least: Int) -> Int {
    guard self < minimum else { return least }
    return (least...15).first { rounded(decimalCount: $0) < minimum.rounded(decimalCount: $0) } ?? 15
  }

  /// Returns the number rounded to a number of decimals.
  package func rounded(decimalCount: Int) -> Double {
    let scale = (0..<decimalCount).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }

  /// Returns the number with at most `decimalCount` decimals, or more if it is so close to zero that only they show its
  /// first two significant digits.
  package func words(decimalCount: Int) -> String {
    let rounded = magnitude > 1e15 ? self : self.rounded(decimalCount: max(decimalCount, significantDecimalCount))
    return Int64(exactly: rounded).map(String.init) ?? "\(rounded)"
  }

  /// The number of decimals up to the second significant digit of a number below 0.01, at most 300; otherwise 0.
  private var significantDecimalCount: Int {
    guard magnitude < 0.01, magnitude > 0 else { return 0 }
    var (count, scaled) = (0, magnitude)
    while scaled < 10, count < 300 { (count, scaled) = (count + 1, scaled * 10) }
    return count
  }
}
