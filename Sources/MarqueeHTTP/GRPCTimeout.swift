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
    case UInt8(ascii: "H"): return .seconds(3_600) * number
    case UInt8(ascii: "M"): return .seconds(60) * number
    case UInt8(ascii: "S"): return .seconds(1) * number
    case UInt8(ascii: "m"): return .milliseconds(number)
    case UInt8(ascii: "u"): return .microseconds(number)
    case UInt8(ascii: "n"): return .nanoseconds(number)
    default: return nil
    }
  }
}
