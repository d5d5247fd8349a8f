/// A value in the description of a warning or finding, from which a text in another language can be made.
public struct FindingValue: Hashable, Sendable {
  /// The content of a value.
  public enum Content: Hashable, Sendable {
    /// A finite number.
    case number(Double)
    /// A name, or another text without a language.
    case text(String)
    /// A period.
    case span(TimeSpan)
  }

  /// The name, such as `entry`, which is distinct among the values of a description.
  public let name: String
  /// The content.
  public let content: Content

  /// Creates a value.
  public init(_ name: String, _ content: Content) {
    self.name = name
    self.content = content
  }

  /// Creates a value that is a count or an index.
  public init(_ name: String, _ number: Int) { self.init(name, .number(Double(number))) }

  /// Creates a value that is a number.
  public init(_ name: String, _ number: Double) { self.init(name, .number(number)) }

  /// Creates a value that is a name.
  public init(_ name: String, _ text: some CustomStringConvertible) { self.init(name, .text(text.description)) }

  /// Creates a value that is a period.
  public init(_ name: String, _ span: TimeSpan) { self.init(name, .span(span)) }
}
