/// A validated recurrence rule (RFC 5545, 3.3.10).
///
/// Like the reference implementation, it accepts parts in any order and case, treats a negative COUNT as absent, and
/// accepts both UNTIL and COUNT. It rejects rules that cannot be expanded.
struct RecurrenceRule: Hashable, Sendable {
  enum Frequency: Int, Comparable, Sendable {
    case yearly, monthly, weekly, daily, hourly, minutely, secondly

    static func < (left: Frequency, right: Frequency) -> Bool { left.rawValue < right.rawValue }
  }

  struct WeekdayOrdinal: Hashable, Sendable {
    /// 0 for Monday to 6 for Sunday.
    let weekday: Int
    /// The ordinal in its month or year, counted from 1, or from the end if negative; never 0.
    let ordinal: Int
  }

  static let textSizeMax = 4096

  private(set) var frequency = Frequency.yearly
  private(set) var interval = 1
  private(set) var count: Int?
  private(set) var until: CalendarTime?
  /// 0 for Monday to 6 for Sunday.
  private(set) var weekStart = 0
  private(set) var months: Set<Int>?
  private(set) var weekNumbers: Set<Int>?
  private(set) var yearDays: Set<Int>?
  private(set) var monthDays: Set<Int>?
  private(set) var weekdays: Set<Int>?
  private(set) var weekdayOrdinals: Set<WeekdayOrdinal>?
  private(set) var hours: Set<Int>?
  private(set) var minutes: Set<Int>?
  private(set) var seconds: Set<Int>?
  private(set) var positions: Set<Int>?

  /// - Throws: ``FeedError`` with code ``FeedError/Code/badRule``.
  init(_ text: String) throws(FeedError) {
    guard text.utf8.count <= Self.textSizeMax else {
      throw FeedError(.limitExceeded, "the rule is too long: \(text.utf8.count) bytes (maximum: \(Self.textSizeMax))")
    }
    let parts = try Self.parts(of: text)
    guard let name = parts["FREQ"], let frequency = Self.frequency(named: name) else {
      throw FeedError(.badRule, "FREQ is missing or invalid; expected SECONDLY to YEARLY")
    }
    self.frequency = frequency
    // A fixed order, so that the message does not depend on the order of a dictionary.
    for name in Self.names {
      guard let value = parts[name] else { continue }
      guard try set(name, to: value) else {
        throw FeedError(.badRule, "\(name): value malformed or out of range")
      }
    }
    if count == nil, parts["COUNT"] != nil, parts.keys.allSatisfy(["FREQ", "UNTIL", "COUNT"].contains) {
      throw FeedError(.badRule, "COUNT is negative and the rule has no other parts")
    }
    try check()
  }

  /// Returns the rule with another UNTIL.
  func ending(at until: CalendarTime) -> RecurrenceRule {
    var rule = self
    rule.until = until
    return rule
  }

  private static let names = [
    "UNTIL", "COUNT", "INTERVAL", "BYSECOND", "BYMINUTE", "BYHOUR", "BYDAY", "BYWEEKDAY", "BYMONTHDAY", "BYYEARDAY",
    "BYWEEKNO", "BYMONTH", "BYSETPOS", "WKST",
  ]

  private static let weekdayNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  /// Returns the parts by name. Empty parts and those without exactly one `=` are ignored, as trailing semicolons are
  /// common; of duplicates, the last wins.
  private static func parts(of text: String) throws(FeedError) -> [String: String] {
    var parts: [String: String] = [:]
    for part in text.split(separator: ";") {
      let pair = part.split(separator: "=", omittingEmptySubsequences: false)
      guard pair.count == 2 else { continue }
      let name = pair[0].uppercased()
      guard name == "FREQ" || names.contains(name) else {
        throw FeedError(.badRule, "unknown rule part (RFC 5545)")
      }
      // The case of letters in a time is significant.
      parts[name] = name == "UNTIL" ? String(pair[1]) : pair[1].uppercased()
    }
    return parts
  }

