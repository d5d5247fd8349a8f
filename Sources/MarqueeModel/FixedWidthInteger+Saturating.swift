extension FixedWidthInteger {
  /// Creates an integer from the whole part of `number`, clamped to the type's range; 0 for NaN.
  ///
  /// `Int(_:)` traps for an infinite, NaN or out-of-range value. Use this initializer for untrusted numbers, or
  /// `init(exactly:)` if an out-of-range value is an error.
  @inlinable
  public init(saturating number: Double) {
    let bound = Double(sign: .plus, exponent: Self.bitWidth - (Self.isSigned ? 1 : 0), significand: 1)
    if number >= bound {
      self = .max
    } else if number >= (Self.isSigned ? -bound : 0) {
      self = Self(number)
    } else {
      self = number.isNaN ? 0 : .min
    }
  }
}
