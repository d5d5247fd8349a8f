import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

/// Stores that were written by earlier versions stay usable.
@Suite(.timeLimit(.minutes(1))) struct FormatTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/stores")

  private let directory = StoreDirectory()

  init() throws {
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
  }

  /// Copies a stored file into the data directory.
  private func place(_ name: String) throws -> String {
    let file = directory.path + "/marquee.sqlite"
    try FileManager.default.copyItem(atPath: Self.folder.appending(path: name + ".sqlite").path, toPath: file)
    return file
  }

  @Test(
    "A store of an earlier format is verified, migrated, and stays writable",
    arguments: [
      ("1-first-device-form", 10), ("1-second-device-form", 10), ("2-erasure", 13), ("3-agenda", 13), ("4-base", 13),
      ("5-word-checksum", 13), ("6-device-clock", 13), ("7-xxh3", 13),
    ] as [(String, UInt64)])
  func forward(name: String, sequence: UInt64) async throws {
    let (file, sample) = (try place(name), try SampleDevice())
    let before = try Store.verify(file)
    #expect(before.findings.isEmpty, "\(before.findings)")
    #expect(before.formats.count == Int(name.prefix(1)) && before.eventCount == Int(sequence))
    var store = try Store(directory: directory.path)
    let found = try #require(try await store.load(sample.id))
    #expect(found.sequence == sequence && found.unrecorded.isEmpty)
    #expect(found.device.now == SampleDevice.time(12) && found.device.isDeveloperModeOn)
    #expect(found.device.timeZone.text == "Asia/Tokyo" && found.device.configuredPolicy.margin == 0.02)
    #expect(found.device.stack(sample.stack)?.frontWidget == sample.widgets[0])
    #expect(found.device.donationCount() == (sequence == 13 ? 1 : 0))
    let decisions = try await store.decisions(of: sample.id, stack: sample.stack, before: nil, count: 100)
    #expect(decisions.map(\.number) == (1...12).reversed())
    #expect(try await store.history(of: sample.id, at: SampleDevice.time(5))?.now == SampleDevice.time(5))
    // It has no valid wake, so the device is due at once, until it is scheduled.
    let policy = found.device.configuredPolicy
    #expect(try await store.wakeSchedule(policy: policy, after: nil, count: 9).map(\.wake) == [.min])
    var device = found.device
    _ = device.handle(.developerModeChanged(false), at: SampleDevice.time(13))
    let entry = JournalEntry(sample.id, sequence: sequence + 1, at: SampleDevice.time(13), .developerModeChanged(false))
    try await store.append(
      created: [], events: [entry], decisions: [], snapshots: [DeviceSnapshot(device, sequence: sequence + 1)],
      wakeSchedule: [ScheduledWake(device)])
    #expect(try await store.wakeSchedule(policy: policy, after: nil, count: 9).map(\.wake) == [device.nextWake])
    try store.close()
    store = try Store(directory: directory.path)
    #expect(try await store.load(sample.id)?.device == device)
    try store.close()
    #expect(try Store.verify(directory.path).formats == Schema.migrator.migrations)
  }

  @Test("R17 A snapshot that an earlier release stored without counts is verified, and what follows it is counted")
  func countless() async throws {
    let (sample, store) = (try SampleDevice(), try Store(directory: directory.path))
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    try recorder.apply(.reported(.tapped(sample.stack, sample.widgets[0])), at: SampleDevice.time(3, 30))
    #expect(recorder.device.hasCounts)
    var device = recorder.device.withoutCounts()
    #expect(!device.hasCounts)
    try await store.append(
      created: [], events: recorder.events, decisions: recorder.decisions,
      snapshots: [DeviceSnapshot(device, sequence: recorder.sequence)])
    // More snapshots than are kept, so that those without counts are deleted.
    for index in 0..<6 {
      let event = Event.reported(index.isMultiple(of: 2) ? .hidden(sample.stack) : .shown(sample.stack))
      let at = SampleDevice.time(3, 31 + Int64(index))
      let entry = JournalEntry(sample.id, sequence: recorder.sequence + 1 + UInt64(index), at: at, event)
      _ = device.handle(event, at: at)
      try await store.append(
        created: [], events: [entry], decisions: [], snapshots: [DeviceSnapshot(device, sequence: entry.sequence)])
    }
    try store.close()
    #expect(device.hasCounts)
    #expect(try Store.verify(directory.path).findings.isEmpty)
  }

  /// Places a store whose retained history begins with its first snapshot, and runs `sql` on it.
  private func placeWithBoundary(_ sql: String = "") throws -> String {
    let file = try place("6-device-clock")
    let queue = try DatabaseQueue(path: file)
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          INSERT INTO base
            SELECT device, sequence, (SELECT max(number) FROM decision WHERE decision.at <= snapshot.at), at, state,
              checksum
            FROM snapshot ORDER BY sequence LIMIT 1;
          DELETE FROM snapshot WHERE sequence = (SELECT sequence FROM base);
          \(sql)
          """)
    }
    try queue.close()
    return file
  }

  @Test("The retention boundary of a store of an earlier format is migrated")
  func boundary() async throws {
    let (file, home) = (try placeWithBoundary(), try SampleDevice())
    let before = try Store.verify(file)
    #expect(before.findings.isEmpty && before.eventCount == 5, "\(before.findings)")
    let store = try Store(directory: directory.path)
    #expect(try await store.load(home.id)?.device.now == SampleDevice.time(12))
    let error = await #expect(throws: JournalError.self) {
      try await store.history(of: home.id, at: SampleDevice.time(1))
    }
    #expect(error?.code == .notKept)
    try store.close()
    #expect(try Store.verify(directory.path).findings.isEmpty)
  }

  @Test(
    "A record that was corrupt before a migration is reported before and after it",
    arguments: ["device", "journal", "snapshot", "decision", "base"])
  func corrupt(table: String) throws {
    let file = try placeWithBoundary(
      "UPDATE \(table) SET at = at + 1 WHERE rowid = (SELECT max(rowid) FROM \(table))")
    let before = try Store.verify(file).findings
    #expect(before.count == 1 && before[0].message.contains("checksum mismatch"), "\(before)")
    try Store(directory: directory.path).close()
    #expect(try Store.verify(directory.path).findings == before)
  }

  @Test(
    "A table that has lost a row on a damaged page is not migrated",
    arguments: [
      ("6-device-clock", "journal"), ("6-device-clock", "decision"), ("7-xxh3", "device"),
    ])
  func lostRow(format: String, table: String) throws {
    let file = try place(format)
    var queue = try DatabaseQueue(path: file)
    let leaf = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path DESC LIMIT 1"
    let (page, size) = try queue.read { db in
      (
        try #require(try Int.fetchOne(db, sql: leaf, arguments: [table])),
        try #require(try Int.fetchOne(db, sql: "PRAGMA page_size"))
      )
    }
    try queue.close()
    var bytes = try Data(contentsOf: URL(filePath: file))
    // The header of a table's leaf: its type and, after two more bytes, the number of cells.
    let header = (page - 1) * size
    #expect(bytes[header] == 0x0D && bytes[header + 4] > 0)
    bytes[header + 4] -= 1
    try bytes.write(to: URL(filePath: file))
    let error = #expect(throws: JournalError.self) { try Store(directory: directory.path) }
    #expect(error?.code == .corrupt && error?.message.contains("lacks rows of its index") == true, "\(error as Any)")
    queue = try DatabaseQueue(path: file)
    let formats = try queue.read { try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY 1") }
    #expect(formats.last?.first == format.first)
  }

  @Test("A store of an earlier format keeps the wake schedule of devices whose policy has not changed")
  func wakes() async throws {
    _ = try place("5-agenda")
    let store = try Store(directory: directory.path)
    let schedule = try await store.wakeSchedule(policy: .default, after: nil, count: 9)
    #expect(schedule.map(\.device.text) == ["phone"] && schedule.map(\.wake) == [SampleDevice.time(1)])
    try store.close()
  }

  @Test("A database of an earlier format keeps its page size, and a new one has a smaller page size")
  func pageSize() throws {
    _ = try place("4-base")
    for (path, expected) in [(directory.path, 4_096), (directory.path + "/new", Store.pageSize)] {
      let store = try Store(directory: path)
      #expect(try store.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } == expected)
      try store.close()
    }
  }

  @Test("There is a stored file of every earlier format")
  func complete() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let formats = Schema.migrator.migrations.dropLast().map { $0.prefix(1) }
    #expect(Set(names.map { $0.prefix(1) }) == Set(formats))
  }
}
