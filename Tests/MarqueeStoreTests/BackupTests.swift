import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

@Suite(.timeLimit(.minutes(2))) struct BackupTests {
  private let directory = StoreDirectory()
  private let other = StoreDirectory()
  private let script: FaultScript

  init() throws {
    script = try FaultScript()
    try FileManager.default.createDirectory(atPath: other.path, withIntermediateDirectories: true)
  }

  private func write(_ steps: some Sequence<FaultScript.Step>, to store: Store) async throws {
    for step in steps {
      try await store.append(
        created: step.created, events: step.events, decisions: step.decisions, snapshots: step.snapshots)
    }
  }

  private func code(_ body: () async throws -> Void) async -> JournalError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? JournalError)?.code
    }
  }

  @Test("A backup during writes is consistent, and restores the store of one moment")
  func whileWriting() async throws {
    let file = other.path + "/backup"
    let store = try Store(directory: directory.path)
    try await write(script.steps.prefix(4), to: store)
    async let writing: Void = write(script.steps.dropFirst(4), to: store)
    try await store.backup(to: file)
    try await writing
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["backup"])
    let verification = try Store.verify(file)
    #expect(verification.findings.isEmpty && verification.deviceCount == 2 && verification.decisionCount > 0)
    let restored = other.path + "/restored"
    try Store.restore(file, to: restored)
    let found = try await FaultScript.Contents(of: try Store(directory: restored))
    #expect(script.steps.dropFirst(3).map(\.outcome).contains(found))
    #expect(try await FaultScript.Contents(of: store) == script.steps.last?.outcome)
    #expect(await code { try await store.backup(to: file) } == .conflict)
    #expect(await code { try Store.restore(file, to: restored) } == .conflict)
    #expect(await code { try Store.restore(file, to: directory.path) } == .directoryLocked)
  }

  @Test("A store in use is verified after every kind of write, including deletions")
  func verified() async throws {
    let store = try Store(directory: directory.path)
    for step in script.steps {
      try await write([step], to: store)
      let verification = try Store.verify(directory.path)
      #expect(verification.findings.isEmpty, "\(verification.findings)")
      #expect(verification.formats.last == Schema.migrator.migrations.last)
      #expect(verification.eventCount == step.outcome.devices.values.reduce(0) { $0 + Int($1.sequence) })
    }
    #expect(try Store.verify(directory.path).snapshotCount >= 5)
    #expect(try await FaultScript.Contents(of: store) == script.steps.last?.outcome)
  }

  @Test("A deletion that matched nothing may lose its snapshot, and the store still passes verification")
  func emptyDeletion() async throws {
    let (store, start) = (try Store(directory: directory.path), SampleDevice.midnight)
    var device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: start)
    let created = device
    let deletion = Event.donationsDeleted(try AppID("com.example.app"), .group(try Donation.Group("none")))
    _ = device.handle(deletion, at: start)
    try await store.append(
      created: [created], events: [JournalEntry(device.id, sequence: 1, at: start, deletion)], decisions: [],
      snapshots: [DeviceSnapshot(device, sequence: 1)])
    _ = device.handle(.developerModeChanged(true), at: start)
    try await store.append(
      created: [], events: [JournalEntry(device.id, sequence: 2, at: start, .developerModeChanged(true))],
      decisions: [], snapshots: [DeviceSnapshot(device, sequence: 2)])
    #expect(try Store.verify(directory.path).findings.isEmpty)
    // As an insertion of later snapshots does.
    try await store.pool.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM snapshot WHERE sequence = 1") }
    let verification = try Store.verify(directory.path)
    #expect(verification.findings.isEmpty && verification.eventCount == 2, "\(verification.findings)")
    #expect(verification.snapshotCount == 1)
  }

  @Test(
    "A changed or missing record is found, even with a valid checksum, and the backup is not restored",
    arguments: [
      "UPDATE journal SET event = x'00' WHERE sequence = 3",
      "DELETE FROM journal WHERE sequence = 3", "DELETE FROM snapshot", "DELETE FROM device WHERE name = 'tablet'",
      "UPDATE decision SET body = (SELECT body FROM decision AS other WHERE other.number <> decision.number)",
      "UPDATE decision SET stack = 'other'", "DROP TABLE snapshot",
      "INSERT INTO snapshot SELECT device, 1, at, state, checksum, 0 FROM snapshot LIMIT 1",
    ])
  func found(sql: String) async throws {
    let store = try Store(directory: directory.path)
    try await write(script.steps, to: store)
    try await store.pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(sql: sql)
    }
    try store.close()
    var findings: [Verification.Finding] = []
    let code = await code { findings = try Store.verify(directory.path).findings }
    #expect(!findings.isEmpty || code != nil)
    #expect(await self.code { try Store.restore(directory.path + "/marquee.sqlite", to: other.path + "/x") } != nil)
    #expect(!FileManager.default.fileExists(atPath: other.path + "/x/marquee.sqlite"))
  }

  @Test("A decision that differs from the replayed events is found")
  func forged() async throws {
    let store = try Store(directory: directory.path)
    try await write(script.steps, to: store)
    try await store.pool.write { db in
      let row = try #require(
        try Row.fetchOne(
          db, sql: "SELECT device, number, at, body FROM decision ORDER BY device DESC, number DESC LIMIT 1"))
      let (device, number, at): (Int64, Int64, Int64) = (row["device"], row["number"], row["at"])
      let decision = try Decision(decoding: [UInt8](row["body"] as Data))
      let to = try #require(decision.from)
      let forged = Decision(number: decision.number, to: to, explanation: decision.explanation)
      let sum = Checksum.of(forged.encoded, device: device, sequence: number, at: at)
      try db.execute(
        sql: "UPDATE decision SET body = ?, checksum = ? WHERE device = ? AND number = ?",
        arguments: [Data(forged.encoded), sum, device, number])
    }
    let findings = try Store.verify(directory.path).findings
    #expect(findings.map(\.device?.text) == ["tablet"])
    #expect(findings[0].message.contains("the decision differs from the replayed events"))
  }

  @Test("A file that is not a store is rejected, and an incomplete backup leaves no file")
  func otherFiles() async throws {
    #expect(await code { _ = try Store.verify(other.path + "/nothing") } == .ioFailed)
    let otherDatabase = try DatabaseQueue(path: other.path + "/unrelated")
    try await otherDatabase.write { try $0.execute(sql: "CREATE TABLE t (x)") }
    try otherDatabase.close()
    #expect(await code { _ = try Store.verify(other.path + "/unrelated") } == .corrupt)
    let store = try Store(directory: directory.path)
    try await write(script.steps, to: store)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.backup(to: other.path + "/cancelled")
    }
    await #expect(throws: JournalError.self) { try await task.value }
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["unrelated"])
    try store.close()
  }

  @Test("The files of an unfinished backup are removed at the next start, and nothing with another name")
  func unfinished() throws {
    try Store(directory: directory.path).close()
    let unfinished = Store.backupPrefix + UUID().uuidString
    let kept = ["backup-1", "backup-monday.sqlite", unfinished + "-mine", Store.backupPrefix + "monday"]
    for name in kept + [unfinished, unfinished + "-journal"] {
      try Data([1]).write(to: URL(filePath: "\(directory.path)/\(name)"))
    }
    let folders = ["backup-folder", Store.backupPrefix + UUID().uuidString]
    for name in folders { try makeDirectory("\(directory.path)/\(name)") }
    try Store(directory: directory.path).close()
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(Set(left) == Set(kept + folders + ["lock", "marquee.sqlite"]))
  }

  private func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  /// Creates a backup of a store with all kinds of records, in another directory.
  private func backup() async throws -> String {
    let store = try Store(directory: directory.path)
    try await write(script.steps, to: store)
    try await store.backup(to: other.path + "/backup")
    try store.close()
    return other.path + "/backup"
  }

  @Test("Restore rejects a directory with a leftover file of another store", arguments: ["-wal", "-shm", "-journal"])
  func leftover(suffix: String) async throws {
    let (file, place) = (try await backup(), other.path + "/restored")
    try makeDirectory(place)
    try Data([1]).write(to: URL(filePath: "\(place)/marquee.sqlite\(suffix)"))
    #expect(await code { try Store.restore(file, to: place) } == .conflict)
    #expect(!FileManager.default.fileExists(atPath: place + "/marquee.sqlite"))
    #expect(FileManager.default.contents(atPath: "\(place)/marquee.sqlite\(suffix)") == Data([1]))
  }

  @Test("A restored file that is missing later is reported as lost")
  func restoredAndLost() async throws {
    let (file, place) = (try await backup(), other.path + "/restored")
    try Store.restore(file, to: place)
    try FileManager.default.removeItem(atPath: place + "/marquee.sqlite")
    #expect(await code { _ = try Store(directory: place) } == .corrupt)
    #expect(await code { try Store.restore(file, to: place) } == .conflict)
  }

  @Test("The file of a data directory is a backup after its store was closed, until the next one is opened")
  func closed() async throws {
    _ = try await backup()
    let file = directory.path + "/marquee.sqlite"
    try Store.restore(file, to: other.path + "/first")
    let store = try Store(directory: directory.path)
    #expect(await code { try Store.restore(file, to: other.path + "/second") } == .conflict)
    // As after a crash and the loss of the WAL.
    let copy = StoreDirectory()
    try makeDirectory(copy.path)
    for name in ["marquee.sqlite", "lock"] {
      try FileManager.default.copyItem(atPath: "\(directory.path)/\(name)", toPath: "\(copy.path)/\(name)")
    }
    #expect(await code { try Store.restore(copy.path + "/marquee.sqlite", to: other.path + "/second") } == .conflict)
    try Store(directory: copy.path).close()
    try Store.restore(copy.path + "/marquee.sqlite", to: other.path + "/second")
    try store.close()
  }

  @Test("Messages contain the cause: the numbers of records or SQLite's message")
  func messages() async throws {
    let file = try await backup()
    let (_, rowCounts) = try Store.verifyWithRowCounts(file) { _, _ in }
    try Store(directory: other.path + "/empty").close()
    let incomplete = #expect(throws: JournalError.self) {
      try Store.checkCopy(other.path + "/empty/marquee.sqlite", rowCounts)
    }
    #expect(incomplete?.message.contains("it has 0 devices, 0 events, 0 snapshots, 0 decisions") == true)
    #expect(incomplete?.message.contains("the backup has 2 devices, ") == true)
    var bytes = try Data(contentsOf: URL(filePath: file))
    // The type of the first page, after the header.
    bytes[100] = 0
    try bytes.write(to: URL(filePath: file))
    let damaged = #expect(throws: JournalError.self) { try Store.verify(file) }
    #expect(damaged?.message.contains("failed: database disk image is malformed (SQLite code 11)") == true)
  }
}
