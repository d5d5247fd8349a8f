import CPostgres

/// The journal of a PostgreSQL database with devices, which no server uses: the baseline for publications with this
/// engine. It has the indexes and the trigger of the journal. Events are not sealed.
///
/// A transaction takes one round trip, with one statement for all rows.
///
/// `@unchecked Sendable`: the connection is used only by calls of `write`, which come one after the other, or
/// exclusively before and after.
final class LibpqJournal: BareWriter, @unchecked Sendable {
  private static let insertion = """
    INSERT INTO journal (device, sequence, at, event, kind)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])
    """
  /// The object identifiers of the types of the parameters.
  private static let types: [Oid] = [1_016, 1_016, 1_016, 1_001, 1_016]

  private let connection: OpaquePointer
  /// The number of rows of each device.
  private var counts: [Int: Int64] = [:]

  /// Connects to a database, whose devices have numbers from 1.
  init(_ info: String) throws {
    guard let opened = PQconnectdb(info) else { throw BenchmarkError("libpq has no memory") }
    connection = opened
    guard PQstatus(connection) == CONNECTION_OK else { throw failure() }
    try execute("SET search_path = marquee")
    for (name, text) in [("begin", "BEGIN"), ("insert", Self.insertion), ("commit", "COMMIT")] {
      let types = name == "insert" ? Self.types : []
      try check(PQprepare(connection, name, text, CInt(types.count), types))
    }
    guard PQenterPipelineMode(connection) == 1 else { throw failure() }
  }

  deinit { PQfinish(connection) }

  func write(_ rows: [BareRow]) throws {
    var columns = [[UInt8]](repeating: [], count: Self.types.count)
    for (column, type) in zip(columns.indices, Self.types) {
      columns[column].appendHeader(count: rows.count, type: type == 1_001 ? 17 : 20)
    }
    for row in rows {
      let sequence = counts[row.device, default: 0] + 1
      counts[row.device] = sequence
      columns[0].append(element: Int64(row.device))
      columns[1].append(element: sequence)
      columns[2].append(element: 0)
      columns[3].append(bigEndian: Int32(row.bytes.count))
      columns[3] += row.bytes
      columns[4].append(element: row.bytes.first.map { Int64($0) } ?? 0)
    }
    let isQueued = queue("begin", []) && queue("insert", columns) && queue("commit", [])
    guard isQueued, PQpipelineSync(connection) == 1 else { throw failure() }
    for _ in 0..<3 {
      try check(PQgetResult(connection))
      PQclear(PQgetResult(connection))
    }
    try check(PQgetResult(connection))
  }

  private func queue(_ statement: String, _ values: [[UInt8]]) -> Bool {
    let lengths = values.map { CInt($0.count) }
    let offsets = values.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    return Array(values.joined()).withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let pointers = zip(values, offsets).map { _, offset in start.map { UnsafePointer($0 + offset) } }
      let formats = [CInt](repeating: 1, count: values.count)
      return PQsendQueryPrepared(connection, statement, CInt(values.count), pointers, lengths, formats, 1)
    } == 1
  }

  private func execute(_ text: String) throws { try check(PQexec(connection, text)) }

  /// Verifies and releases a result.
  private func check(_ result: OpaquePointer?) throws {
    defer { PQclear(result) }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_PIPELINE_SYNC: return
    default: throw failure()
    }
  }

  private func failure() -> BenchmarkError {
    BenchmarkError("PostgreSQL failed: \(String(cString: PQerrorMessage(connection)))")
  }
}

/// The binary format of PostgreSQL's arrays.
extension [UInt8] {
  fileprivate mutating func appendHeader(count: Int, type: Int32) {
    for word in [1, 0, type, Int32(count), 1] { append(bigEndian: word) }
  }

  fileprivate mutating func append(element: Int64) {
    append(bigEndian: Int32(8))
    append(bigEndian: element)
  }

  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
