import Foundation
import GRDB
import MarqueeJournal
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

@Suite(.timeLimit(.minutes(1))) struct WALWriteCoalescerTests {
  private let directory = StoreDirectory()

  @Test("A transaction larger than the buffer and the cache reads its own writes, and is atomic")
  func large() throws {
    let store = try Store(directory: directory.path)
    let (sum, size) = ("SELECT sum(length(bytes)) FROM part", 5_333_000)
    try store.pool.writeWithoutTransaction { db in
      // SQLite caches about 2 MB of pages, and spills others to the WAL before the commit.
      try db.execute(sql: "CREATE TABLE part (number INTEGER PRIMARY KEY, bytes BLOB)")
      try db.execute(sql: "BEGIN")
      for number in 0..<4_000 {
        try db.execute(sql: "INSERT INTO part VALUES (?, randomblob(1500))", arguments: [number])
      }
      try db.execute(sql: "UPDATE part SET bytes = zeroblob(1000) WHERE number % 3 = 0")
      #expect(try Int.fetchOne(db, sql: sum) == size)
      try db.execute(sql: "COMMIT; BEGIN; UPDATE part SET bytes = randomblob(1200)")
      #expect(try Int.fetchOne(db, sql: sum) == 4_800_000)
      try db.execute(sql: "ROLLBACK; INSERT INTO part VALUES (4000, zeroblob(3000))")
    }
    #expect(try store.pool.read { try Int.fetchOne($0, sql: sum) } == size + 3_000)
    try store.close()
    let again = try Store(directory: directory.path)
    #expect(try again.pool.read { try Int.fetchOne($0, sql: sum) } == size + 3_000)
    #expect(try again.pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    try again.close()
  }

  @Test("Writes are coalesced only if each commit syncs the WAL", arguments: ["OFF", "NORMAL", "FULL", "EXTRA"])
  func synchronous(mode: String) throws {
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    let queue = try DatabaseQueue(path: directory.path + "/database")
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(mode); CREATE TABLE part (number INTEGER)")
      if mode == "FULL" || mode == "EXTRA" {
        try WALWriteCoalescer.attach(to: db)
      } else {
        #expect(throws: JournalError.self) { try WALWriteCoalescer.attach(to: db) }
      }
      try db.execute(sql: "INSERT INTO part VALUES (1)")
      #expect(try Int.fetchOne(db, sql: "SELECT sum(number) FROM part") == 1)
    }
    try queue.close()
  }
}
