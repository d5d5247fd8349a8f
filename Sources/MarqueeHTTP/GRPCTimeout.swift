/// The value of a `grpc-timeout` field: one to eight digits, and a unit.
enum GRPCTimeout {
  /// Returns the timeout, or `nil` if the text is malformed.
  static func parse(_ text: some BidirectionalCollection<UInt8>) -> Duration? {
    guard let unit = text.last, (2...9).contains(text.count) else { return nil }
    var number: Int64 = 0
    for byte in text.dropLast() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    switch unit {
    case UInt8(ascii: "H"): return duration(number, perSecond: 1, factor: 3_600)
    case UInt8(ascii: "M"): return duration(number, perSecond: 1, factor: 60)
    case UInt8(ascii: "S"): return duration(number, perSecond: 1)
    case UInt8(ascii: "m"): return duration(number, perSecond: 1_000)
    case UInt8(ascii: "u"): return duration(number, perSecond: 1_000_000)
    case UInt8(ascii: "n"): return duration(number, perSecond: 1_000_000_000)
    default: return nil
    }
  }

  /// Returns a number of units, without a multiplication of 128 bits.
  private static func duration(_ number: Int64, perSecond: Int64, factor: Int64 = 1) -> Duration {
    let (seconds, rest) = number.quotientAndRemainder(dividingBy: perSecond)
    let attoseconds = rest * (1_000_000_000_000_000_000 / perSecond)
    return Duration(secondsComponent: seconds * factor, attosecondsComponent: attoseconds)
  }
}
