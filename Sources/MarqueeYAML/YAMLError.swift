/// An error in YAML text, or in the data that it contains, with its location and field.
public struct YAMLError: Error, Hashable, Sendable {
  /// The line, counted from 1, or `nil` if the error concerns no specific line.
  public let line: Int?
  /// The column, counted from 1 in Unicode scalars, or `nil` if it is unknown.
  public let column: Int?
  /// The path of the field, such as `rules[3].role`, or an empty string for the whole text.
  public let field: String
  /// The problem, or the expected content.
  public let message: String

  /// Creates an error at a location.
  public init(line: Int? = nil, column: Int? = nil, field: String = "", _ message: String) {
    self.line = line
    self.column = column
    self.field = field
    self.message = message
  }
}

extension YAMLError: CustomStringConvertible {
  /// The error as text, such as `line 3, column 5: rules[0].role: expected a role`, omitting unknown parts.
  public var description: String {
    let place = line.map { line in "line \(line)" + (column.map { ", column \($0)" } ?? "") }
    return [place, field.isEmpty ? nil : field, message].compactMap { $0 }.joined(separator: ": ")
  }
}
