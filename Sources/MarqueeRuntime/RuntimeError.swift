/// An error of the runtime itself, as opposed to an invalid request or a failure of the journal.
public struct RuntimeError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// The runtime is shutting down or has stopped. The request had no effect.
    public static let stopped = Code(description: "stopped")
  }

  /// The kind of failure.
  public let code: Code
  /// A description of the failure.
  public let message: String
  /// The underlying error, if any.
  public let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  public var description: String { "\(code): \(message)" }
}
