/// Why a calendar or a CSV file could not be read, for the person who wrote the file.
///
/// The message names the limit or the number that was wrong and never repeats the file's content.
public struct FeedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure. New ones may be added; match those that you know.
  public struct Code: Hashable, Sendable {
    /// The name of the code, stable across versions.
    public let name: String

    private init(_ name: String) {
      self.name = name
    }

    /// The file cannot be opened or read.
    public static let unreadable = Code("unreadable")
    /// The bytes are not a calendar, or a component is not closed.
    public static let notACalendar = Code("not-a-calendar")
    /// A property or a column has a value that cannot be used.
    public static let badValue = Code("bad-value")
    /// A property or a column that must be there is missing.
    public static let missing = Code("missing")
    /// A recurrence rule cannot be followed.
    public static let badRule = Code("bad-rule")
    /// A time zone that the file relies on is not known.
    public static let unknownZone = Code("unknown-zone")
    /// The file, or what it expands to, is over a limit.
    public static let limitExceeded = Code("limit-exceeded")
  }

  /// The kind of failure.
  public let code: Code
  /// What was wrong, in one sentence.
  public let message: String
  /// The property or column that was wrong, when it is known.
  public let property: String?
  /// The line of the file, counted from 1, when it is known.
  public let line: Int?

  package init(_ code: Code, _ message: String, property: String? = nil, line: Int? = nil) {
    self.code = code
    self.message = message
    self.property = property
    self.line = line
  }

  /// The message, after the line and the property when these are known.
  public var description: String {
    let place = [line.map { "line \($0)" }, property].compactMap(\.self)
    return (place + [message]).joined(separator: ": ")
  }
}
