import Foundation
import GRDB
import MarqueeJournal
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

/// Derived data is rebuilt at the start, with a warning for the operator.
@Suite(.timeLimit(.minutes(1))) struct RepairTests {
  private static let indexes = [
    "device_comparison", "device_name", "journal_donation", "sqlite_autoindex_journal_1", "sqlite_autoindex_snapshot_1",
    "sqlite_autoindex_decision_1", "sqlite_autoindex_grdb_migrations_1",
  ]

  private let directory = StoreDirectory()
  private var file: URL { URL(filePath: directory.path + "/marquee.sqlite") }

  /// Creates a closed store with all kinds of records, runs `sql` on it, and returns its contents before that.
  private func make(_ sql: String? = nil) async throws -> FaultScript.Contents {
    let store = try Store(directory: directory.path)
    for step in try FaultScript().steps {
      try await store.append(
        created: step.created, events: step.events, decisions: step.decisions, snapshots: step.snapshots)
    }
    let contents = try await FaultScript.Contents(of: store)
    if let sql { try await store.pool.writeWithoutTransaction { try $0.execute(sql: sql) } }
    try store.close()
    return contents
  }

  /// Changes the bytes of the first page of a table or an index.
  private func changeRoot(of name: String, _ change: (inout Data, Range<Int>) throws -> Void) throws {
    let queue = try DatabaseQueue(path: file.path)
    let root = try queue.read {
      try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [name])
    }
    try queue.close()
    var bytes = try Data(contentsOf: file)
    try change(&bytes, try #require(root.map { ($0 - 1) * Store.pageSize..<$0 * Store.pageSize }))
    try bytes.write(to: file)
  }

  /// Returns the findings of verification.
  private func findings() -> [String] {
    do {
      return try Store.verify(directory.path).findings.map(\.message)
    } catch {
      return [error.message]
    }
  }

  /// Returns the error of opening the store, or `nil`.
  private func rejection() -> JournalError? {
    do {
      try Store(directory: directory.path).close()
      return nil
    } catch {
      return error
    }
  }

  /// Expects that the store opens with a warning about the rebuilt object, and has all its contents.
  private func expectRepair(of object: String, _ contents: FaultScript.Contents) async throws {
    let store = try Store(directory: directory.path)
    #expect(store.warnings.count == 1, "\(store.warnings)")
    #expect(store.warnings.allSatisfy { $0.contains(object) && $0.contains("rebuilt") }, "\(store.warnings)")
    #expect(try await FaultScript.Contents(of: store) == contents)
    try store.close()
    #expect(findings().isEmpty)
    let again = try Store(directory: directory.path)
    #expect(again.warnings.isEmpty)
    try again.close()
  }

  @Test("An index without entries is rebuilt", arguments: indexes)
  func emptied(index: String) async throws {
    let contents = try await make()
    // The number of cells on the page.
    try changeRoot(of: index) { bytes, page in
      bytes.replaceSubrange(page.lowerBound + 3..<page.lowerBound + 5, with: [0, 0])
    }
    #expect(!findings().isEmpty)
    try await expectRepair(of: "the indexes of the table", contents)
  }

  @Test("A store with an index that cannot be rebuilt is rejected as corrupt", arguments: indexes)
  func irreparable(index: String) async throws {
    _ = try await make()
    try changeRoot(of: index) { bytes, page in bytes.resetBytes(in: page) }
    #expect(!findings().isEmpty)
    #expect(rejection()?.code == .corrupt)
  }

  @Test("A store with a damaged page of a table can be opened if the indexes are intact")
  func damagedTable() async throws {
    _ = try await make()
    try changeRoot(of: "journal") { bytes, root in
      let type = bytes[root.lowerBound]
      try #require(type == 5, "not an interior page of a table")
      // The number of the rightmost child page.
      let last = bytes[root.lowerBound + 8..<root.lowerBound + 12].reduce(0) { $0 << 8 | Int($1) }
      bytes.resetBytes(in: (last - 1) * Store.pageSize..<last * Store.pageSize)
    }
    #expect(!findings().isEmpty)
    #expect(rejection() == nil)
  }

  @Test(
    "A missing index or trigger is found and rebuilt",
    arguments: [
      "index device_comparison", "index device_name", "index erasure_unfinished", "index journal_donation",
      "trigger journal_continues", "trigger donation_inserted", "trigger donation_overwritten",
    ])
  func missing(object: String) async throws {
    let contents = try await make("DROP \(object)")
    #expect(findings() == ["the \(object) is missing"])
    try await expectRepair(of: "the \(object) was missing", contents)
  }

  @Test(
    "Counts of events with donations that contradict the index are found and repaired",
    arguments: ["UPDATE donation_count SET events = events + 1", "DELETE FROM donation_count"])
  func counts(sql: String) async throws {
    let contents = try await make(sql)
    #expect(findings() == ["the index of the events with donations does not match their number"])
    try await expectRepair(of: "the indexes of the table journal", contents)
  }

  @Test("A missing table is found and rejected")
  func missingTable() async throws {
    _ = try await make("DROP TABLE snapshot")
    #expect(findings().contains("the table snapshot is missing"))
    #expect(rejection()?.message.contains("the table snapshot is missing") == true)
  }

  @Test("A missing record of a migration is found", arguments: Schema.migrator.migrations + ["%"])
  func unrecorded(migration: String) async throws {
    _ = try await make("DELETE FROM grdb_migrations WHERE identifier LIKE '\(migration)'")
    #expect(findings().contains { $0.contains("the schema does not match its format") }, "\(findings())")
  }

  @Test(
    "Objects that are not part of the format are found, except SQLite's statistics",
    arguments: [
      ("CREATE TABLE other (x)", 1), ("CREATE INDEX other ON journal (at)", 1),
      ("CREATE TRIGGER other AFTER INSERT ON journal BEGIN DELETE FROM decision; END", 1), ("ANALYZE", 0),
    ] as [(String, Int)])
  func foreign(sql: String, count: Int) async throws {
    _ = try await make(sql)
    #expect(findings().count == count, "\(findings())")
    #expect(findings().allSatisfy { $0.contains("the schema does not match its format") })
  }
}
