/// One line of a ``HabitLog``.
struct HabitLine {
  static let lineLengthMax = 65_536

  let person: String
  let day: Int
  let second: Int
  let action: String
  let parameter: String
  let place: String

  var time: Int { day * 86_400 + second }

  /// Splits a file into lines without their line endings.
  static func lines(of bytes: some Sequence<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var line: [UInt8] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines.append(line)
        line = []
      } else {
        line.append(byte)
      }
    }
    if !line.isEmpty { lines.append(line) }
    for index in lines.indices where lines[index].last == UInt8(ascii: "\r") { lines[index].removeLast() }
    if let first = lines.first, first.starts(with: [0xEF, 0xBB, 0xBF]) { lines[0].removeFirst(3) }
    return lines
  }

  /// Parses a line. Returns `nil` for an empty line and for the header.
  init?(_ bytes: [UInt8], number: Int) throws(HabitLogError) {
    guard !bytes.isEmpty else { return nil }
    guard bytes.count <= Self.lineLengthMax else {
      throw HabitLogError(
        line: number, problem: "the line is too long: \(bytes.count) bytes (maximum: \(Self.lineLengthMax))")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw HabitLogError(line: number, problem: "not UTF-8")
    }
    let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard (3...5).contains(fields.count) else {
      throw HabitLogError(line: number, problem: "expected 3 to 5 tab-separated fields, found \(fields.count)")
    }
    if number == 1, fields[0] == "person", fields[1] == "local_time" { return nil }
    guard !fields[2].isEmpty else { throw HabitLogError(line: number, problem: "the action is empty") }
    guard let (day, second) = Self.time(fields[1]) else {
      throw HabitLogError(line: number, problem: "expected a time such as 2013-11-11T09:35:09 as the second field")
    }
    person = fields[0]
    (self.day, self.second) = (day, second)
    action = fields[2]
    parameter = fields.count > 3 ? fields[3] : ""
    place = fields.count > 4 ? fields[4] : ""
  }

  /// Parses `yyyy-mm-ddThh:mm` with or without seconds; a space may replace the `T`.
  private static func time(_ text: String) -> (day: Int, second: Int)? {
    let bytes = Array(text.utf8)
    guard bytes.count == 16 || bytes.count == 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "), bytes[13] == UInt8(ascii: ":"),
      bytes.count == 16 || bytes[16] == UInt8(ascii: ":"),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
      let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
      let second = bytes.count == 16 ? 0 : number(bytes[17..<19]),
      (1...12).contains(month), day >= 1, day <= days(inMonth: month, of: year), hour < 24, minute < 60, second < 60
    else { return nil }
    return (daysSince1970(year: year, month: month, day: day), hour * 3_600 + minute * 60 + second)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard (48...57).contains(digit) else { return nil }
      number = number * 10 + Int(digit) - 48
    }
    return number
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    // Years start in March, so that a leap day is the last day of its year.
    let years = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
  }
}
