import MarqueePostgres
import PostgresProcess
import Testing

/// Transactions of a connection, on the server that all tests share.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct PostgresConnectionTests {
  private let info: String
  private let connection: PostgresConnection

  init() async throws {
    info = try PostgresProcess.shared().database()
    connection = try PostgresConnection(PostgresSettings(info))
    _ = try await connection.write([
      PostgresCall("CREATE SCHEMA marquee"),
      PostgresCall("CREATE TABLE entry (id bigint UNIQUE DEFERRABLE INITIALLY DEFERRED, note text, body bytea)"),
      PostgresCall("CREATE TABLE name (id bigint PRIMARY KEY)"),
    ])
  }

  private func count(_ table: String = "entry") async throws -> Int64 {
    try await connection.read([PostgresCall("SELECT count(*) FROM \(table)")])[0].integer(0, 0)
  }

  /// Returns the error of a transaction.
  private func failure(_ calls: [PostgresCall]) async throws -> PostgresError {
    let error = await #expect(throws: PostgresError.self) { _ = try await connection.write(calls) }
    return try #require(error)
  }

  private static func insertion(_ id: Int64) -> PostgresCall {
    PostgresCall(prepared: "insert_entry", "INSERT INTO entry (id) VALUES ($1)", [.integer(id)])
  }

  @Test("Arrays of numbers, bytes and text arrive as they were sent, also empty ones and NULL")
  func arrays() async throws {
    let numbers: [Int64?] = [.min, -1, 0, nil, 1, .max]
    let bodies: [[UInt8]] = [[], [0], Array(0...255), Array(repeating: 7, count: 100_000), [39, 92], [255]]
    let notes = ["", "a", "Gruß 🎉", "\"quoted\", {with} \\ braces", "NULL", "é"]
    _ = try await connection.write([
      PostgresCall(
        "INSERT INTO entry SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[])",
        [.integers(numbers), .texts(notes), .byteArrays(bodies)]),
      PostgresCall(
        "INSERT INTO entry SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[])",
        [.integers([]), .texts([]), .byteArrays([])]),
    ])
    let rows = try await connection.read([PostgresCall("SELECT id, note, body FROM entry ORDER BY ctid")])[0]
    #expect(rows.count == 6)
    for row in 0..<6 {
      #expect(rows.isNull(row, 0) == (numbers[row] == nil))
      if let number = numbers[row] { #expect(try rows.integer(row, 0) == number) }
      #expect(try rows.text(row, 1) == notes[row])
      #expect(try rows.bytes(row, 2) == bodies[row])
    }
  }

  @Test("Parameters can be NULL or empty, and narrow types and truth values are read as numbers")
  func scalars() async throws {
    let rows = try await connection.read([
      PostgresCall("SELECT $1::bigint, $2::text, $3::bytea", [.integer(nil), .text(nil), .bytes(nil)]),
      PostgresCall("SELECT $1::text, $2::bytea", [.text(""), .bytes([])]),
      PostgresCall("SELECT -2::smallint, -3::integer, true, false"),
    ])
    #expect((0..<3).allSatisfy { rows[0].isNull(0, $0) })
    #expect(try rows[1].text(0, 0) == "")
    #expect(try rows[1].bytes(0, 1) == [])
    #expect(try (0..<4).map { try rows[2].integer(0, $0) } == [-2, -3, 1, 0])
    #expect(throws: PostgresError.self) { try rows[2].text(0, 0) }
    #expect(throws: PostgresError.self) { try rows[0].integer(0, 0) }
  }

  @Test("A transaction of many statements takes one round trip, also when it prepares them")
  func trips() async throws {
    let relay = try Relay(to: PostgresProcess.shared().directory.path)
    let connection = try PostgresConnection(PostgresSettings(relay.info(info)))
    try await connection.open()
    let insertions = (1...100).map { Self.insertion($0) }
    for _ in 0..<2 {
      let before = relay.tripCount
      _ = try await connection.write(insertions + [PostgresCall("DELETE FROM entry")])
      #expect(relay.tripCount == before + 1)
    }
    let before = relay.tripCount
    _ = try await connection.read([PostgresCall("SELECT 1"), PostgresCall("SELECT 2")])
    _ = try await connection.read([PostgresCall("SELECT 1"), PostgresCall("SELECT 2")])
    // The end of each view is sent without waiting for the reply.
    #expect(relay.tripCount <= before + 4)
  }

  @Test("A batch that is larger than the buffers of the socket is sent and received without a deadlock")
  func large() async throws {
    let bodies = [[UInt8]](repeating: Array(repeating: 1, count: 1_000_000), count: 20)
    let call = PostgresCall("SELECT * FROM unnest($1::bytea[])", [.byteArrays(bodies)])
    let rows = try await connection.write([call, call, call])
    #expect(try rows.allSatisfy { try $0.count == 20 && $0.bytes(19, 0).count == 1_000_000 })
  }

  @Test("An error in the middle writes nothing, keeps its SQLSTATE, and leaves the session usable")
  func error() async throws {
    let process = PostgresCall("SELECT pg_backend_pid()")
    let before = try await connection.read([process])[0].integer(0, 0)
    let name = PostgresCall("INSERT INTO name VALUES (1)")
    let error = try await failure([Self.insertion(1), name, name, Self.insertion(2)])
    #expect(error.code == .failed && error.outcome == .notWritten && error.state == "23505")
    #expect(error.constraint == "name_pkey")
    #expect(!error.description.contains("(1)"))
    #expect(try await count() == 0)
    _ = try await connection.write([Self.insertion(3)])
    #expect(try await count() == 1)
    #expect(try await connection.read([process])[0].integer(0, 0) == before)
  }

  @Test("A commit that fails with an error writes nothing")
  func deferred() async throws {
    let error = try await failure([Self.insertion(1), Self.insertion(1)])
    #expect(error.outcome == .notWritten && error.state == "23505")
    #expect(try await count() == 0)
  }

  @Test("A transaction whose body throws is rolled back, and the error is that of the body")
  func body() async throws {
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) {
      try await connection.write { transaction in
        _ = try transaction.run(Self.insertion(1))
        throw Refusal()
      }
    }
    await #expect(throws: Refusal.self) { try await connection.write { _ in throw Refusal() } }
    #expect(try await count() == 0)
    try await connection.write { transaction in
      transaction.add(Self.insertion(1))
      let rows = try transaction.run(PostgresCall("SELECT count(*) FROM entry"))
      #expect(try rows.integer(0, 0) == 1)
      transaction.add(Self.insertion(2))
    }
    #expect(try await count() == 2)
  }

  @Test("A view can change nothing, and all of its queries see one snapshot")
  func view() async throws {
    let error = await #expect(throws: PostgresError.self) { try await connection.read([Self.insertion(1)]) }
    #expect(error?.state == "25006")
    let level = try await connection.read([PostgresCall("SELECT current_setting('transaction_isolation')")])[0]
    #expect(try level.text(0, 0) == "repeatable read")
  }

  @Test("Transactions of many callers run one after the other")
  func callers() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 1...50 {
        group.addTask { _ = try await connection.write([Self.insertion(Int64(id))]) }
      }
      try await group.waitForAll()
    }
    #expect(try await count() == 50)
  }

  @Test("The session has the settings on which durability depends")
  func settings() async throws {
    let names = ["synchronous_commit", "client_min_messages", "statement_timeout", "application_name"]
    let rows = try await connection.read(names.map { PostgresCall("SELECT current_setting($1)", [.text($0)]) })
    #expect(try rows.map { try $0.text(0, 0) } == ["on", "warning", "0", "marqueed"])
  }
}
