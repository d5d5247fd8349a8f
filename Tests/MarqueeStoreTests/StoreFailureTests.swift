import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

@Suite(.timeLimit(.minutes(1))) struct StoreFailureTests {
  private let directory = StoreDirectory()

  private func storeWithDay() async throws -> (Store, SampleDevice, Recorder) {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    recorder.advance(to: SampleDevice.time(12))
    try await store.write(&recorder)
    return (store, sample, recorder)
  }

  private func code(_ body: () async throws -> Void) async -> JournalError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? JournalError)?.code
    }
  }

  @Test("A data directory can be opened only once at a time")
  func lock() async throws {
    let store = try Store(directory: directory.path)
    #expect(await code { _ = try Store(directory: directory.path) } == .directoryLocked)
    try store.close()
    _ = try Store(directory: directory.path)
  }

  @Test("A store of a newer version is rejected")
  func newerVersion() async throws {
    let store = try Store(directory: directory.path)
    try await store.pool.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 later')") }
    try store.close()
    #expect(await code { _ = try Store(directory: directory.path) } == .schemaTooNew)
  }

  @Test("A file that is not a database is rejected as corrupt")
  func noDatabase() async throws {
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    try Data(repeating: 7, count: 8_192).write(to: URL(filePath: directory.path + "/marquee.sqlite"))
    #expect(await code { _ = try Store(directory: directory.path) } == .corrupt)
  }

  @Test("On a full disk writes fail and reads succeed; writes resume when there is space")
  func fullDisk() async throws {
    var (store, sample, recorder) = try await storeWithDay()
    let stored = recorder.device
    func limitPages(_ count: String) async throws {
      try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(count)") }
    }
    try await limitPages("1")
    let content = try EntryContent(mediaType: "", bytes: Array(repeating: 1, count: 65_536))
    let timeline = Timeline(submitted: [TimelineEntry(date: SampleDevice.time(20), content: content)], policy: .never)
    try recorder.apply(.timelinePublished(sample.widgets[0], timeline), at: SampleDevice.time(12))
    do {
      try await store.write(&recorder)
      Issue.record("written on a full disk")
    } catch {
      #expect(error.code == .diskFull)
      #expect(error.outcome == .notWritten && error.isRecoverable)
      #expect(!error.description.contains("INSERT") && !error.description.contains(directory.path))
    }
    #expect(try await store.load(sample.id)?.device == stored)
    try await limitPages("1000000")
    try await store.write(&recorder)
    #expect(try await store.load(sample.id)?.device == recorder.device)
  }

  @Test("After a commit of unknown outcome the store accepts no more writes")
  func failedCommit() async throws {
    final class VetoObserver: TransactionObserver {
      func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
      func databaseDidChange(with event: DatabaseEvent) {}
      func databaseWillCommit() throws { throw CancellationError() }
      func databaseDidCommit(_ db: Database) {}
      func databaseDidRollback(_ db: Database) {}
    }
    var (store, sample, recorder) = try await storeWithDay()
    let stored = recorder.device
    let veto = VetoObserver()
    store.pool.add(transactionObserver: veto, extent: .observerLifetime)
    try recorder.apply(.developerModeChanged(true), at: SampleDevice.time(13))
    for _ in 0..<2 {
      do {
        try await store.write(&recorder)
        Issue.record("written although the commit failed")
      } catch {
        #expect(error.code == .commitFailed)
        #expect(error.outcome == .unknown && !error.isRecoverable)
      }
    }
    #expect(try await store.load(sample.id)?.device == stored)
    withExtendedLifetime(veto) {}
  }

  @Test(
    "Corrupt records are reported with device and sequence",
    arguments: [
      ("UPDATE journal SET event = x'0001' WHERE sequence = 3", UInt64(3)),
      ("UPDATE journal SET at = at - 1 WHERE sequence = 5", 5),
      ("DELETE FROM journal WHERE sequence = 4", 5),
      ("UPDATE device SET creation = x'00'", 0),
      ("UPDATE decision SET body = x'00' WHERE number = (SELECT max(number) FROM decision)", 12),
    ])
  func damage(sql: String, sequence: UInt64) async throws {
    let (store, sample, _) = try await storeWithDay()
    try await store.pool.write { try $0.execute(sql: sql) }
    do {
      _ = try await store.load(sample.id)
      Issue.record("loaded a corrupt device")
    } catch {
      #expect(error.code == .corrupt)
      #expect(error.device == sample.id)
      #expect(error.sequence == sequence)
    }
  }

  @Test("After any bit flip in the file, reading throws or returns the stored values, and never traps")
  func wrongBytes() async throws {
    var (store, sample, recorder) = try await storeWithDay()
    try recorder.apply(.developerModeChanged(true), at: SampleDevice.time(13))
    try await store.write(&recorder, snapshot: true)
    let stored = recorder.device
    try store.close()
    let intact = try Data(contentsOf: URL(filePath: directory.path + "/marquee.sqlite"))
    for step in 0..<300 {
      let offset = (step * 7_919 + 13) % intact.count
      var bytes = intact
      bytes[offset] ^= UInt8(1 << (step % 8))
      try bytes.write(to: URL(filePath: directory.path + "/marquee.sqlite"))
      do {
        let damaged = try Store(directory: directory.path)
        let found = try await damaged.load(sample.id)
        #expect(found == nil || found?.device == stored, "byte \(offset)")
        _ = try await damaged.decisions(of: sample.id, stack: sample.stack, before: nil, count: 100)
        _ = try await damaged.devices(after: nil, count: 100)
        try damaged.close()
      } catch {
        // The corruption was detected.
      }
    }
  }
}
