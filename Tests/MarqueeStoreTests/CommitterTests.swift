import Dispatch
import Foundation
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Synchronization
import Testing

@testable import MarqueeStore

@Suite(.timeLimit(.minutes(1))) struct CommitterTests {
  private let directory = StoreDirectory()

  /// Commits the batches while the writer is blocked, so that all are pending at once, and returns the outcomes in the
  /// order of completion.
  private func commitTogether(
    _ batches: [Batch], _ store: Store
  ) async -> [(index: Int, outcome: Committer.Outcome)] {
    let gate = DispatchSemaphore(value: 0)
    store.pool.asyncWriteWithoutTransaction { _ in gate.wait() }
    let (outcomes, continuation) = AsyncStream.makeStream(of: (Int, Committer.Outcome).self)
    for (index, batch) in batches.enumerated() {
      store.committer.commit(batch) { continuation.yield((index, $0)) }
    }
    gate.signal()
    var all: [(Int, Committer.Outcome)] = []
    for await outcome in outcomes.prefix(batches.count) { all.append(outcome) }
    return all
  }

  private func batch(creating name: String) throws -> Batch {
    let device = try SampleDevice(name).created()
    var rows = Batch.Rows()
    rows.created = [.init(device.id, number: 0, at: device.now, Creation(of: device).encoded)]
    return Batch([.insert(rows)])
  }

  @Test("Concurrent batches share one transaction, and complete in order")
  func oneTransaction() async throws {
    let store = try Store(directory: directory.path)
    let outcomes = await commitTogether(try (0..<64).map { try batch(creating: "device \($0)") }, store)
    #expect(outcomes.map(\.index) == Array(0..<64))
    for (_, outcome) in outcomes { try outcome.get() }
    #expect(store.committer.commitCount == 1)
    #expect(try await store.devices(after: nil, count: 100).count == 64)
  }

  @Test("Only the conflicting batch of a group fails")
  func neighbours() async throws {
    let store = try Store(directory: directory.path)
    let outcomes = await commitTogether(try ["a", "b", "a", "c"].map(batch), store)
    let failures = outcomes.compactMap { entry -> Int? in
      if case .failure(let error) = entry.outcome, error.code == .conflict { entry.index } else { nil }
    }
    #expect(failures == [2])
    #expect(try await store.devices(after: nil, count: 9).map(\.text) == ["a", "b", "c"])
  }

  @Test("The WAL is checkpointed during writes, and does not grow far beyond its limit")
  func checkpoint() async throws {
    let store = try Store(directory: directory.path, walFrameCountMax: 10)
    let file = URL(filePath: directory.path + "/marquee.sqlite")
    let before = try Data(contentsOf: file)
    let changedCount = Mutex(0)
    let batches = try (0..<60).map { number in
      var batch = try batch(creating: "device \(number)")
      // Gives each batch a transaction of its own, of at least 3 frames.
      batch.isMaintenance = true
      batch.steps.append(
        .change { _ in if try Data(contentsOf: file) != before { changedCount.withLock { $0 += 1 } } })
      return batch
    }
    for (_, outcome) in await commitTogether(batches, store) { try outcome.get() }
    #expect(changedCount.withLock { $0 } > 10)
    let size = try Data(contentsOf: URL(filePath: file.path + "-wal")).count
    #expect(size / (24 + Store.pageSize) < Committer.walSizeHardLimitFactor * 10 + 20)
    try await store.create(SampleDevice("last").created())
    try store.close()
    #expect(try Store.verify(directory.path).findings.isEmpty)
  }

  @Test("The row number of a device from a failed transaction can be reused")
  func numbers() async throws {
    let store = try Store(directory: directory.path)
    let (first, second) = (try SampleDevice("a"), try SampleDevice("b"))
    let event = try first.setUp()[0]
    await #expect(throws: JournalError.self) {
      try await store.append(
        created: [first.created()],
        events: [
          JournalEntry(first.id, sequence: 1, at: SampleDevice.midnight, event),
          JournalEntry(first.id, sequence: 3, at: SampleDevice.midnight, event),
        ], decisions: [], snapshots: [])
    }
    try await store.create(second.created())
    try await store.create(first.created())
    try await store.append(
      created: [], events: [JournalEntry(first.id, sequence: 1, at: SampleDevice.midnight, event)], decisions: [],
      snapshots: [])
    #expect(try await store.load(first.id)?.sequence == 1)
    #expect(try await store.load(second.id)?.sequence == 0)
  }
}
