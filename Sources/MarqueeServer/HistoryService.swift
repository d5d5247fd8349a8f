import Logging
import MarqueeJournal
import MarqueeModel
import MarqueeRuntime
import ServiceLifecycle

/// A service that periodically deletes history past the retention period, so that the store stops growing.
struct HistoryService: Service {
  private static let intervalMax = Duration.seconds(3_600)

  let journal: any TableJournal
  let clock: any WallClock
  /// The minimum age of history that is deleted.
  let retention: TimeSpan
  let logger: Logger

  func run() async throws {
    // A twentieth of the retention period is precise enough.
    let interval = min(Self.intervalMax, max(.seconds(1), .milliseconds(retention.milliseconds / 20)))
    while !Task.isCancelled {
      await compact()
      do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) } } catch { return }
    }
  }

  private func compact() async {
    do {
      let compaction = try await journal.compact(keeping: retention, now: clock.now)
      for device in compaction.unreadable {
        logger.error("history cannot be read, and is not shortened", metadata: ["device": "\(device)"])
      }
      guard compaction.deviceCount + compaction.rowCount > 0 else { return }
      logger.info(
        "history compacted",
        metadata: ["devices": "\(compaction.deviceCount)", "rows": "\(compaction.rowCount)"])
    } catch {
      // Completed deletions persist; the next run repeats the others.
      logger.error("history compaction failed", metadata: ["error": "\(error)"])
    }
  }
}
