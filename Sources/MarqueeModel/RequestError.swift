/// The reason why a value or an event was rejected: a code, a field, and a description.
///
/// A rejected request changes nothing. The text can contain identifier lengths and numbers, but never payload bytes.
public struct RequestError: Error, Hashable, Sendable {
  /// The error code; each has a gRPC status code of the same name.
  public enum Code: UInt8, Sendable {
    /// The value is invalid in any state.
    case invalidArgument
    /// A named object does not exist.
    case notFound
    /// An object with that name already exists.
    case alreadyExists
    /// The value is valid, but not in the current state.
    case failedPrecondition
    /// A limit would be exceeded.
    case resourceExhausted
  }

  /// The error code.
  public let code: Code
  /// The path of the invalid field, such as `entries[3].relevance.score`; empty if the error concerns the value as a
  /// whole.
  public private(set) var field: String
  /// A description of the problem, including the invalid number.
  public let reason: String

  /// Creates an error for a field.
  public init(_ code: Code, field: String = "", _ reason: String) {
    self.code = code
    self.field = field
    self.reason = reason
  }

  /// Returns the error with its path prefixed by `outer`, the field that contains the invalid value.
  public func within(_ outer: String) -> RequestError {
    var copy = self
    copy.field = field.isEmpty ? outer : field.hasPrefix("[") ? outer + field : "\(outer).\(field)"
    return copy
  }

  /// Returns an error for a value that exceeds a limit.
  ///
  /// - Parameters:
  ///   - limit: The limit's name, such as `stack-count-max`.
  ///   - maximum: The limit's value.
  ///   - count: The count or size that exceeds it.
  ///   - field: The path of the field.
  public static func over(limit: String, maximum: Int, count: Int, field: String = "") -> RequestError {
    RequestError(.resourceExhausted, field: field, "\(count) exceeds \(limit) (\(maximum))")
  }
}

extension RequestError: CustomStringConvertible {
  public var description: String { field.isEmpty ? reason : "\(field): \(reason)" }
}
