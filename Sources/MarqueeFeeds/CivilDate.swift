/// A date of the proleptic Gregorian calendar, in the years 1 to 9999.
struct CivilDate: Hashable, Sendable {
  static let secondsPerDay: Int64 = 86400
  /// 0001-01-01T00:00:00 and 9999-12-31T23:59:59, in wall-clock seconds since 1970-01-01T00:00:00.
  static let wallRange: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  let year: Int
  let month: Int
  let day: Int

  /// Creates a date, or `nil` if there is no such day.
  init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.dayCount(year: year, month: month)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Creates the date that many days after 1970-01-01, in any year.
  init(dayNumber: Int) {
    // Counted from 0000-03-01, so that the leap day is the last day of its year, in eras of 400 years.
    let shifted = dayNumber + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of days since 1970-01-01.
  var dayNumber: Int {
    Self.dayNumber(year: year, month: month, day: day)
  }

  /// Returns the number of days since 1970-01-01 of a day of that month; `day` may be outside the month.
  static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear.floorDivided(by: 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Returns the weekday, 0 for Monday to 6 for Sunday.
  static func weekday(dayNumber: Int) -> Int {
    (dayNumber + 3).modulo(7)
  }

  static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  static func dayCount(year: Int) -> Int {
    isLeap(year) ? 366 : 365
  }

  static func dayCount(year: Int, month: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension BinaryInteger {
  /// Returns the quotient, rounded towards negative infinity.
  func floorDivided(by divisor: Self) -> Self {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder != 0 && (remainder < 0) != (divisor < 0) ? quotient - 1 : quotient
  }

  /// Returns the remainder of ``floorDivided(by:)``, which is not negative for a positive divisor.
  func modulo(_ divisor: Self) -> Self {
    self - floorDivided(by: divisor) * divisor
  }
}
