/// The duration of an event (RFC 5545, 3.3.6): days of the calendar, then a span of time.
struct CalendarDuration: Hashable, Sendable {
  /// The part that applies to the local time, in seconds.
  var nominal: Int64
  /// The part that elapses, whatever the clock does, in seconds.
  var exact: Int64 = 0

  /// The duration in seconds if no clock changes.
  var seconds: Int64 { nominal + exact }

  /// The duration of the same days and time in the other direction.
  var reversed: CalendarDuration { CalendarDuration(nominal: -nominal, exact: -exact) }
}

extension CalendarTime {
  /// Returns the end of an event of that duration that starts at this time.
  ///
  /// A local time that a clock change puts before the start is replaced by the time at which the duration has elapsed.
  func advanced(by duration: CalendarDuration) -> CalendarTime {
    let end = advanced(by: duration.nominal).advanced(byElapsed: duration.exact)
    guard zone != nil, duration.seconds >= 0, end.anchored < anchored else { return end }
    return advanced(byElapsed: duration.seconds)
  }

  /// Returns the time after that many seconds, in the same zone; a time without a zone has no clock changes.
  private func advanced(byElapsed seconds: Int64) -> CalendarTime {
    if seconds == 0 { return self }
    guard let zone else { return advanced(by: seconds) }
    return CalendarTime(utcSeconds: anchored.clampedSum(seconds), in: zone)
  }
}
