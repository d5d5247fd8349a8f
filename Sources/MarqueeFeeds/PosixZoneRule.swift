/// The rule in the footer of a TZif file: a POSIX `TZ` string, with the extensions of RFC 9636.
struct PosixZoneRule: Sendable {
  private let standardOffset: Int64
  private let daylight: Daylight?

  private struct Daylight: Sendable {
    let offset: Int64
    let start: Change
    let end: Change
  }

  /// The day and the wall-clock time of a change within a year.
  private struct Change: Sendable {
    enum Day: Sendable {
      case weekday(month: Int, week: Int, weekday: Int)
      case julian(Int)
      case zeroBased(Int)
    }
    let day: Day
    let seconds: Int64

    /// The change in wall-clock seconds since 1970-01-01T00:00:00.
    func wall(year: Int) -> Int64 {
      Int64(dayNumber(year: year)) * CivilDate.secondsPerDay + seconds
    }

    private func dayNumber(year: Int) -> Int {
      let newYear = CivilDate.dayNumber(year: year, month: 1, day: 1)
      switch day {
      case .zeroBased(let day): return newYear + day
      case .julian(let day): return newYear + day - (CivilDate.isLeap(year) && day >= 60 ? 0 : 1)
      case .weekday(let month, let week, let weekday):
        let first = CivilDate.dayNumber(year: year, month: month, day: 1)
        // POSIX counts weekdays from Sunday, CivilDate from Monday.
        let day = (weekday + 6 - CivilDate.weekday(dayNumber: first)).modulo(7) + 7 * (week - 1)
        return first + (day < CivilDate.dayCount(year: year, month: month) ? day : day - 7)
      }
    }
  }

  /// Parses the footer: a line break, the rule, a line break. Returns `nil` if it is empty or unsupported.
  init?(footerAt start: Int, of bytes: [UInt8]) {
    guard start < bytes.count, bytes[start] == 10, let end = bytes[(start + 1)...].firstIndex(of: 10) else {
      return nil
    }
    self.init(String(decoding: bytes[(start + 1)..<end], as: UTF8.self))
  }

  init?(_ text: String) {
    var rest = Substring(text)
    guard Self.skipName(&rest), let standard = Self.readTime(&rest) else { return nil }
    standardOffset = -standard
    guard !rest.isEmpty else {
      daylight = nil
      return
    }
    guard Self.skipName(&rest) else { return nil }
    var offset = standardOffset + 3600
    if let first = rest.first, first != "," {
      guard let read = Self.readTime(&rest) else { return nil }
      offset = -read
    }
    guard let start = Self.readChange(&rest), let end = Self.readChange(&rest), rest.isEmpty else { return nil }
    daylight = Daylight(offset: offset, start: start, end: end)
  }

  /// Returns the offset east of UTC, in seconds, at an instant.
  func offset(atInstant instant: Int64) -> Int64 {
    guard let daylight else { return standardOffset }
    let wall = instant + standardOffset
    let year = CivilDate(dayNumber: Int(wall.floorDivided(by: CivilDate.secondsPerDay))).year
    let start = daylight.start.wall(year: year) - standardOffset
    let end = daylight.end.wall(year: year) - daylight.offset
    let isDaylight = start < end ? (start..<end).contains(instant) : !(end..<start).contains(instant)
    return isDaylight ? daylight.offset : standardOffset
  }

  private static func skipName(_ rest: inout Substring) -> Bool {
    if rest.first == "<" {
      guard let end = rest.firstIndex(of: ">") else { return false }
      rest = rest[rest.index(after: end)...]
      return true
    }
    let name = rest.prefix { $0.isASCII && $0.isLetter }
    rest = rest[name.endIndex...]
    return !name.isEmpty
  }

  /// Parses `[+-]hh[:mm[:ss]]`, in seconds.
  private static func readTime(_ rest: inout Substring) -> Int64? {
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    let text = rest.prefix { $0.isASCII && $0.isNumber || $0 == ":" }
    rest = rest[text.endIndex...]
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
    guard (1...3).contains(parts.count), parts.allSatisfy({ $0.map { $0 <= 167 } ?? false }) else { return nil }
    let seconds = zip(parts, [3600, 60, 1]).reduce(Int64(0)) { $0 + ($1.0 ?? 0) * $1.1 }
    return isNegative ? -seconds : seconds
  }

  /// Parses `,date[/time]`.
  private static func readChange(_ rest: inout Substring) -> Change? {
    guard rest.popFirst() == "," else { return nil }
    let text = rest.prefix { $0 != "," && $0 != "/" }
    rest = rest[text.endIndex...]
    guard let day = day(text) else { return nil }
    guard rest.first == "/" else { return Change(day: day, seconds: 7200) }
    rest.removeFirst()
    return readTime(&rest).map { Change(day: day, seconds: $0) }
  }

  private static func day(_ text: Substring) -> Change.Day? {
    if text.first == "M" {
      let parts = text.dropFirst().split(separator: ".").compactMap { Int($0) }
      guard parts.count == 3, (1...12).contains(parts[0]), (1...5).contains(parts[1]), (0...6).contains(parts[2])
      else { return nil }
      return .weekday(month: parts[0], week: parts[1], weekday: parts[2])
    }
    if text.first == "J" {
      return Int(text.dropFirst()).flatMap { (1...365).contains($0) ? .julian($0) : nil }
    }
    return Int(text).flatMap { (0...365).contains($0) ? .zeroBased($0) : nil }
  }
}
