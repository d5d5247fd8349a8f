import MarqueeJournal
import MarqueeModel
import MarqueeStore

/// A benchmark of loading devices that are not in memory from PostgreSQL, compared with SQLite, one device at a time.
///
/// The rows of a device are its creation, a snapshot, the 60 events of six sessions after that, and its decisions. The
/// databases have them in their caches.
struct LoadingBenchmark {
  private static let deviceCount = 64
  private static let sessionCount = 6

  let rounds: Int

  /// Returns a table with a row per engine.
  func report(_ servers: EngineServers, folder: String) async throws -> BenchmarkReport {
    let store = try Store(directory: folder)
    let database = try await PostgresStage(servers.single, keys: folder + "-keys")
    let devices = try PublishingRuntime.devices(Self.deviceCount)
    for device in devices {
      var history = try DeviceHistory(device)
      history.takeSnapshot()
      for session in 0..<Self.sessionCount { try history.live(day: 0, session: session) }
      try await history.store(in: [store, database.journal])
    }
    var times: [[[UInt64]]] = [[], []]
    // The first round is a warm-up.
    for _ in 0...rounds {
      var round: [[UInt64]] = [[], []]
      for device in devices {
        round[0].append(try await Self.time(of: device, store))
        round[1].append(try await Self.time(of: device, database.journal))
      }
      for engine in 0...1 { times[engine].append(round[engine].sorted()) }
    }
    await database.close()
    try store.close()
    return report(times.map { Array($0.dropFirst()) })
  }

  private func report(_ times: [[[UInt64]]]) -> BenchmarkReport {
    var table = MarkdownTable(["a device loaded from", "p50, µs", "of SQLite", "greatest, µs"])
    let medians = times.map { $0.map { Double($0[$0.count / 2]) / 1e3 } }
    let ratios = medians.map { Spread(zip($0, medians[0]).map(/)) }
    for (engine, name) in ["SQLite", "PostgreSQL"].enumerated() {
      let last = Spread(times[engine].map { Double($0[$0.count - 1]) / 1e3 })
      table.add([name, Spread(medians[engine]).whole, ratios[engine].hundredths, last.whole])
    }
    return BenchmarkReport(
      text: table.text,
      figures: [Figure("a device loaded from PostgreSQL, median, of SQLite's", ratios[1].median)])
  }

  private static func time(of device: DeviceID, _ journal: any DeviceJournal) async throws -> UInt64 {
    let start = LoadMeter.now
    guard try await journal.load(device) != nil else { throw BenchmarkError("a stored device is missing") }
    return LoadMeter.now - start
  }
}
