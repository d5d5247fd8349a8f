import Glibc

/// The value of the field `date` of responses (RFC 9110, section 5.6.7), formatted once a second.
struct HTTPDate {
  /// The system's clock, in seconds since 1970.
  static let systemClock: @Sendable () -> Int = { time(nil) }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private var second: Int?
  private var text = ""

  /// Returns the value at a time in seconds since 1970.
  mutating func text(at second: Int) -> String {
    if second != self.second { (self.second, text) = (second, Self.format(second)) }
    return text
  }

  private static func format(_ second: Int) -> String {
    var (time, parts) = (second, tm())
    gmtime_r(&time, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (weekday, month) = (weekdays[Int(parts.tm_wday)], months[Int(parts.tm_mon)])
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(padded).joined(separator: ":")
    return "\(weekday), \(padded(parts.tm_mday)) \(month) \(Int(parts.tm_year) + 1_900) \(clock) GMT"
  }
}
