import MarqueeRPC
public import MarqueeTransport

/// The delays between the streams of a client that stays connected.
public struct Reconnection: Sendable {
  /// The backoff between streams.
  public var backoff = ClientConfiguration.Backoff()
  /// Returns a random number in 0..<1 for the jitter.
  public var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }

  /// Called when a stream of updates has ended and is to be reopened, and when the next one has sent an update.
  public var changed: @Sendable (_ isInterrupted: Bool) -> Void = { _ in }

  /// Sleeps for the duration, or throws `CancellationError` if the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// Creates the default.
  public init() {}

  /// Waits before the next attempt, after `attempt` failed ones. Throws `CancellationError` if the task is cancelled.
  func pause(after attempt: Int) async throws {
    try await sleep(backoff.pause(after: attempt, chance: chance()))
  }
}

extension RPCClient {
  /// Whether a call that ended with the status may succeed later or on another connection.
  func mayRetry(_ status: RPCStatus) -> Bool {
    connectivity != .shutDown && [.unavailable, .aborted, .cancelled, .deadlineExceeded].contains(status.code)
  }

  /// Whether a stream that ended with the status should be reopened. That includes `RESOURCE_EXHAUSTED`, with which a
  /// server ends a stream that is read too slowly.
  func mayReopen(after status: RPCStatus) -> Bool {
    mayRetry(status) || connectivity != .shutDown && status.code == .resourceExhausted
  }
}
