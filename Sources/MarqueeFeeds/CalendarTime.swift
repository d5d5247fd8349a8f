/// A calendar time: a whole day, a floating local time, or a local time in a zone.
///
/// Arithmetic in seconds applies to the local time: a meeting at 10:00 that lasts one day ends at 10:00, even if the
/// clock changes in between.
public struct CalendarTime: Hashable, Sendable {
  /// The local time in seconds from 1970-01-01T00:00:00; midnight for a whole day.
  public let wall: Int64
  /// Whether this is a whole day rather than a moment.
  public let isDate: Bool
  /// The time zone, or `nil` for a whole day and for floating times.
  public let zone: CalendarZone?
  /// Whether this is the second of two moments with the same local time, as when clocks go back.
  public let isSecond: Bool

  init(wall: Int64, isDate: Bool = false, zone: CalendarZone? = nil, isSecond: Bool = false) {
    (self.wall, self.isDate, self.zone, self.isSecond) = (wall, isDate, isDate ? nil : zone, isSecond)
  }

  /// Creates the moment that many seconds after 1970-01-01T00:00:00Z, in UTC.
  public init(utcSeconds: Int64) {
    self.init(wall: utcSeconds, zone: .utc)
  }

  /// Creates a floating time from a local time in seconds from 1970-01-01T00:00:00.
  public init(floatingSeconds: Int64) {
    self.init(wall: floatingSeconds)
  }

  /// Creates the moment that many seconds after 1970-01-01T00:00:00Z, in `zone`.
  public init(utcSeconds: Int64, in zone: CalendarZone) {
    let wall = utcSeconds + zone.offset(atInstant: utcSeconds)
    self.init(wall: wall, zone: zone, isSecond: wall - zone.offset(atWall: wall, isSecond: false) != utcSeconds)
  }

  /// Parses `yyyymmdd`, `yyyymmddThhmmss` or `yyyymmddThhmmssZ`. Returns `nil` for other forms and for nonexistent days
  /// and times.
  ///
  /// A given zone overrides a final `Z` and turns a date into its midnight.
  init?(iCalendarText text: some StringProtocol, zone: CalendarZone? = nil) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      bytes[range].reduce(Int?.some(0)) { sum, byte in
        sum.flatMap { (48...57).contains(byte) ? $0 * 10 + Int(byte) - 48 : nil }
      }
    }
    guard bytes.count == 8 || bytes.count == 15 || bytes.count == 16,
      let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    let midnight = Int64(date.dayNumber) * CivilDate.secondsPerDay
    if bytes.count == 8 {
      self.init(wall: midnight, isDate: zone == nil, zone: zone)
      return
    }
    guard bytes[8] == UInt8(ascii: "T"), let hour = number(9..<11), let minute = number(11..<13),
      let second = number(13..<15), hour < 24, minute < 60, second < 60,
      bytes.count == 15 || bytes[15] == UInt8(ascii: "Z") || zone != nil
    else { return nil }
    let wall = midnight + Int64(hour * 3600 + minute * 60 + second)
    self.init(wall: wall, zone: zone ?? (bytes.count == 16 ? .utc : nil))
  }

  /// Returns the time in seconds since 1970-01-01T00:00:00Z, interpreting whole days and floating times in `zone`.
  public func utcSeconds(in zone: CalendarZone) -> Int64 {
    wall - (self.zone ?? zone).offset(atWall: wall, isSecond: isSecond)
  }

  /// The time in seconds since 1970-01-01T00:00:00Z, or the local time if there is no zone.
  var anchored: Int64 {
    utcSeconds(in: .utc)
  }

  /// This time with the local time that clocks show at its instant: a local time in a gap is moved out of it.
  public var onClock: CalendarTime {
    zone.map { CalendarTime(utcSeconds: anchored, in: $0) } ?? self
  }

  /// Returns this time as a moment: midnight for a whole day, and a floating time in `zone`, if given.
  func moment(in zone: CalendarZone?) -> CalendarTime {
    CalendarTime(wall: wall, zone: zone.flatMap { self.zone ?? $0 }, isSecond: isSecond)
  }

  /// Returns this time with its local time advanced by that many seconds; a whole day advances by whole days.
  func advanced(by seconds: Int64) -> CalendarTime {
    let step = isDate ? seconds.floorDivided(by: CivilDate.secondsPerDay) * CivilDate.secondsPerDay : seconds
    return CalendarTime(wall: wall.clampedSum(step), isDate: isDate, zone: zone, isSecond: step == 0 && isSecond)
  }

  /// Returns this time with its local time moved back by that many seconds; a whole day moves by whole days, if at all.
  func movedBack(by seconds: Int64) -> CalendarTime {
    guard isDate else { return advanced(by: -seconds) }
    return advanced(by: -seconds.floorDivided(by: CivilDate.secondsPerDay) * CivilDate.secondsPerDay)
  }

  /// Returns the same local time in another zone.
  func read(in zone: CalendarZone) -> CalendarTime {
    CalendarTime(wall: wall, zone: zone, isSecond: isSecond)
  }

  /// The day of this local time.
  var day: CalendarTime {
    CalendarTime(wall: dayNumber * CivilDate.secondsPerDay, isDate: true)
  }

  var dayNumber: Int64 { wall.floorDivided(by: CivilDate.secondsPerDay) }

  /// Returns the distance from `other`: in local time if both share a zone, otherwise in elapsed time.
  func seconds(since other: CalendarTime) -> Int64 {
    zone == other.zone ? wall - other.wall : anchored - other.anchored
  }

  /// Makes the times comparable: all whole days, or all moments, using the first zone among them for times without one.
  static func comparable(_ times: [CalendarTime]) -> [CalendarTime] {
    guard times.contains(where: { !$0.isDate }) else { return times }
    let zone = times.lazy.compactMap(\.zone).first
    return times.map { $0.moment(in: zone) }
  }

  /// Whether this time is after `other`, once both are comparable.
  func isAfter(_ other: CalendarTime) -> Bool {
    let pair = Self.comparable([self, other])
    return pair[0].seconds(since: pair[1]) > 0
  }
}

extension CalendarTime: CustomStringConvertible {
  /// ISO 8601: a date, a date-time, or a date-time with its offset from UTC.
  public var description: String {
    let date = CivilDate(dayNumber: Int(dayNumber))
    let text = padded(Int64(date.year), 4) + "-" + padded(Int64(date.month)) + "-" + padded(Int64(date.day))
    if isDate { return text }
    let seconds = wall.modulo(CivilDate.secondsPerDay)
    let clock = text + "T" + Self.clock(seconds)
    guard let zone else { return clock }
    let offset = zone.offset(atWall: wall, isSecond: isSecond)
    let magnitude = Self.clock(abs(offset))
    return clock + (offset < 0 ? "-" : "+") + (offset % 60 == 0 ? String(magnitude.dropLast(3)) : magnitude)
  }

  private static func clock(_ seconds: Int64) -> String {
    padded(seconds / 3600) + ":" + padded(seconds / 60 % 60) + ":" + padded(seconds % 60)
  }
}

/// Returns the number padded with zeros to at least that many digits.
private func padded(_ number: Int64, _ digits: Int = 2) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}

extension Int64 {
  /// Returns the sum, clamped to the years 0 to 10000, so that out-of-range times are detected instead of trapping.
  func clampedSum(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    let range = (CivilDate.wallRange.lowerBound - 1)...(CivilDate.wallRange.upperBound + 1)
    if overflow { return other < 0 ? range.lowerBound : range.upperBound }
    return Swift.min(Swift.max(sum, range.lowerBound), range.upperBound)
  }
}
