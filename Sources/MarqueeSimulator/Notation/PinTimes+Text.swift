import MarqueeModel

extension PinTimes {
  /// The times in the form that ``init(text:)`` parses: `07:00-09:00`, `mon-fri 07:00-09:00`, `sat,sun 22:00-06:00`.
  package var text: String {
    let range = "\(WallTime.words(minute: start))-\(WallTime.words(minute: end))"
    return weekdays == .all ? range : "\(weekdays.text) \(range)"
  }

  /// Parses a range of the day, after the weekdays on which it starts unless it is daily.
  ///
  /// Days are separated by commas; `fri-mon` are the days from Friday to Monday. An end that is not after the start is
  /// on the next day.
  package init?(text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard let range = words.last, words.count <= 2 else { return nil }
    let minutes = range.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
    guard minutes.count == 2, let start = minutes[0], let end = minutes[1], start < Self.minuteCount else { return nil }
    guard let weekdays = words.count == 1 ? .all : Weekdays(text: words[0]) else { return nil }
    // Only equal minutes are left to reject.
    guard let times = try? PinTimes(weekdays: weekdays, start: start, end: end) else { return nil }
    self = times
  }

  private static func minute(_ text: Substring) -> Int? {
    guard case .timeOfDay(let milliseconds)? = TimeText(String(text)), milliseconds % 60_000 == 0 else { return nil }
    return milliseconds / 60_000
  }
}

extension Weekdays {
  private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// The days in the form that ``init(text:)`` parses, with a range in place of three or more consecutive days.
  fileprivate var text: String {
    var parts: [String] = []
    var day = 0
    while day < 7 {
      let last = (day..<7).prefix { contains(Weekdays($0)) }.last
      guard let last else {
        day += 1
        continue
      }
      let names = Self.names[day...last]
      parts += last >= day + 2 ? ["\(Self.names[day])-\(Self.names[last])"] : Array(names)
      day = last + 1
    }
    return parts.joined(separator: ",")
  }

  /// Parses days and ranges of days, each day once.
  fileprivate init?(text: Substring) {
    self = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let names = part.split(separator: "-", omittingEmptySubsequences: false)
      let days = names.map { Self.names.firstIndex(of: String($0)) }
      guard days.count <= 2, let first = days[0], let last = days[days.count - 1] else { return nil }
      for offset in 0...((last - first + 7) % 7) {
        guard insert(Weekdays((first + offset) % 7)).inserted else { return nil }
      }
    }
  }
}
