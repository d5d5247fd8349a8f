import Foundation
import Logging
import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeServer
import MarqueeStore
import Metrics

/// Publishing timelines of 24 entries, durable, beside a bare table of SQLite that gets as many bytes, and beside a
/// store's own journal that bare SQLite writes: by turns, in the same process and on the same disk.
struct StoreBenchmark {
  let rounds: Int
  /// Of each contender in each round.
  let seconds: Double
  /// How many publish at the same time in each pair of rows.
  let publisherCounts: [Int]
  /// Where a folder for the files is made.
  let folder: String

  /// Who publishes, by turns.
  private enum Contender: String, CaseIterable {
    case own = "runtime and store"
    case journal = "the journal by SQLite alone"
    case bare = "bare SQLite"
  }

  /// A table with a row of each contender for each number of publishers.
  func report() async throws -> BenchmarkReport {
    var table = MarkdownTable([
      "publishers", "what", "publishes/s", "of SQLite", "p50, µs", "p99, µs", "CPU, µs a publish",
      "written, KiB a publish",
    ])
    let place = URL(filePath: folder).appending(path: "marquee-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }  // the measurement holds without this
    var size = 0
    var findings: [Finding] = []
    for count in publisherCounts {
      let stage = try await PublishingStage(publisherCount: count, folder: place.appending(path: "\(count)").path)
      let reports = try await reports(stage, PublishingLoad(publisherCount: count, seconds: seconds))
      try await stage.end()
      size = stage.meanSize
      for contender in Contender.allCases {
        guard let rounds = reports[contender], let bare = reports[.bare] else { continue }
        let ratios = zip(rounds, bare).map { $0.rate / $1.rate }
        table.add(["\(count)", contender.rawValue] + Self.cells(rounds, Spread(ratios).hundredths))
        guard contender == .own else { continue }
        let what = "timelines published by \(count), durable, of bare SQLite's rate"
        findings.append(Finding(what, Spread(ratios).median, "times", .atLeast(0.7)))
      }
    }
    return BenchmarkReport(text: table.text + "\n\n" + Self.notes(size), findings: findings)
  }

  /// Of each contender, in each round.
  private func reports(
    _ stage: PublishingStage, _ load: PublishingLoad
  ) async throws -> [Contender: [PublishingLoad.Report]] {
    var reports: [Contender: [PublishingLoad.Report]] = [:]
    // The first round is not counted: files grow, and caches fill.
    for round in 0...rounds {
      for contender in Contender.allCases {
        let report = try await load.run { publisher, number in
          switch contender {
          case .own: try await stage.publish(number, by: publisher)
          case .journal: try await stage.addEvent(number, by: publisher)
          case .bare: try await stage.addRow(number)
          }
        }
        if round > 0 { reports[contender, default: []].append(report) }
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

/// A server's devices without sockets, a journal that SQLite alone writes, and a bare table, on the same disk.
private final class PublishingStage: Sendable {
  private let store: Store
  private let core: ServerCore
  private let running: Task<Void, any Error>
  private let journal: BareTable
  private let table: BareTable
  private let devices: [DeviceID]
  /// No two in a row are of one widget, and no two in a row of one widget are the same.
  private let publications: [Event]
  private let rows: [[UInt8]]

  /// Has a device for each publisher, with three stacks of eight widgets, in a new folder.
  init(publisherCount: Int, folder: String) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    store = try Store(directory: folder + "/data")
    table = try BareTable(file: folder + "/bare.sqlite")
    let home = try BusyHome()
    publications = try (0...1).flatMap { day in
      try home.setUp(day: day).filter { if case .timelinePublished = $0 { true } else { false } }
    }
    rows = publications.map(\.encoded)
    devices = try (0..<publisherCount).map { number in
      try DeviceID("6fa1b2c3-4d5e-4f60-8a7b-\("\(1_000_000_000_000 + number)".dropFirst())")
    }
    journal = try await Self.journal(folder + "/journal", of: devices)
    let core = ServerCore(
      Runtime.Configuration(shardCount: ProcessInfo.processInfo.activeProcessorCount),
      clock: ManualClock(at: BusyHome.instant(day: 0, minute: 0)), journal: store,
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }, metrics: NOOPMetricsHandler.instance)
    self.core = core
    running = Task { try await core.runtime.run() }
    let events = try home.setUp(day: 0)
    try await withThrowingDiscardingTaskGroup { [devices] group in
      for device in devices {
        group.addTask {
          _ = try await core.runtime.register(device, timeZone: TimeZoneID("UTC"))
          for event in events { try await core.runtime.submit(event, to: device) }
        }
      }
    }
  }

  /// The journal of a new store that has the devices, and that nobody has open.
  private static func journal(_ folder: String, of devices: [DeviceID]) async throws -> BareTable {
    let zone = try TimeZoneID("UTC")
    let store = try Store(directory: folder)
    try await store.append(
      created: devices.map { Device(id: $0, timeZone: zone, policy: Policy(), at: .min) }, events: [], decisions: [],
      snapshots: [])
    try store.close()
    return try BareTable(journalOf: folder + "/marquee.sqlite")
  }

  /// Bytes of a publication.
  var meanSize: Int { rows.reduce(0) { $0 + $1.count } / rows.count }

  func publish(_ number: Int, by publisher: Int) async throws {
    try await core.runtime.submit(publications[number % publications.count], to: devices[publisher])
  }

  func addEvent(_ number: Int, by publisher: Int) async throws {
    // SQLite numbers devices from 1 on.
    try await journal.add(rows[number % rows.count], device: publisher + 1)
  }

  func addRow(_ number: Int) async throws {
    try await table.add(rows[number % rows.count], device: 0)
  }

  /// Stops the runtime, and closes the store.
  func end() async throws {
    running.cancel()
    do { try await running.value } catch is CancellationError {
      // That is how it was asked to end.
    }
    try store.close()
  }
}
