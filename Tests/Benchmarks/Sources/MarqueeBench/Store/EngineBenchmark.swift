import Foundation
import PostgresProcess

/// A benchmark of the journal in PostgreSQL, compared with that in SQLite: the same events, durable when they are
/// acknowledged, interleaved on the same disk. The servers are started for it.
struct EngineBenchmark {
  let rounds: Int
  /// The seconds per system and round.
  let seconds: Double
  /// The number of concurrent publishers of each group of rows.
  let publisherCounts: [Int]
  /// Whether a server with a synchronous standby is measured, too.
  let hasStandby: Bool
  /// The number of days of the histories from which donations are deleted.
  let historyDays: Int

  /// The systems under comparison.
  enum System: String, CaseIterable {
    case sqlite = "runtime and SQLite"
    case postgres = "runtime and PostgreSQL"
    case standby = "runtime and PostgreSQL with a standby"
    case libpq = "the journal by libpq alone"
  }

  /// A measurement of a system in a round.
  struct Measurement {
    let load: PublishingLoad.Report
    /// The CPU time of the database server's processes per publication, in microseconds.
    let serverTime: Double
  }

  /// Returns the report of all numbers of publishers, with a standby, or a note if PostgreSQL is not installed.
  static func reportIfInstalled(rounds: Int, seconds: Double) async throws -> BenchmarkReport {
    guard PostgresProcess.programs != nil else { return BenchmarkReport(text: PostgresProcess.missing) }
    return try await EngineBenchmark(
      rounds: rounds, seconds: seconds, publisherCounts: [1, 64], hasStandby: true, historyDays: 5
    ).report()
  }

  /// Returns a table of publishing with a row per system and number of publishers, and one of loading devices.
  func report() async throws -> BenchmarkReport {
    let place = URL(filePath: "/tmp/marquee-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }  // best effort
    let servers = try EngineServers(hasStandby: hasStandby)
    defer { servers.remove() }
    var table = MarkdownTable([
      "publishers", "what", "publishes/s", "of SQLite", "of libpq", "p50, µs", "p99, µs", "CPU, µs a publish",
      "server's CPU, µs",
    ])
    var figures: [Figure] = []
    for count in publisherCounts {
      let stage = try await EngineStage(servers, publisherCount: count, folder: place.appending(path: "\(count)").path)
      let all = try await measurements(stage, servers, PublishingLoad(publisherCount: count, seconds: seconds))
      try await stage.end()
      for system in System.allCases {
        guard let found = all[system], let sqlite = all[.sqlite], let libpq = all[.libpq] else { continue }
        let ratios = [sqlite, libpq].map { others in Spread(zip(found, others).map { $0.load.rate / $1.load.rate }) }
        table.add(["\(count)", system.rawValue] + ratios.cells(of: found))
        figures += Self.figures(system, count, ofSQLite: ratios[0].median, ofLibpq: ratios[1].median)
      }
    }
    let loading = try await LoadingBenchmark(rounds: rounds).report(servers, folder: place.appending(path: "load").path)
    let deletion = try await DeletionBenchmark(rounds: rounds, dayCount: historyDays)
      .report(servers, folder: place.appending(path: "deletion").path)
    return BenchmarkReport(
      text: [table.text, loading.text, deletion.text, Self.notes].joined(separator: "\n\n"),
      figures: figures + loading.figures + deletion.figures)
  }

  /// Measures each system in each round.
  private func measurements(
    _ stage: EngineStage, _ servers: EngineServers, _ load: PublishingLoad
  ) async throws -> [System: [Measurement]] {
    var all: [System: [Measurement]] = [:]
    // The first round is a warm-up: files grow, and caches fill.
    for round in 0...rounds {
      for system in System.allCases where system != .standby || hasStandby {
        let start = try servers.processorTime()
        let report = try await load.run { publisher, number in
          try await stage.publish(number, by: publisher, system)
        }
        let serverTime = (try servers.processorTime() - start) * 1e6 / (report.rate * load.seconds)
        if round > 0 { all[system, default: []].append(Measurement(load: report, serverTime: serverTime)) }
      }
    }
    return all
  }

  private static func figures(
    _ system: System, _ count: Int, ofSQLite: Double, ofLibpq: Double
  ) -> [Figure] {
    switch system {
    case .sqlite, .libpq: []
    case .standby: [Figure("timelines published by \(count), PostgreSQL with a standby, of SQLite's rate", ofSQLite)]
    case .postgres:
      [
        Figure("timelines published by \(count), PostgreSQL, of SQLite's rate", ofSQLite),
        Figure("timelines published by \(count), PostgreSQL, of libpq's rate", ofLibpq),
      ]
    }
  }

  private static let notes = """
    The runtime does the same with both engines. With PostgreSQL, rows are sealed, which libpq alone does not do: \
    its journal has the indexes and the trigger, and a transaction takes one round trip, as those of the runtime do. \
    Ratios are those of each round. PostgreSQL has its own settings, with durable commits; it shares the processors \
    and the disk with the load, and so does the standby. Not measured: a network between the runtime and the \
    database, the share of sealing by itself, sockets and messages, and devices that must be loaded while others \
    publish.
    """
}

extension [Spread] {
  /// Returns the cells of the measurements of a system, with the spreads of its ratios.
  fileprivate func cells(of found: [EngineBenchmark.Measurement]) -> [String] {
    let loads = found.map(\.load)
    return [Spread(loads.map(\.rate)).whole] + map(\.hundredths) + [
      Spread(loads.map(\.p50)).whole, Spread(loads.map(\.p99)).whole, Spread(loads.map(\.cpu)).whole,
      Spread(found.map(\.serverTime)).whole,
    ]
  }
}
