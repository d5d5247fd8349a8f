/// A number of a JSON text.
package struct JSONNumber: Sendable {
  /// The bytes of the number.
  let bytes: ArraySlice<UInt8>
  private let isNegative: Bool
  /// The digits without the decimal point.
  private var digits: [UInt8] = []
  /// The power of ten of the last digit.
  private var scale = 0

  /// Reads the longest number at the start of some bytes; `nil` if there is none.
  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    func next(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }
    isNegative = next("-")
    if isNegative { rest.removeFirst() }
    let whole = Self.removeDigits(from: &rest)
    guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return nil }
    digits += whole
    if next(".") {
      rest.removeFirst()
      let fraction = Self.removeDigits(from: &rest)
      guard !fraction.isEmpty else { return nil }
      digits += fraction
      scale = -fraction.count
    }
    if next("e") || next("E") {
      rest.removeFirst()
      let isSmall = next("-")
      if isSmall || next("+") { rest.removeFirst() }
      let exponent = Self.removeDigits(from: &rest)
      guard !exponent.isEmpty else { return nil }
      // A larger exponent has the same effect: no number in range has as many digits.
      let size = exponent.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1 << 40) }
      scale += isSmall ? -size : size
    }
    self.bytes = bytes[..<rest.startIndex]
  }

  private static func removeDigits(from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    bytes = bytes[digits.endIndex...]
    return digits
  }

  /// The number as a double; `nil` if it is out of range.
  package var double: Double? {
    guard let double = Double(String(decoding: bytes, as: UTF8.self)), double.isFinite else { return nil }
    return double
  }

  /// The number as an integer; `nil` if it is out of range or has a fraction other than zeros.
  package func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    var (significant, scale) = (digits[...], scale)
    while significant.last == UInt8(ascii: "0") {
      significant.removeLast()
      scale += 1
    }
    while significant.first == UInt8(ascii: "0") { significant.removeFirst() }
    if significant.isEmpty { return 0 }
    guard scale >= 0, significant.count + scale <= 20 else { return nil }
    var integer: Integer = 0
    for digit in significant + [UInt8](repeating: UInt8(ascii: "0"), count: scale) {
      let (product, overflow) = integer.multipliedReportingOverflow(by: 10)
      let value = Integer(digit - UInt8(ascii: "0"))
      let (sum, carry) =
        isNegative ? product.subtractingReportingOverflow(value) : product.addingReportingOverflow(value)
      guard !overflow, !carry else { return nil }
      integer = sum
    }
    return integer
  }
}
