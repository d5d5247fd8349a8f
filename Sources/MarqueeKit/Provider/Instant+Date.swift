import Foundation
import MarqueeModel

extension Instant {
  /// Creates the instant of a date, rounded to a millisecond.
  ///
  /// - Throws: `RequestError` if the date is outside the years 1970 to 9999.
  init(_ date: Date, field: String) throws(RequestError) {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    guard milliseconds.magnitude <= Double(Instant.max.milliseconds),
      let instant = Instant(milliseconds: Int64(saturating: milliseconds))
    else { throw RequestError(.invalidArgument, field: field, "date is outside the years 1970 to 9999") }
    self = instant
  }
}

extension Date {
  /// Creates the date of an instant.
  init(_ instant: Instant) {
    self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
  }
}

extension DateWindow {
  /// Creates the window between two dates; a point in time if `end` is `nil`.
  init(_ start: Date, _ end: Date?) throws(RequestError) {
    try self.init(
      start: Instant(start, field: "start"),
      end: end.map { (date) throws(RequestError) in try Instant(date, field: "end") })
  }
}
