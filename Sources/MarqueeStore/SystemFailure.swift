/// The result code of a failed SQLite or system call.
public struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The source of a result code.
  public enum Origin: String, Sendable {
    /// An extended result code of SQLite.
    case sqlite = "SQLite code"
    /// An `errno`.
    case system = "errno"
  }

  /// The source of the result code.
  public let origin: Origin
  /// The result code.
  public let number: Int32

  public var description: String { "\(origin.rawValue) \(number)" }
}
