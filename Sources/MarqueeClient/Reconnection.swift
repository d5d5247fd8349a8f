public import MarqueeRPC
public import MarqueeTransport
import MarqueeWire

/// The delays between the streams of a client that stays connected.
public struct Reconnection: Sendable {
  /// The backoff between streams.
  public var backoff = ClientConfiguration.Backoff()
  /// Returns a random number in 0..<1 for the jitter.
  public var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }

  /// Called with the status of an attempt to register, or to send donations, that has failed and is to be repeated.
  public var failed: @Sendable (_ status: RPCStatus) -> Void = { _ in }

  /// Called when a stream has ended and is to be reopened, with the status that it ended with, if any, and when the
  /// next one has begun.
  public var changed: @Sendable (_ isInterrupted: Bool, _ status: RPCStatus?) -> Void = { _, _ in }

  /// Sleeps for the duration, or throws `CancellationError` if the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// Creates the default.
  public init() {}

  /// Waits before the next attempt, after `attempt` failed ones. Throws `CancellationError` if the task is cancelled.
  ///
  /// - Parameters:
  ///   - attempt: The number of failed attempts.
  ///   - status: The status of the last one. Its ``RPCStatus/retryDelay``, up to the maximum delay, is added. If that
  ///     is zero, the second attempt follows at once.
  func pause(after attempt: Int, _ status: RPCStatus? = nil) async throws {
    if attempt == 1, status?.retryDelay == .zero { return }
    let delay = status?.retryDelay.map { min($0, backoff.last) }
    try await sleep(backoff.pause(after: attempt, chance: chance()) + (delay ?? .zero))
  }
}

extension RPCClient {
  /// Whether a call that ended with the status may succeed later or on another connection.
  ///
  /// `RESOURCE_EXHAUSTED` may pass if the server says so, as for a full disk or queue; otherwise a limit is exceeded.
  func mayRetry(_ status: RPCStatus) -> Bool {
    guard connectivity != .shutDown else { return false }
    return [.unavailable, .aborted, .cancelled, .deadlineExceeded].contains(status.code) || status.isOverload
  }

  /// Whether a stream that ended with the status should be reopened. That includes `RESOURCE_EXHAUSTED`, with which a
  /// server ends a stream that is read too slowly.
  func mayReopen(after status: RPCStatus) -> Bool {
    mayRetry(status) || connectivity != .shutDown && status.code == .resourceExhausted
  }
}

extension RPCStatus {
  /// Whether the server was overloaded or its disk full, so that the same call may succeed later.
  var isOverload: Bool { code == .resourceExhausted && (retryDelay != nil || isRefusal) }
}
