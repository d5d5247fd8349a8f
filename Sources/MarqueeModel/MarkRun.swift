/// A counter of consecutive combining marks in text.
///
/// Normalization sorts each run of combining marks, in time quadratic in the run's length. Swift normalizes strings to
/// compare and hash them, so untrusted text is checked before it is compared, hashed or decoded.
package struct MarkRun {
  /// The maximum length of a run in the Stream-Safe Text Format (UAX #15).
  package static let lengthMax = 30

  private var length = 0

  /// Whether any run so far exceeded ``lengthMax``.
  private(set) var isTooLong = false

  /// Adds a scalar. One that is not a combining mark ends the run.
  mutating func add(_ scalar: Unicode.Scalar) {
    length = scalar.isReordered ? length + 1 : 0
    if length > Self.lengthMax { isTooLong = true }
  }
}

extension Unicode.Scalar {
  /// Whether normalization can reorder the scalar.
  fileprivate var isReordered: Bool {
    switch value {
    case ..<0x300: false
    // Starters whose decompositions are combining marks.
    case 0xF73, 0xF75, 0xF81: true
    default: properties.canonicalCombiningClass != .notReordered
    }
  }
}

extension String {
  /// Whether the string has at most 30 consecutive combining marks (Stream-Safe Text Format, UAX #15), so that
  /// comparing, hashing and normalizing it take time proportional to its size.
  public var isStreamSafe: Bool {
    var span = utf8Span
    if span.checkForASCII() { return true }
    var run = MarkRun()
    for scalar in unicodeScalars {
      run.add(scalar)
      if run.isTooLong { return false }
    }
    return true
  }

  /// Whether all strings that a JSON or YAML parser can read from the text are stream-safe.
  public var isStreamSafeSource: Bool { longMarkRunLine == nil }

  /// The line, counted from 1, of the first run of more than 30 combining marks or escapes of them, or `nil` if there
  /// is none.
  ///
  /// The text is scanned without tokenizing it: anything that looks like an escape counts as its scalar, and white
  /// space, line breaks and backslashes do not end a run, because an escaped line break is removed by parsers.
  package var longMarkRunLine: Int? {
    guard utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }) else { return nil }
    var scan = EscapedMarkScan()
    for scalar in unicodeScalars {
      scan.add(scalar)
      if scan.run.isTooLong { return scan.line }
    }
    return nil
  }
}

/// Counts combining marks in text that can contain JSON and YAML escapes.
private struct EscapedMarkScan {
  var run = MarkRun()
  var line = 1
  private var isAfterBackslash = false
  /// The number of missing digits of the current escape, and the value of those read.
  private var digitCount = 0
  private var number: UInt32 = 0
  /// The high surrogate of an incomplete pair, or 0.
  private var high: UInt32 = 0

  mutating func add(_ scalar: Unicode.Scalar) {
    if digitCount > 0 {
      if let digit = Character(scalar).hexDigitValue, scalar.isASCII { return addDigit(UInt32(digit)) }
      digitCount = 0
      run.add("u")
    }
    if isAfterBackslash {
      isAfterBackslash = false
      digitCount = scalar == "x" ? 2 : scalar == "u" ? 4 : scalar == "U" ? 8 : 0
      number = 0
      if digitCount > 0 { return }
    }
    switch scalar {
    case "\\": isAfterBackslash = true
    case "\n": line += 1
    case " ", "\t", "\r", "\u{85}", "\u{2028}", "\u{2029}": break
    default: run.add(scalar)
    }
  }

  private mutating func addDigit(_ digit: UInt32) {
    number = number << 4 | digit
    digitCount -= 1
    guard digitCount == 0 else { return }
    switch number {
    case 0xD800...0xDBFF: high = number
    case 0xDC00...0xDFFF where high != 0:
      addEscaped(0x10000 + (high - 0xD800) << 10 + (number - 0xDC00))
      high = 0
    default: addEscaped(number)
    }
  }

  private mutating func addEscaped(_ number: UInt32) {
    // Every parser rejects a number that is not a Unicode scalar.
    run.add(Unicode.Scalar(number) ?? "u")
  }
}
