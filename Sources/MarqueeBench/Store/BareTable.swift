import Dispatch
import GRDBSQLite
import Synchronization

/// Rows of bytes in one table of SQLite, each durable when it is answered, and nothing else: what publications are
/// compared with.
///
/// Whoever comes while a commit is under way shares the next transaction and its one flush, as in the store.
///
/// `@unchecked Sendable`: the connection and its statements are used on the queue alone, or before and after all else.
final class BareTable: @unchecked Sendable {
  private struct Waiting: Sendable {
    let bytes: [UInt8]
    let continuation: UnsafeContinuation<Void, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var isDraining = false
  }

  private let queue = DispatchQueue(label: "bare table")
  private let state = Mutex(State())
  private let connection: OpaquePointer
  private let begin: OpaquePointer
  private let insert: OpaquePointer
  private let commit: OpaquePointer

  /// A table in a new file.
  init(file: String) throws {
    var connection: OpaquePointer?
    guard sqlite3_open(file, &connection) == SQLITE_OK, let connection else {
      throw BenchmarkError("SQLite does not open a new file")
    }
    self.connection = connection
    // As the store has it, but for pages that are freed, of which there are none here.
    for sql in [
      "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
      "CREATE TABLE row (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT",
    ] {
      guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw Self.failure(connection) }
    }
    begin = try Self.statement("BEGIN IMMEDIATE", connection)
    insert = try Self.statement("INSERT INTO row (bytes) VALUES (?)", connection)
    commit = try Self.statement("COMMIT", connection)
  }

  deinit {
    for statement in [begin, insert, commit] { sqlite3_finalize(statement) }
    sqlite3_close(connection)
  }

  /// Inserts a row; it is durable when this returns.
  func add(_ bytes: [UInt8]) async throws {
    try await withUnsafeThrowingContinuation { continuation in
      let starts = state.withLock { state in
        state.waiting.append(Waiting(bytes: bytes, continuation: continuation))
        defer { state.isDraining = true }
        return !state.isDraining
      }
      if starts { queue.async { self.drain() } }
    }
  }

  private func drain() {
    while let group = nextGroup() {
      let outcome = Result { try write(group) }
      for waiting in group { waiting.continuation.resume(with: outcome) }
    }
  }

  private func nextGroup() -> [Waiting]? {
    state.withLock { state in
      state.isDraining = !state.waiting.isEmpty
      guard state.isDraining else { return nil }
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  private func write(_ group: [Waiting]) throws {
    try run(begin)
    for waiting in group {
      try waiting.bytes.withUnsafeBytes { bytes in
        let code = sqlite3_bind_blob64(insert, 1, bytes.baseAddress, UInt64(bytes.count), nil)
        guard code == SQLITE_OK else { throw Self.failure(connection) }
        try run(insert)
      }
    }
    try run(commit)
  }

  private func run(_ statement: OpaquePointer) throws {
    defer { sqlite3_reset(statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw Self.failure(connection) }
  }

  private static func statement(_ sql: String, _ connection: OpaquePointer) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure(connection)
    }
    return statement
  }

  private static func failure(_ connection: OpaquePointer) -> BenchmarkError {
    BenchmarkError("SQLite fails with code \(sqlite3_extended_errcode(connection))")
  }
}
