/// The delay before a failed attempt is repeated: from 2 seconds to 5 minutes, unless it is ended early.
final class RetryDelay: Sendable {
  private let sleeper: Task<Void, any Error>

  /// Begins the delay.
  ///
  /// - Parameters:
  ///   - failureCount: The number of failures in a row.
  ///   - sleep: Sleeps for a duration, or throws if the task is cancelled.
  init(afterFailures failureCount: Int, _ sleep: @escaping @Sendable (Duration) async throws -> Void) {
    let delay = Duration.seconds(min(300, 1 << min(failureCount, 9)))
    sleeper = Task { try await sleep(delay) }
  }

  /// Ends the delay.
  func end() { sleeper.cancel() }

  /// Waits for the end of the delay.
  ///
  /// - Returns: `false` if the calling task is cancelled.
  func wait() async -> Bool {
    await withTaskCancellationHandler {
      // Sleeping throws only when it is ended early.
      _ = await sleeper.result
    } onCancel: {
      sleeper.cancel()
    }
    return !Task.isCancelled
  }
}
