/// An error in a calendar, a CSV file or a weather forecast.
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
    /// The bytes are not a weather forecast in JSON.
    public static let notAForecast = Code("not-a-forecast")
    /// A property, a column or a field has an invalid value.
    public static let badValue = Code("bad-value")
    /// A required property, column or field is missing.
    public static let missing = Code("missing")
    /// A recurrence rule is invalid or unsupported.
    public static let badRule = Code("bad-rule")
    /// The file or its expansion exceeds a limit.
    public static let limitExceeded = Code("limit-exceeded")
  }

  /// The kind of error.
  public let code: Code
  /// A description of the error.
  public let message: String
  /// The property, column or field concerned, or `nil` if unknown.
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

extension FeedError {
  /// Creates an error from that of a decoder, with the path of the field and the kind of value.
  init(_ error: DecodingError) {
    let (code, context, key, message): (Code, DecodingError.Context, [any CodingKey], String) =
      switch error {
      case .typeMismatch(let type, let context): (.badValue, context, [], "not \(Self.kind(of: type))")
      case .valueNotFound(let type, let context): (.badValue, context, [], "null instead of \(Self.kind(of: type))")
      case .keyNotFound(let key, let context): (.missing, context, [key], "required field is missing")
      case .dataCorrupted(let context):
        context.codingPath.isEmpty
          ? (.notAForecast, context, [], "not JSON") : (.badValue, context, [], "invalid value")
      @unknown default: (.badValue, DecodingError.Context(codingPath: [], debugDescription: ""), [], "invalid value")
      }
    let path = (context.codingPath + key).map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    self.init(code, message, property: path.isEmpty ? nil : String(path.drop { $0 == "." }))
  }

  private static func kind(of type: any Any.Type) -> String {
    switch type {
    case is Int.Type, is Int64.Type: "an integer"
    case is Double.Type: "a number"
    case is String.Type: "a text"
    case is WeatherFile.Time.Type: "a time in ISO 8601 or in seconds"
    case is [String: Any].Type: "an object"
    case is [Any].Type: "a list"
    default: "the expected kind of value"
    }
  }
}
