/// The days selected by a rule's BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY and BYDAY.
///
/// A rule without day parts derives them from its start: the date for yearly rules, the day of the month for monthly
/// and the weekday for weekly ones. Several parts are combined by intersection, including BYDAY with and without
/// numbers.
struct DayFilter {
  private let rule: RecurrenceRule
  private let months: Set<Int>?
  private let monthDays: Set<Int>
  private let weekdays: Set<Int>?

  init(_ rule: RecurrenceRule, start: CivilDate) {
    self.rule = rule
    let isSilent =
      rule.weekNumbers == nil && rule.yearDays == nil && rule.monthDays == nil && rule.weekdays == nil
      && rule.weekdayOrdinals == nil
    let isYearly = isSilent && rule.frequency == .yearly
    months = rule.months ?? (isYearly ? [start.month] : nil)
    // A BYMONTHDAY of 0 matches no day and is ignored.
    monthDays =
      rule.monthDays?.subtracting([0]) ?? (isYearly || isSilent && rule.frequency == .monthly ? [start.day] : [])
    weekdays =
      isSilent && rule.frequency == .weekly ? [CivilDate.weekday(dayNumber: start.dayNumber)] : rule.weekdays
  }

  /// The part that depends on the year, or on the month of a monthly rule: the days of numbered weeks and weekdays.
  struct Mask {
    let newYear: Int
    fileprivate let weekDays: [Range<Int>]?
    fileprivate let ordinalDays: Set<Int>?
  }

  func mask(year: Int, month: Int?) -> Mask {
    let newYear = CivilDate.dayNumber(year: year, month: 1, day: 1)
    return Mask(
      newYear: newYear, weekDays: rule.weekNumbers.map { weeks($0, year: year, newYear: newYear) },
      ordinalDays: rule.weekdayOrdinals.map { ordinalDays($0, year: year, month: month) })
  }

  /// Whether the day satisfies every part.
  ///
  /// - Parameter mask: The mask of the year in which the day's period begins.
  func matches(_ day: Int, mask: Mask) -> Bool {
    if let weekdays, !weekdays.contains(CivilDate.weekday(dayNumber: day)) { return false }
    if let weeks = mask.weekDays, !weeks.contains(where: { $0.contains(day) }) { return false }
    if let days = mask.ordinalDays, !days.contains(day) { return false }
    if months == nil && monthDays.isEmpty && rule.yearDays == nil { return true }
    let date = CivilDate(dayNumber: day)
    if let months, !months.contains(date.month) { return false }
    if !monthDays.isEmpty, !monthDays.contains(date.day),
      !monthDays.contains(date.day - CivilDate.dayCount(year: date.year, month: date.month) - 1)
    {
      return false
    }
    guard let yearDays = rule.yearDays else { return true }
    let yearDay = day - CivilDate.dayNumber(year: date.year, month: 1, day: 1) + 1
    return yearDays.contains(yearDay) || yearDays.contains(yearDay - CivilDate.dayCount(year: date.year) - 1)
  }

  /// Returns the days of a year in its numbered weeks. Week 1 is the first with four days in the year. The last week
  /// may extend into the next year; week 1 of the next year may begin in this one.
  private func weeks(_ numbers: Set<Int>, year: Int, newYear: Int) -> [Range<Int>] {
    let first = firstWeek(newYear: newYear)
    let next = firstWeek(newYear: newYear + CivilDate.dayCount(year: year))
    let count = (next - first) / 7
    var weeks = numbers.compactMap { (number: Int) -> Range<Int>? in
      let week = number < 0 ? number + count + 1 : number
      guard (1...count).contains(week) else { return nil }
      return max(newYear, first + 7 * (week - 1))..<(first + 7 * week)
    }
    if numbers.contains(1), next < newYear + CivilDate.dayCount(year: year) { weeks.append(next..<(next + 7)) }
    if first > newYear, numbers.contains(numberOfLastWeek(before: year, newYear: newYear, in: numbers)) {
      weeks.append(newYear..<first)
    }
    return weeks
  }

  /// Returns the week number of the days before week 1: the last of the previous year, as counted by the reference
  /// implementation.
  private func numberOfLastWeek(before year: Int, newYear: Int, in numbers: Set<Int>) -> Int {
    if numbers.contains(-1) { return -1 }
    let length = CivilDate.dayCount(year: year - 1)
    let lead = (CivilDate.weekday(dayNumber: newYear - length) - rule.weekStart).modulo(7)
    if (1...3).contains(lead) { return 52 + (length + lead) % 7 / 4 }
    return 52 + (CivilDate.dayCount(year: year) - (firstWeek(newYear: newYear) - newYear)) % 7 / 4
  }

  /// Returns the first day of week 1, which may be in the previous year.
  private func firstWeek(newYear: Int) -> Int {
    let lead = (CivilDate.weekday(dayNumber: newYear) - rule.weekStart).modulo(7)
    return lead <= 3 ? newYear - lead : newYear - lead + 7
  }

  /// Returns the numbered weekdays of the year, of the rule's months if any, or of the month of a monthly rule.
  private func ordinalDays(_ ordinals: Set<RecurrenceRule.WeekdayOrdinal>, year: Int, month: Int?) -> Set<Int> {
    let months = month.map { [$0] } ?? rule.months.map { $0.filter((1...12).contains).sorted() }
    let newYear = CivilDate.dayNumber(year: year, month: 1, day: 1)
    let ranges =
      months.map { $0.map { month in monthRange(year: year, month: month) } }
      ?? [newYear..<(newYear + CivilDate.dayCount(year: year))]
    var days: Set<Int> = []
    for range in ranges {
      for ordinal in ordinals {
        let day: Int
        if ordinal.ordinal > 0 {
          let first = range.lowerBound
          day = first + (ordinal.weekday - CivilDate.weekday(dayNumber: first)).modulo(7) + 7 * (ordinal.ordinal - 1)
        } else {
          let last = range.upperBound - 1
          day = last - (CivilDate.weekday(dayNumber: last) - ordinal.weekday).modulo(7) + 7 * (ordinal.ordinal + 1)
        }
        if range.contains(day) { days.insert(day) }
      }
    }
    return days
  }

  private func monthRange(year: Int, month: Int) -> Range<Int> {
    let first = CivilDate.dayNumber(year: year, month: month, day: 1)
    return first..<(first + CivilDate.dayCount(year: year, month: month))
  }
}
