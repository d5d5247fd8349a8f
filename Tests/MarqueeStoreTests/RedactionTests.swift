import Dispatch
import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Synchronization
import Testing

@testable import MarqueeStore

/// Rule D5 on disk: no file in the data directory contains deleted donations once the deletion has completed.
@Suite(.timeLimit(.minutes(5))) struct RedactionTests {
  private let directory = StoreDirectory()
  private let app: AppID

  init() throws {
    app = try AppID("com.example.soup-chef")
  }

  /// Returns a donation with its number in its name and its parameters.
  private static func donation(_ number: Int, size: Int = 0) throws -> Donation {
    let text = Mark.text(number) + String(repeating: "-", count: size)
    let note = IntentParameter(name: try .init("note"), value: .single(.string(text)))
    return Donation(
      id: try .init("name \(Mark.text(number))"), date: SampleDevice.midnight,
      activity: .intent(try Intent(type: .init("OrderSoup"), parameters: [note])))
  }

  private func names(_ numbers: some Sequence<Int>) throws -> DonationSelection {
    .identifiers(try numbers.map { try .init("name \(Mark.text($0))") })
  }

  private func delete(_ selection: DonationSelection, _ recorder: inout Recorder, in store: Store) async throws {
    try recorder.apply(.donationsDeleted(app, selection), at: recorder.device.now)
    try await store.write(&recorder, snapshot: true)
  }

  @Test("D5 A deletion waits for readers, and is completed at the next start if the process is killed before")
  func readers() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await store.recorder(of: SampleDevice("phone"))
    for number in 1...50 {
      let donation = try Self.donation(number, size: 2_000)
      try recorder.apply(.donated(app, [donation]), at: SampleDevice.midnight)
      try await store.write(&recorder, snapshot: number % 7 == 0)
    }
    // A reader that begins before the deletion and ends after its commit, at which the files are copied.
    let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasEnded = Mutex(false)
    store.pool.asyncRead { database in
      let count = try? Int.fetchOne(database.get(), sql: "SELECT count(*) FROM journal")  // Opens the snapshot.
      #expect(count != nil)
      isReading.signal()
      mayEnd.wait()
      hasEnded.withLock { $0 = true }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        isReading.wait()
        continuation.resume()
      }
    }
    let image = StoreDirectory()
    let path = directory.path
    store.pool.add(
      transactionObserver: CommitObserver {
        try FileManager.default.createDirectory(atPath: image.path, withIntermediateDirectories: false)
        for name in ["marquee.sqlite", "marquee.sqlite-wal"] {
          try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(image.path)/\(name)")
        }
        mayEnd.signal()
      }, extent: .databaseLifetime)
    try await delete(names(1...49), &recorder, in: store)
    #expect(hasEnded.withLock { $0 })
    #expect(try Mark.numbers(in: directory.path) == [50])

    #expect(try Mark.numbers(in: image.path).count == 50)
    let recovered = try Store(directory: image.path)
    #expect(try Mark.numbers(in: image.path) == [50])
    #expect(try await recovered.load(recorder.device.id)?.device == recorder.device)
  }

  @Test("D5 A deletion that is blocked by a reader of another process is durable, and is completed automatically")
  func foreignReader() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await store.recorder(of: SampleDevice("phone"))
    for number in 1...3 {
      try recorder.apply(.donated(app, [Self.donation(number)]), at: SampleDevice.midnight)
    }
    try await store.write(&recorder)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let file = directory.path + "/marquee.sqlite"
    var foreignReader: DatabaseQueue? = try DatabaseQueue(path: file, configuration: configuration)
    try await foreignReader?.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT * FROM journal") }
    for number in 1...2 {
      do {
        try await delete(names([number]), &recorder, in: store)
        Issue.record("the deletion completed")
      } catch let error as JournalError {
        #expect(error.code == .deletionUnfinished && error.outcome == .written && !error.isRecoverable)
      }
      recorder.events = []
      recorder.decisions = []
    }
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
    try recorder.apply(.developerModeChanged(true), at: SampleDevice.midnight)
    try await store.write(&recorder)
    #expect(try Mark.numbers(in: directory.path) == [1, 2, 3])
    // The next store finds the same WAL, and the same reader.
    try store.close()
    let again = try Store(directory: directory.path)
    #expect(try await again.load(recorder.device.id)?.device == recorder.device)
    try await foreignReader?.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    foreignReader = nil
    // There is no notification when the WAL has been truncated.
    while try Mark.numbers(in: directory.path) != [3] { try await Task.sleep(for: .milliseconds(50)) }
    try await delete(names([3]), &recorder, in: again)
    #expect(try Mark.numbers(in: directory.path) == [])
    #expect(try Store.verify(directory.path).findings.isEmpty)
  }

  @Test("D5 A deletion that is not committed has no effect")
  func crashBefore() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await store.recorder(of: SampleDevice("phone"))
    try recorder.apply(.donated(app, [Self.donation(1)]), at: SampleDevice.midnight)
    try await store.write(&recorder)
    let before = recorder.device
    let image = StoreDirectory()
    try FileManager.default.copyItem(atPath: directory.path, toPath: image.path)
    try await delete(names([1]), &recorder, in: store)
    let recovered = try Store(directory: image.path)
    #expect(try await recovered.load(recorder.device.id)?.device == before)
  }
}

/// A transaction observer that calls its body at the first commit.
private final class CommitObserver: TransactionObserver {
  private var body: (() throws -> Void)?

  init(_ body: @escaping () throws -> Void) {
    self.body = body
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidRollback(_ db: Database) {}

  func databaseDidCommit(_ db: Database) {
    do { try body?() } catch { Issue.record(error) }
    body = nil
  }
}
