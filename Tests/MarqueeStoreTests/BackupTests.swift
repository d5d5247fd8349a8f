import Foundation
import GRDB
import MarqueeModel
import MarqueeSamples
import MarqueeScheduler
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

  private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  @Test("A backup that is made while writing goes on has all of one moment, and restored it is the store of then")
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

  @Test("A store that is in use is looked through as it is, and one of a deletion's past, too")
  func verified() async throws {
    let store = try Store(directory: directory.path)
    for step in script.steps {
      try await write([step], to: store)
      let verification = try Store.verify(directory.path)
      #expect(verification.findings.isEmpty, "\(verification.findings)")
      #expect(verification.formats.last == Schema.migrator.migrations.last)
      #expect(verification.eventCount == step.outcome.holdings.values.reduce(0) { $0 + Int($1.sequence) })
    }
    #expect(try Store.verify(directory.path).snapshotCount >= 5)
    #expect(try await FaultScript.Contents(of: store) == script.steps.last?.outcome)
  }

  @Test("A deletion that found nothing loses its snapshot to later ones, and nothing is missed then")
  func emptyDeletion() async throws {
    let (store, start) = (try Store(directory: directory.path), Home.midnight)
    var device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: start)
    let created = device
    let deletion = Event.donationsDeleted(try AppID("com.example.app"), .group(try Donation.Group("none")))
    _ = device.handle(deletion, at: start)
    try await store.append(
      created: [created], events: [(device.id, 1, start, deletion)], decisions: [], snapshots: [(1, device)])
    _ = device.handle(.developerModeChanged(true), at: start)
    try await store.append(
      created: [], events: [(device.id, 2, start, .developerModeChanged(true))], decisions: [],
      snapshots: [(2, device)])
    #expect(try Store.verify(directory.path).findings.isEmpty)
    // As later snapshots do.
    try await store.pool.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM snapshot WHERE sequence = 1") }
    let verification = try Store.verify(directory.path)
    #expect(verification.findings.isEmpty && verification.eventCount == 2, "\(verification.findings)")
    #expect(verification.snapshotCount == 1)
  }

  @Test(
    "A record that is another than was stored is found, though its checksum be right, and is not restored",
    arguments: [
      "UPDATE journal SET event = x'00' WHERE sequence = 3",
      "DELETE FROM journal WHERE sequence = 3", "DELETE FROM snapshot", "DELETE FROM device WHERE name = 'tablet'",
      "UPDATE decision SET body = (SELECT body FROM decision AS other WHERE other.number <> decision.number)",
      "DROP TABLE snapshot", "INSERT INTO snapshot SELECT device, 1, at, state, checksum, 0 FROM snapshot LIMIT 1",
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

  @Test("A snapshot or a decision that the events do not lead to is found")
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
    #expect(findings[0].message.contains("a decision that the events do not lead to"))
  }

  @Test("What is no store is not taken for one, and a backup that was not finished leaves nothing")
  func strangers() async throws {
    #expect(await code { _ = try Store.verify(other.path + "/nothing") } == .ioFailed)
    let stranger = try DatabaseQueue(path: other.path + "/stranger")
    try await stranger.write { try $0.execute(sql: "CREATE TABLE t (x)") }
    try stranger.close()
    #expect(await code { _ = try Store.verify(other.path + "/stranger") } == .corrupt)
    let store = try Store(directory: directory.path)
    try await write(script.steps, to: store)
    try Data([1]).write(to: URL(filePath: directory.path + "/backup-1"))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.backup(to: other.path + "/cancelled")
    }
    await #expect(throws: StoreError.self) { try await task.value }
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["stranger"])
    try store.close()
    try Store(directory: directory.path).close()
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/backup-1"))
  }
}
