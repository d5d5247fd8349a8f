import MarqueeJournal
import MarqueeModel
import MarqueeStore
import Synchronization

/// A benchmark of deletions of one donation, each of a device with a long history, in PostgreSQL compared with SQLite,
/// and of how long the events of another device wait meanwhile.
struct DeletionBenchmark {
  /// The numbers of devices that delete a donation at the same time.
  private static let deviceCounts = [1, 4]

  let rounds: Int
  /// The number of days of a history, with 20 sessions of 10 events each, and a snapshot on each day.
  let dayCount: Int

  /// A measurement of a round, in milliseconds.
  private struct Measurement {
    /// The time until all deletions are stored.
    let deletion: Double
    /// The longest time of an event of another device.
    let longestWait: Double
  }

  /// Returns a table with a row per engine and number of devices.
  func report(_ servers: EngineServers, folder: String) async throws -> BenchmarkReport {
    let store = try Store(directory: folder)
    let database = try await PostgresStage(servers.single, keys: folder + "-keys")
    let engines: [(name: String, journal: any DeviceJournal)] = [("SQLite", store), ("PostgreSQL", database.journal)]
    let names = try PublishingRuntime.devices((Self.deviceCounts.max() ?? 0) + 1)
    var histories: [DeviceHistory] = []
    for name in names.dropLast() {
      histories.append(try await history(of: name, in: engines.map(\.journal)))
    }
    let rowCount = histories[0].sequence + histories[0].device.decisionCount
    var table = MarkdownTable([
      "devices that delete", "in", "rows of each", "deletions, ms", "an event of another device waits for, ms",
    ])
    var waits: [Spread] = []
    for engine in engines {
      var (changed, other) = (histories, try DeviceHistory(names[names.count - 1]))
      try await other.store(in: [engine.journal])
      var number = 0
      for count in Self.deviceCounts {
        var found: [Measurement] = []
        // The first round is a warm-up.
        for _ in 0...rounds {
          number += 1
          for index in 0..<count {
            try changed[index].deleteDonation(day: number % dayCount, session: number % BusyHome.sessionCount)
          }
          found.append(try await Self.measure(Array(changed[..<count]), &other, number, engine.journal))
          for index in 0..<count { changed[index].forget() }
        }
        waits.append(Spread(found.dropFirst().map(\.longestWait)))
        let deletions = Spread(found.dropFirst().map(\.deletion))
        table.add(["\(count)", engine.name, "\(rowCount)", deletions.text, waits[waits.count - 1].text])
      }
    }
    await database.close()
    try store.close()
    let ratio = waits[waits.count - 1].median / waits[waits.count - Self.deviceCounts.count].median
    return BenchmarkReport(
      text: table.text,
      figures: [Figure("longest wait while 4 devices delete from PostgreSQL, of that while one does", ratio)])
  }

  /// Stores the history of a device.
  private func history(of id: DeviceID, in journals: [any DeviceJournal]) async throws -> DeviceHistory {
    var history = try DeviceHistory(id)
    for day in 0..<dayCount {
      for session in 0..<BusyHome.sessionCount { try history.live(day: day, session: session) }
      history.takeSnapshot()
      try await history.store(in: journals)
    }
    return history
  }

  /// Stores deletions, and events of another device until they are stored.
  private static func measure(
    _ deletions: [DeviceHistory], _ other: inout DeviceHistory, _ round: Int, _ journal: any DeviceJournal
  ) async throws -> Measurement {
    let start = LoadMeter.now
    let end = Completion()
    let task = Task {
      defer { end.complete() }
      try await withThrowingDiscardingTaskGroup { group in
        for deletion in deletions {
          group.addTask {
            var deletion = deletion
            try await deletion.store(in: [journal])
          }
        }
      }
      return LoadMeter.now
    }
    var longest: UInt64 = 0
    while !end.isComplete {
      let begin = LoadMeter.now
      try other.live(day: round, session: 0)
      try await other.store(in: [journal])
      longest = max(longest, LoadMeter.now - begin)
    }
    return Measurement(deletion: Double(try await task.value - start) / 1e6, longestWait: Double(longest) / 1e6)
  }
}

/// Whether a task has ended.
private final class Completion: Sendable {
  private let flag = Atomic(false)

  var isComplete: Bool { flag.load(ordering: .acquiring) }

  func complete() { flag.store(true, ordering: .releasing) }
}
