import Foundation
import MarqueeJournal
import PostgresProcess

/// A measurement of what a day of a device adds to a database in PostgreSQL: rows, bytes in tables with their indexes,
/// and bytes in the write-ahead log.
///
/// Each device is a ``BusyHome``. The first day, with its set-up, is not counted.
struct StorageBenchmark {
  /// A table of the database.
  private enum Table: String, CaseIterable {
    case journal
    case decision
    case snapshot
    case device
    case wakes = "wake_schedule"
    case seal
  }

  /// The contents of the database at one time.
  private struct Contents {
    var rows: [Table: Int] = [:]
    var bytes: [Table: Int] = [:]
    /// The bytes that have been written to the write-ahead log.
    var logged = 0
  }

  let deviceCount: Int
  /// The number of days that are counted.
  let dayCount: Int

  /// Returns a table with a row per table of the database.
  func report() async throws -> BenchmarkReport {
    let place = "/tmp/marquee-bench-\(ProcessInfo.processInfo.processIdentifier)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: place) }  // best effort
    let server = try PostgresProcess(["shared_buffers": "128MB"])
    defer { server.remove() }
    let stage = try await PostgresStage(server, keys: place + "/keys")
    let query = try LibpqQuery(stage.info)
    var histories = try PublishingRuntime.devices(deviceCount).map { try DeviceHistory($0) }
    var first = Contents()
    var eventCount: UInt64 = 0
    for day in 0...dayCount {
      for index in histories.indices {
        for session in 0..<BusyHome.sessionCount { try histories[index].live(day: day, session: session) }
        histories[index].takeSnapshot()
        try await histories[index].store(in: [stage.journal])
      }
      guard day == 0 else { continue }
      first = try contents(query)
      eventCount = histories[0].sequence
    }
    let last = try contents(query)
    await stage.close()
    let events = (histories[0].sequence - eventCount) / UInt64(dayCount)
    let text = table(of: first, last) + "\n\nA day of a device has \(events) events."
    return BenchmarkReport(text: text)
  }

  private func contents(_ query: LibpqQuery) throws -> Contents {
    var contents = Contents()
    for table in Table.allCases {
      let name = "marquee.\(table.rawValue)"
      contents.rows[table] = try query.integer("SELECT count(*) FROM \(name)")
      contents.bytes[table] = try query.integer("SELECT pg_total_relation_size('\(name)')")
    }
    contents.logged = try query.integer("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")
    return contents
  }

  private func table(of first: Contents, _ last: Contents) -> String {
    var table = MarkdownTable(["table", "rows", "bytes", "bytes a row"])
    let days = Double(deviceCount * dayCount)
    var sum = (rows: 0.0, bytes: 0.0)
    func add(_ name: String, _ rows: Double, _ bytes: Double) {
      let size = rows > 0 ? "\(Int((bytes / rows).rounded()))" : ""
      table.add([name, Spread.rounded(rows), "\(Int(bytes.rounded()))", size])
    }
    for kind in Table.allCases {
      let rows = Double((last.rows[kind] ?? 0) - (first.rows[kind] ?? 0)) / days
      let bytes = Double((last.bytes[kind] ?? 0) - (first.bytes[kind] ?? 0)) / days
      add(kind.rawValue, rows, bytes)
      (sum.rows, sum.bytes) = (sum.rows + rows, sum.bytes + bytes)
    }
    add("all", sum.rows, sum.bytes)
    add("write-ahead log", 0, Double(last.logged - first.logged) / days)
    return table.text
  }
}
