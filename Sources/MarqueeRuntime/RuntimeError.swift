public import MarqueeCluster
public import MarqueeModel

/// An error of the runtime itself, as opposed to an invalid request or a failure of the journal.
public struct RuntimeError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// The runtime is shutting down or has stopped. The request had no effect.
    public static let stopped = Code(description: "stopped")
    /// A queue is full or a budget is exhausted, which passes with time. The request had no effect; the same request
    /// can succeed later.
    public static let overloaded = Code(description: "overloaded")
    /// Another server serves the device. The request had no effect; it can be sent to that server.
    public static let moved = Code(description: "moved")
  }

  /// The kind of failure.
  public let code: Code
  /// A description of the failure.
  public let message: String
  /// The time after which an overloaded runtime may accept the request, if it is known.
  public let retryDelay: TimeSpan?
  /// The server that serves a moved device, if it is known.
  public let owner: NodeRecord?
  /// The underlying error, if any.
  public let cause: (any Error)?

  init(
    _ code: Code, _ message: String, retryDelay: TimeSpan? = nil, owner: NodeRecord? = nil,
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.retryDelay = retryDelay
    self.owner = owner
    self.cause = cause
  }

  /// Returns the error of a full queue.
  ///
  /// - Parameters:
  ///   - limit: The limit's name.
  ///   - maximum: The limit's value.
  ///   - count: The count or size that exceeds it.
  static func full(limit: String, maximum: Int, count: Int) -> RuntimeError {
    RuntimeError(.overloaded, "\(count) exceeds \(limit) (\(maximum))")
  }

  /// Returns the error for devices that another server serves.
  package static func moved(to owner: NodeRecord?) -> RuntimeError {
    let name = owner.map { "the server \($0.name)" } ?? "another server"
    return RuntimeError(.moved, "the device is served by \(name)", owner: owner)
  }

  /// The error of a node whose lease could not be renewed in time.
  package static let leaseEnded = RuntimeError(
    .moved, "the server cannot renew its lease; another server may serve the device")

  public var description: String { "\(code): \(message)" }
}
