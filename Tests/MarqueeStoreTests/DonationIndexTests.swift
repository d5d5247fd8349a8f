import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

/// A deletion reads only the events that contain donations, and all of them.
@Suite(.timeLimit(.minutes(1))) struct DonationIndexTests {
  private let directory = StoreDirectory()

  @Test(
    "D5 A deletion finds all donations if their index or its counts were damaged since the start",
    arguments: [
      // Exchanges the index with one that has no entries.
      """
      CREATE INDEX other ON journal (device, sequence) WHERE substr(event, 1, 1) = x'FF';
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET rootpage =
        (SELECT sum(rootpage) FROM sqlite_schema WHERE name IN ('other', 'journal_donation')) - rootpage
        WHERE name IN ('other', 'journal_donation');
      PRAGMA writable_schema = RESET;
      DROP INDEX other;
      """, "UPDATE donation_count SET events = events + 1", "DELETE FROM donation_count",
    ])
  func damagedIndex(sql: String) async throws {
    let store = try Store(directory: directory.path)
    let app = try AppID("com.example.soup-chef")
    var recorder = Recorder(try SampleDevice().created())
    try await store.create(recorder.device)
    func name(_ number: Int) throws -> Donation.ID { try .init(Mark.text(number)) }
    for number in 1...5 {
      let activity = Donation.Activity.intent(try Intent(type: .init("OrderSoup")))
      let donation = Donation(id: try name(number), date: SampleDevice.midnight, activity: activity)
      try recorder.apply(.donated(app, [donation]), at: SampleDevice.midnight)
    }
    try await store.write(&recorder)
    try await store.pool.writeWithoutTransaction { try $0.execute(sql: sql) }
    #expect(try await store.pool.read { try !DonationIndex.isComplete($0) })
    try recorder.apply(.donationsDeleted(app, .identifiers([name(2), name(4)])), at: SampleDevice.midnight)
    try await store.write(&recorder, snapshot: true)
    #expect(try Mark.numbers(in: directory.path) == [1, 3, 5])
    #expect(try await store.load(recorder.device.id)?.device == recorder.device)
    #expect(try await store.pool.read { try DonationIndex.isComplete($0) })
    try store.close()
    #expect(try Store.verify(directory.path).findings.isEmpty)
  }

  @Test("A deletion searches only the events of its device that contain donations", arguments: [0, 1, 16])
  func queryPlan(needleCount: Int) async throws {
    let store = try Store(directory: directory.path)
    let query = DonationIndex.query(needleCount: needleCount)
    let needles = Array(repeating: Data("soup".utf8), count: needleCount)
    let plan = try await store.pool.read { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(query)", arguments: [1, 0, 9, 10] + StatementArguments(needles))
        .map { $0["detail"] as String }
    }
    #expect(plan == ["SEARCH journal USING INDEX journal_donation (device=? AND sequence>? AND sequence<?)"])
    #expect(DonationIndex.condition.hasSuffix("x'0\(String(Event.donatedTag, radix: 16, uppercase: true))'"))
  }
}
