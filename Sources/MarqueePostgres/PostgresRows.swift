import CPostgres

/// The rows of a statement, in PostgreSQL's binary format.
///
/// It is `@unchecked Sendable` because the result that it owns never changes.
package final class PostgresRows: @unchecked Sendable {
  private let result: OpaquePointer

  /// Takes the ownership of a result.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// The number of rows.
  package var count: Int { Int(PQntuples(result)) }

  /// The number of columns.
  var columnCount: Int { Int(PQnfields(result)) }

  /// The number of rows that the statement inserted, updated or deleted.
  package var changedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  /// The name of the command, such as `COMMIT` or `ROLLBACK`.
  var command: String { String(cString: PQcmdStatus(result)) }

  /// Returns whether the value is `NULL`.
  package func isNull(_ row: Int, _ column: Int) -> Bool {
    checkBounds(row, column)
    return PQgetisnull(result, CInt(row), CInt(column)) == 1
  }

  /// Returns a `smallint`, `integer`, `bigint` or `boolean`.
  ///
  /// - Throws: ``PostgresError`` `wrongType` for `NULL` or another type.
  package func integer(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
    let types: [Oid] = [16, 20, 21, 23]
    guard !isNull(row, column), types.contains(PQftype(result, CInt(column))) else { throw wrongType(column) }
    return withBytes(row, column) { bytes in
      let sign: Int64 = bytes.first.map { $0 & 0x80 == 0 ? 0 : -1 } ?? 0
      return bytes.reduce(sign) { $0 << 8 | Int64($1) }
    }
  }

  /// Returns the integers of a column.
  ///
  /// - Throws: ``PostgresError`` `wrongType` for `NULL` or another type.
  func integers(column: Int = 0) throws(PostgresError) -> [Int64] {
    var values: [Int64] = []
    for row in 0..<count { values.append(try integer(row, column)) }
    return values
  }

  /// Returns a `bytea`.
  ///
  /// - Throws: ``PostgresError`` `wrongType` for `NULL` or another type.
  package func bytes(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8] {
    guard !isNull(row, column), PQftype(result, CInt(column)) == 17 else { throw wrongType(column) }
    return withBytes(row, column) { [UInt8]($0) }
  }

  /// Returns a `text`.
  ///
  /// - Throws: ``PostgresError`` `wrongType` for `NULL` or another type.
  package func text(_ row: Int, _ column: Int) throws(PostgresError) -> String {
    guard !isNull(row, column), PQftype(result, CInt(column)) == 25 else { throw wrongType(column) }
    return withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
  }

  private func withBytes<Value>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    let length = Int(PQgetlength(result, CInt(row), CInt(column)))
    return body(UnsafeRawBufferPointer(start: PQgetvalue(result, CInt(row), CInt(column)), count: length))
  }

  /// Traps instead of reading a row that does not exist, for which libpq prints a warning.
  private func checkBounds(_ row: Int, _ column: Int) {
    precondition((0..<count).contains(row) && (0..<columnCount).contains(column))
  }

  private func wrongType(_ column: Int) -> PostgresError {
    PostgresError(.wrongType, "column \(column + 1) of a result is NULL or has another type than expected")
  }
}
