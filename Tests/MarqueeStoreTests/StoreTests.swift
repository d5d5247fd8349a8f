import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

@Suite(.timeLimit(.minutes(1))) struct StoreTests {
  private let directory = StoreDirectory()

  /// Returns a store with a device whose events until noon have been written.
  private func storeAtNoon() async throws -> (Store, SampleDevice, Recorder) {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    try await store.write(&recorder)
    try recorder.apply(.reported(.hidden(sample.stack)), at: SampleDevice.time(3, 30))
    try await store.write(&recorder)
    try recorder.apply(.reported(.tapped(sample.stack, sample.widgets[0])), at: SampleDevice.time(12))
    try await store.write(&recorder)
    return (store, sample, recorder)
  }

  @Test("The latest instant is known before the store is used")
  func lastInstant() async throws {
    #expect(try Store(directory: StoreDirectory().path).lastInstant() == nil)
    let (store, _, _) = try await storeAtNoon()
    #expect(try store.lastInstant() == SampleDevice.time(12))
  }

  @Test("Appended records are in the files if the process is killed right after")
  func crash() async throws {
    let (store, sample, recorder) = try await storeAtNoon()
    let image = StoreDirectory()
    try FileManager.default.createDirectory(atPath: image.path, withIntermediateDirectories: false)
    for name in ["marquee.sqlite", "marquee.sqlite-wal"] {
      try FileManager.default.copyItem(atPath: "\(directory.path)/\(name)", toPath: "\(image.path)/\(name)")
    }
    let recovered = try await Store(directory: image.path).load(sample.id)
    #expect(recovered?.device == recorder.device)
    try store.close()
  }

  @Test("A missing event is detected when events are read")
  func gap() async throws {
    let (store, sample, _) = try await storeAtNoon()
    try await store.pool.write { try $0.execute(sql: "DELETE FROM journal WHERE sequence = 3") }
    let error = await #expect(throws: JournalError.self) { try await store.events(of: sample.id, after: 0) }
    #expect(error?.code == .corrupt && error?.sequence == 4)
  }

  @Test("Commits are flushed, and foreign keys are enforced")
  func pragmas() async throws {
    let store = try Store(directory: directory.path)
    let values = try await store.pool.writeWithoutTransaction { db in
      try ["journal_mode", "synchronous", "foreign_keys"].map { try String.fetchOne(db, sql: "PRAGMA \($0)") }
    }
    #expect(values == ["wal", "2", "1"])
  }
}
