/// Why a value or an event was not accepted: what kind of mistake, in which field, and what was wrong.
///
/// A refusal changes nothing. Its text may quote identifiers' lengths and numbers, never payload bytes.
public struct Refusal: Error, Hashable, Sendable {
  /// The kind of mistake; each has a gRPC status code of the same name.
  public enum Code: UInt8, Sendable {
    /// The value itself is wrong, whatever the state.
    case invalidArgument
    /// Something named does not exist.
    case notFound
    /// Something of that name exists already.
    case alreadyExists
    /// The value is right, but not in this state.
    case failedPrecondition
    /// A named limit would be passed.
    case resourceExhausted
  }

  /// The kind of mistake.
  public let code: Code
  /// The path of the offending field, such as `entries[3].relevance.score`; empty when the whole value is meant.
  public private(set) var field: String
  /// What was wrong, with the number that was wrong.
  public let reason: String

  /// A refusal of `field` for `reason`.
  public init(_ code: Code, field: String = "", _ reason: String) {
    self.code = code
    self.field = field
    self.reason = reason
  }

  /// The same refusal, seen from a value that holds the refused one in its field `outer`.
  public func within(_ outer: String) -> Refusal {
    var copy = self
    copy.field = field.isEmpty ? outer : field.hasPrefix("[") ? outer + field : "\(outer).\(field)"
    return copy
  }

  /// A refusal because `count` passes the limit called `limit`, which is `maximum`.
  public static func over(limit: String, maximum: Int, count: Int, field: String = "") -> Refusal {
    Refusal(.resourceExhausted, field: field, "\(limit) is \(maximum), this would make \(count)")
  }
}

extension Refusal: CustomStringConvertible {
  public var description: String { field.isEmpty ? reason : "\(field): \(reason)" }
}
