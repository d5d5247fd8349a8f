import MarqueeRPC
public import MarqueeTransport

/// How clients that stay connected wait between one stream and the next.
public struct Reconnection: Sendable {
  /// How long each pause is.
  public var backoff = ClientConfiguration.Backoff()
  /// Chance, from 0 up to 1, for spreading the pauses.
  public var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }

  /// Returns after a time, or throws `CancellationError` when the task is cancelled before.
  package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// The defaults.
  public init() {}

  /// Waits before the attempt after `attempt` failed ones; throws `CancellationError` when the task is cancelled.
  func pause(after attempt: Int) async throws {
    try await sleep(backoff.pause(after: attempt, chance: chance()))
  }
}

extension RPCClient {
  /// Whether a call that ended so may succeed on another connection or at another time.
  func mayRetry(_ status: RPCStatus) -> Bool {
    connectivity != .shutDown && [.unavailable, .aborted, .cancelled, .deadlineExceeded].contains(status.code)
  }

  /// Whether a stream that ended so is to be opened again: also after `RESOURCE_EXHAUSTED`, which a server answers to
  /// a stream that was read too slowly.
  func mayReopen(after status: RPCStatus) -> Bool {
    mayRetry(status) || connectivity != .shutDown && status.code == .resourceExhausted
  }
}