  private static func frequency(named name: String) -> Frequency? {
    ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"].firstIndex(of: name)
      .flatMap(Frequency.init(rawValue:))
  }

  /// Sets one part. Returns `false` if its value is malformed.
  private mutating func set(_ name: String, to value: String) throws(FeedError) -> Bool {
    switch name {
    case "UNTIL":
      until = CalendarTime(iCalendarText: value)
      return until != nil
    case "COUNT": return setCount(value)
    case "INTERVAL":
      guard let number = Self.integer(value), number > 0 else { return false }
      interval = number
      return true
    case "WKST":
      guard let index = Self.weekdayNames.firstIndex(of: value) else { return false }
      weekStart = index
      return true
    case "BYDAY", "BYWEEKDAY": return setWeekdays(value)
    default: return setNumbers(name, value)
    }
  }

  /// A negative COUNT is treated as absent, since some programs write it.
  private mutating func setCount(_ value: String) -> Bool {
    guard let number = Self.integer(value) else { return false }
    count = number < 0 ? nil : number
    return true
  }

  private mutating func setNumbers(_ name: String, _ value: String) -> Bool {
    let numbers = value.split(separator: ",", omittingEmptySubsequences: false).map { Self.integer($0) }
    let set = Set(numbers.compactMap(\.self))
    guard !numbers.contains(nil) else { return false }
    switch name {
    case "BYSECOND": seconds = set
    case "BYMINUTE": minutes = set
    case "BYHOUR": hours = set
    case "BYMONTHDAY": monthDays = set
    case "BYYEARDAY": yearDays = set
    case "BYWEEKNO": weekNumbers = set
    case "BYMONTH":
      months = set
      return set.allSatisfy { $0 >= 0 }
    case "BYSETPOS":
      positions = set
      return set.allSatisfy { $0 != 0 && (-366...366).contains($0) }
    default: preconditionFailure("\(name) is not a list of numbers")
    }
    return true
  }

  private mutating func setWeekdays(_ value: String) -> Bool {
    var (plain, ordinals): (Set<Int>, Set<WeekdayOrdinal>) = ([], [])
    for item in value.split(separator: ",", omittingEmptySubsequences: false) {
      let prefix = item.dropLast(2)
      let digits = prefix.drop { $0 == "+" || $0 == "-" }
      guard let weekday = Self.weekdayNames.firstIndex(of: String(item.suffix(2))),
        prefix.count - digits.count <= 1, digits.count <= 2, digits.allSatisfy({ $0.isASCII && $0.isNumber })
      else { return false }
      // A sign without a number is a malformed ordinal.
      if prefix.isEmpty {
        plain.insert(weekday)
      } else if let number = Self.integer(prefix), number != 0 {
        if frequency > .monthly {
          plain.insert(weekday)
        } else {
          ordinals.insert(WeekdayOrdinal(weekday: weekday, ordinal: number))
        }
      } else {
        return false
      }
    }
    weekdays = plain.isEmpty ? nil : plain
    weekdayOrdinals = ordinals.isEmpty ? nil : ordinals
    return true
  }

  private func check() throws(FeedError) {
    let finer: [(String, Set<Int>?, Int, Frequency)] = [
      ("BYHOUR", hours, 23, .hourly), ("BYMINUTE", minutes, 59, .minutely), ("BYSECOND", seconds, 59, .secondly),
    ]
    for (name, values, limit, level) in finer {
      guard let values else { continue }
      let isUsable =
        frequency < level ? values.allSatisfy((0...limit).contains) : values.contains(where: (0...limit).contains)
      guard isUsable else { throw FeedError(.badRule, "\(name): value out of range (0 to \(limit))") }
    }
  }

  private static func integer(_ text: some StringProtocol) -> Int? {
    Int32(text).map(Int.init)
  }
}
