import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

/// Goal: compaction moves no retained row, and reuses the space of deleted ones.
@Suite("Compaction", .timeLimit(.minutes(5))) struct CompactionTests {
  private let directory = StoreDirectory()
  private let app: AppID

  init() throws {
    app = try AppID("com.example.soup-chef")
  }

  private func recorder(_ name: String, in store: Store) async throws -> Recorder {
    let sample = try SampleDevice(name)
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    try await store.write(&recorder)
    return recorder
  }

  private func donation(_ number: Int, at date: Instant, size: Int) throws -> Donation {
    let text = Mark.text(number) + String(repeating: "-", count: size)
    let note = IntentParameter(name: try .init("note"), value: .single(.string(text)))
    return Donation(
      id: try .init("name \(Mark.text(number))"), date: date,
      activity: .intent(try Intent(type: .init("OrderSoup"), parameters: [note])))
  }

  @Test("D5 Retained rows do not move, and deleted rows leave no bytes", arguments: [12, 33] + (1...6))
  func places(seed: UInt64) async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    var generator = Sampler(seed: seed)
    for number in 0..<240 {
      let now = SampleDevice.time(30, Int64(number))
      // No state between two of these instants contains the first version of the donation.
      let sizeMax = Bool.random(using: &generator) ? 400 : 4_000
      let text = String(repeating: "-", count: Int.random(in: 1...sizeMax, using: &generator))
      for text in [Mark.text(number) + text, "-"] {
        let note = IntentParameter(name: try .init("note"), value: .single(.string(text)))
        let donation = Donation(
          id: try .init("name"), date: now,
          activity: .intent(try Intent(type: .init("OrderSoup"), parameters: [note])))
        try recorder.apply(.donated(app, [donation]), at: now)
      }
    }
    try await store.write(&recorder)
    for number in stride(from: 100, through: 220, by: 40) {
      let now = SampleDevice.time(30, Int64(number))
      #expect(try await store.compact(keeping: .zero, now: now).rowCount > 0)
      // The WAL contains older pages, too.
      try await store.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      let counts = try Mark.counts(in: directory.path)
      let kept = try await store.events(
        of: recorder.device.id, after: recorder.sequence - 480 + UInt64(2 * number))
      #expect(kept.count == 480 - 2 * number)
      #expect(counts.filter { $0.value > 1 }.isEmpty)
      let first = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT min(sequence) FROM journal") } ?? 0
      #expect(!counts.isEmpty && counts.keys.allSatisfy { 2 * $0 >= first - (Int(recorder.sequence) - 479) })
    }
  }

  @Test("With regular compaction, the database file does not grow")
  func size() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder("phone", in: store)
    var pageCounts: [Int] = []
    for round in 0..<12 {
      for number in 0..<200 {
        let now = SampleDevice.midnight.advanced(by: .minutes(Int64(200 * round + number)))
        try recorder.apply(.donated(app, [donation(0, at: now, size: 1_000)]), at: now)
        try await store.write(&recorder, snapshot: number == 0)
      }
      _ = try await store.compact(keeping: .minutes(100), now: recorder.device.now)
      pageCounts.append(try await store.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 })
    }
    #expect(pageCounts[11] <= pageCounts[5] + 16, "\(pageCounts)")
  }
}
