import MarqueeJournal
import MarqueeTestSupport
import PostgresProcess
import Testing

/// An engine on which the suites run.
struct JournalEngine: Sendable, CustomTestStringConvertible {
  /// SQLite, in a data directory.
  static let sqlite = JournalEngine(testDescription: "SQLite") { SQLiteDatabase() }

  /// PostgreSQL, in a database of the server that the tests of this process share.
  static let postgres = JournalEngine(testDescription: "PostgreSQL") { try PostgresDatabase() }

  /// PostgreSQL, as the journal of a cluster's node.
  static let postgresNode = JournalEngine(testDescription: "PostgreSQL, a node") {
    try PostgresDatabase(isCluster: true)
  }

  /// The engines of this machine.
  static let available = [sqlite] + (PostgresProcess.isExpected ? [postgres, postgresNode] : [])

  let testDescription: String
  /// Returns a database without records, which exists as long as the object.
  let makeDatabase: @Sendable () throws -> any JournalDatabase
}

/// The database of a test.
protocol JournalDatabase: Sendable {
  /// Opens the journal. It must not be open.
  func open() async throws -> any TableJournal

  /// Closes the journal.
  func close() async throws

  /// Verifies the database, which may be open.
  func verify() async throws -> Verification

  /// Returns the numbers of the marks in everything that the engine stores.
  func marks() async throws -> Set<Int>

  /// Returns whether anything that the engine stores contains a text.
  func contains(_ text: String) async throws -> Bool
}

extension JournalDatabase {
  /// Closes the journal and opens it again.
  func reopen() async throws -> any TableJournal {
    try await close()
    return try await open()
  }
}
