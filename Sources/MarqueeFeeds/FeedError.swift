/// An error in a calendar or a CSV file.
///
/// The message names the exceeded limit or the invalid number and never contains the file's content.
public struct FeedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error. New kinds may be added.
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
    /// A property or a column has an invalid value.
    public static let badValue = Code("bad-value")
    /// A required property or column is missing.
    public static let missing = Code("missing")
    /// A recurrence rule is invalid or unsupported.
    public static let badRule = Code("bad-rule")
    /// The file uses an unknown time zone.
    public static let unknownZone = Code("unknown-zone")
    /// The file or its expansion exceeds a limit.
    public static let limitExceeded = Code("limit-exceeded")
  }

  /// The kind of error.
  public let code: Code
  /// A description of the error.
  public let message: String
  /// The property or column concerned, or `nil` if unknown.
  public let property: String?
  /// The line of the file, counted from 1, or `nil` if unknown.
  public let line: Int?

  package init(_ code: Code, _ message: String, property: String? = nil, line: Int? = nil) {
    self.code = code
    self.message = message
    self.property = property
    self.line = line
  }

  /// The message, prefixed by the line and the property if known.
  public var description: String {
    let place = [line.map { "line \($0)" }, property].compactMap(\.self)
    return (place + [message]).joined(separator: ": ")
  }
}
