import Foundation
import MarqueeJournal
import MarqueePostgres
import MarqueeTestSupport
import PostgresProcess
import Synchronization

/// A database of the server that the tests share.
///
/// The bytes that it stores are those of its rows: PostgreSQL's files contain earlier versions of rows, too.
final class PostgresDatabase: JournalDatabase {
  private static let columns = [
    "device": ["convert_to(name, 'UTF8')", "creation"], "journal": ["event"], "snapshot": ["state"],
    "decision": ["convert_to(stack, 'UTF8')", "body"], "retention_boundary": ["state"],
  ]

  private let settings: PostgresSettings
  private let journal = Mutex<PostgresJournal?>(nil)

  init() throws { settings = try PostgresSettings(PostgresProcess.shared().database()) }

  func open() async throws -> any TableJournal {
    let opened = PostgresJournal(try await PostgresTables.open(settings))
    journal.withLock { $0 = opened }
    return opened
  }

  func close() async throws {
    let opened = journal.withLock { journal in
      defer { journal = nil }
      return journal
    }
    await opened?.tables.close()
  }

  func verify() async throws -> Verification { try await PostgresTables.verify(settings) }

  func marks() async throws -> Set<Int> {
    let copy = try await copy()
    return try withExtendedLifetime(copy) { try Mark.numbers(in: copy.path) }
  }

  func contains(_ text: String) async throws -> Bool {
    let copy = try await copy()
    return try withExtendedLifetime(copy) { try Mark.isText(text, in: copy.path) }
  }

  /// Copies the bytes of all rows to files.
  private func copy() async throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let connection = try PostgresConnection(settings)
    for (table, columns) in Self.columns {
      let rows = try await connection.read([
        PostgresCall("SELECT \(columns.joined(separator: ", ")) FROM \(table)")
      ])[0]
      var bytes: [UInt8] = []
      for row in 0..<rows.count {
        for column in columns.indices { bytes += try rows.bytes(row, column) + [0] }
      }
      try Data(bytes).write(to: URL(filePath: directory.file(table)))
    }
    return directory
  }
}
