/// What is wrong with a scenario: where, in which field, and what was expected there.
public struct ScenarioError: Error, Hashable, Sendable {
  /// The line, counted from 1; `nil` when the scenario was not read from text or no line is to blame.
  public let line: Int?
  /// The column, counted from 1 in Unicode scalars; `nil` when it is not known.
  public let column: Int?
  /// The path of the field, such as `events[3].relevance[0]`; empty when the whole text is meant.
  public let field: String
  /// What is wrong, or what was expected.
  public let message: String

  /// An error at a place.
  public init(line: Int? = nil, column: Int? = nil, field: String = "", _ message: String) {
    self.line = line
    self.column = column
    self.field = field
    self.message = message
  }
}

extension ScenarioError: CustomStringConvertible {
  /// `line 3, column 5: events[0].at: not a time …`, without what is not known.
  public var description: String {
    let place = line.map { line in "line \(line)" + (column.map { ", column \($0)" } ?? "") }
    return [place, field.isEmpty ? nil : field, message].compactMap { $0 }.joined(separator: ": ")
  }
}
