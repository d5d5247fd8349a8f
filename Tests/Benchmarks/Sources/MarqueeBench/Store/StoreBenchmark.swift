import Foundation
import MarqueeStore

/// A benchmark of publishing timelines of 24 entries durably, compared with a bare SQLite table that receives as many
/// bytes, and with bare SQLite writing a store's journal; interleaved, in one process and on the same disk.
struct StoreBenchmark {
  let rounds: Int
  /// The seconds per system and round.
  let seconds: Double
  /// The number of concurrent publishers of each group of rows.
  let publisherCounts: [Int]
  /// The directory in which a folder for the files is created.
  let folder: String

  /// The systems under comparison.
  private enum System: String, CaseIterable {
    case own = "runtime and store"
    case journal = "the journal by SQLite alone"
    case bare = "bare SQLite"
  }

  /// Returns a table with a row per system and number of publishers.
  func report() async throws -> BenchmarkReport {
    var table = MarkdownTable([
      "publishers", "what", "publishes/s", "of SQLite", "p50, µs", "p99, µs", "CPU, µs a publish",
      "written, KiB a publish",
    ])
    let place = URL(filePath: folder).appending(path: "marquee-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }  // best effort
    var size = 0
    var figures: [Figure] = []
    for count in publisherCounts {
      let stage = try await PublishingStage(publisherCount: count, folder: place.appending(path: "\(count)").path)
      let reports = try await reports(stage, PublishingLoad(publisherCount: count, seconds: seconds))
      try await stage.end()
      size = stage.meanSize
      for system in System.allCases {
        guard let rounds = reports[system], let bare = reports[.bare] else { continue }
        let ratios = zip(rounds, bare).map { $0.rate / $1.rate }
        table.add(["\(count)", system.rawValue] + Self.cells(rounds, Spread(ratios).hundredths))
        guard system == .own else { continue }
        let name = "timelines published by \(count), durable, of bare SQLite's rate"
        figures.append(Figure(name, Spread(ratios).median))
      }
    }
    return BenchmarkReport(text: table.text + "\n\n" + Self.notes(size), figures: figures)
  }

  /// Measures each system in each round.
  private func reports(
    _ stage: PublishingStage, _ load: PublishingLoad
  ) async throws -> [System: [PublishingLoad.Report]] {
    var reports: [System: [PublishingLoad.Report]] = [:]
    // The first round is a warm-up: files grow, and caches fill.
    for round in 0...rounds {
      for system in System.allCases {
        let report = try await load.run { publisher, number in
          switch system {
          case .own: try await stage.publish(number, by: publisher)
          case .journal: try await stage.addEvent(number, by: publisher)
          case .bare: try await stage.addRow(number)
          }
        }
        if round > 0 { reports[system, default: []].append(report) }
      }
    }
    return reports
  }

  private static func cells(_ reports: [PublishingLoad.Report], _ ratio: String) -> [String] {
    [
      Spread(reports.map(\.rate)).whole, ratio, Spread(reports.map(\.p50)).whole, Spread(reports.map(\.p99)).whole,
      Spread(reports.map(\.cpu)).whole, Spread(reports.map(\.written)).text,
    ]
  }

  private static func notes(_ size: Int) -> String {
    """
    A publication has \(size) bytes in the journal. The runtime decides, encodes, and adds a checksum, the device's \
    next wake and from time to time a snapshot; its table has an index by device, and a trigger that checks that rows \
    continue. Bare SQLite is handed bytes that are ready, and puts them at the end. The ratio is that of each round. \
    Not measured: sockets and messages, displays and providers that are told, and devices that must be loaded. The \
    clock stands still, so nothing falls due.
    """
  }
}

/// The systems: a runtime on a store, a journal written by bare SQLite, and a bare table, on the same disk.
private struct PublishingStage: Sendable {
  private let store: Store
  private let runtime: PublishingRuntime
  private let journal: GroupCommit
  private let table: GroupCommit
  private let rows: [[UInt8]]

  /// Creates a device per publisher in a new folder.
  init(publisherCount: Int, folder: String) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    store = try Store(directory: folder + "/data")
    table = GroupCommit(try BareTable(file: folder + "/bare.sqlite"))
    rows = try PublishingRuntime.publications().map(\.encoded)
    journal = try await Self.journal(folder + "/journal", deviceCount: publisherCount)
    runtime = try await PublishingRuntime(store, publisherCount: publisherCount)
  }

  /// The journal of a new, closed store with devices.
  private static func journal(_ folder: String, deviceCount: Int) async throws -> GroupCommit {
    let store = try Store(directory: folder)
    try await PublishingRuntime.create(deviceCount, in: store)
    try store.close()
    return GroupCommit(try BareTable(journalOf: folder + "/marquee.sqlite"))
  }

  /// The bytes of a publication.
  var meanSize: Int { rows.reduce(0) { $0 + $1.count } / rows.count }

  func publish(_ number: Int, by publisher: Int) async throws { try await runtime.publish(number, by: publisher) }

  func addEvent(_ number: Int, by publisher: Int) async throws {
    // SQLite's row IDs start at 1.
    try await journal.add(BareRow(bytes: rows[number % rows.count], device: publisher + 1))
  }

  func addRow(_ number: Int) async throws {
    try await table.add(BareRow(bytes: rows[number % rows.count], device: 0))
  }

  /// Stops the runtime, and closes the store.
  func end() async throws {
    try await runtime.end()
    try store.close()
  }
}
