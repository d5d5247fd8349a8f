import Logging
import MarqueeModel
import MarqueeRuntime
import MarqueeStore
import ServiceLifecycle

/// Lets the history of devices begin later, again and again, so that a store does not grow with its age.
struct HistoryService: Service {
  private static let pauseMax = Duration.seconds(3_600)

  let store: Store
  let clock: any WallClock
  /// How much history is kept, at least.
  let span: TimeSpan
  let logger: Logger

  func run() async throws {
    // As much may be kept beyond the span as makes no difference to anybody.
    let pause = min(Self.pauseMax, max(.seconds(1), .milliseconds(span.milliseconds / 20)))
    while !Task.isCancelled {
      await compact()
      do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) } } catch { return }
    }
  }

  private func compact() async {
    do {
      let compaction = try await store.compact(keeping: span, now: clock.now)
      guard compaction.deviceCount + compaction.rowCount > 0 else { return }
      logger.info(
        "history let go",
        metadata: ["devices": "\(compaction.deviceCount)", "rows": "\(compaction.rowCount)"])
    } catch {
      // What was let go of stays so; the rest is tried again.
      logger.error("history cannot be let go", metadata: ["error": "\(error)"])
    }
  }
}
