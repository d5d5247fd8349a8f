import Logging
import MarqueeJournal
import MarqueeModel
import MarqueeRuntime
import ServiceLifecycle

/// A service that periodically deletes history past the retention period, so that the store stops growing.
struct HistoryService: Service {
  private static let intervalMax = Duration.seconds(3_600)

  let journals: [any TableJournal]
  /// The shards that the server serves as a node of a cluster; `nil` for all devices.
  let node: NodeState?
  let clock: any WallClock
  /// The minimum age of history that is deleted.
  let retention: TimeSpan
  let logger: Logger

  func run() async throws {
    // A twentieth of the retention period is precise enough.
    let interval = min(Self.intervalMax, max(.seconds(1), .milliseconds(retention.milliseconds / 20)))
    while !Task.isCancelled {
      for (index, journal) in journals.enumerated() { await compact(journal, shards(of: index)) }
      do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: interval) } } catch { return }
    }
  }

  /// Returns the shards of a journal.
  private func shards(of index: Int) -> ShardSet? {
    node.map { node in
      ShardSet(node.served.filter { $0.eventLoop(of: journals.count) == index }, of: node.shardCount)
    }
  }

  private func compact(_ journal: any TableJournal, _ shards: ShardSet?) async {
    do {
      let compaction = try await journal.compact(keeping: retention, now: clock.now, of: shards)
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
