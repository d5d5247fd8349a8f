import Foundation
import MarqueeModel

extension Instant {
  /// The instant of a date, to the nearest millisecond; refused outside the years 1970 to 9999.
  init(_ date: Date, field: String) throws(Refusal) {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    guard milliseconds.magnitude <= Double(Instant.max.milliseconds),
      let instant = Instant(milliseconds: Int64(milliseconds))
    else { throw Refusal(.invalidArgument, field: field, "not in the years 1970 to 9999") }
    self = instant
  }
}

extension Date {
  /// The date of an instant.
  init(_ instant: Instant) {
    self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
  }
}

extension DateWindow {
  /// The window between two dates; a point without the second.
  init(_ start: Date, _ end: Date?) throws(Refusal) {
    try self.init(
      start: Instant(start, field: "start"), end: end.map { (date) throws(Refusal) in try Instant(date, field: "end") })
  }
}
