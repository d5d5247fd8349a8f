/// Why the runtime did not do what it was asked, when neither the caller nor the journal is to blame.
public struct RuntimeError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// The runtime is shutting down or has ended; nothing of the request was done.
    public static let stopped = Code(description: "stopped")
  }

  /// The kind of failure.
  public let code: Code
  /// What happened.
  public let message: String
  /// What led to it.
  public let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  public var description: String { "\(code): \(message)" }
}
