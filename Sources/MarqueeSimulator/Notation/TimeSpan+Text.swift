import MarqueeModel

extension TimeSpan {
  /// The span in the form that ``init(text:)`` parses: `30m`, `1h30m`, `2d`, `45s`, `1500ms`, `0s`.
  package var text: String {
    guard milliseconds > 0 else { return milliseconds == 0 ? "0s" : "\(milliseconds)ms" }
    var rest = milliseconds
    guard rest % 1000 == 0 else { return "\(rest)ms" }
    var text = ""
    for (unit, length) in Self.units.dropLast() {
      let count = rest / length
      if count > 0 { text += "\(count)\(unit)" }
      rest %= length
    }
    return text
  }

  /// Parses a span: whole numbers with units in descending order, or a number of seconds; never negative.
  package init?(text: String) {
    if let seconds = Double(text), text.first?.isNumber == true {
      guard seconds >= 0, let span = TimeSpan(seconds: seconds) else { return nil }
      self = span
      return
    }
    var (rest, units, sum) = (text[...], Self.units[...], Int64(0))
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      let letters = rest.prefix { $0.isASCII && $0.isLetter }
      rest = rest.dropFirst(letters.count)
      guard let count = Int64(digits), let index = units.firstIndex(where: { $0.unit == letters }) else { return nil }
      let (product, isTooLong) = count.multipliedReportingOverflow(by: units[index].length)
      let (total, overflow) = sum.addingReportingOverflow(product)
      guard !isTooLong, !overflow else { return nil }
      (sum, units) = (total, units[(index + 1)...])
    }
    guard units.count < Self.units.count else { return nil }
    self.init(milliseconds: sum)
  }

  private static let units: [(unit: String, length: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]
}
