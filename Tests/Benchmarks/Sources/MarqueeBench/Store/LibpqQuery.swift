import CPostgres

/// A connection on which a benchmark reads numbers from a database.
final class LibpqQuery {
  private let connection: OpaquePointer

  init(_ info: String) throws {
    guard let opened = PQconnectdb(info) else { throw BenchmarkError("libpq has no memory") }
    connection = opened
    guard PQstatus(connection) == CONNECTION_OK else { throw failure() }
  }

  deinit { PQfinish(connection) }

  /// Returns the number that a query has as its only result.
  func integer(_ text: String) throws -> Int {
    let result = PQexec(connection, text)
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_TUPLES_OK, let value = PQgetvalue(result, 0, 0),
      let number = Int(String(cString: value))
    else { throw failure() }
    return number
  }

  private func failure() -> BenchmarkError {
    BenchmarkError("PostgreSQL failed: \(String(cString: PQerrorMessage(connection)))")
  }
}
