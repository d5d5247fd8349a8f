import MarqueePostgres
import PostgresProcess
import Testing

/// The outcomes of transactions when the server, a session or the network fails.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct PostgresFailureTests {
  /// Returns a connection to a database with an empty table.
  private func connection(to info: String) async throws -> PostgresConnection {
    let connection = try PostgresConnection(PostgresSettings(info))
    _ = try await connection.write([
      PostgresCall("CREATE SCHEMA marquee"), PostgresCall("CREATE TABLE entry (id bigint)"),
    ])
    return connection
  }

  private static let insertion = PostgresCall("INSERT INTO entry VALUES (1)")

  private func count(_ connection: PostgresConnection) async throws -> Int64 {
    try await connection.read([PostgresCall("SELECT count(*) FROM entry")])[0].integer(0, 0)
  }

  /// Returns a statement that ends when a session of the database waits for an event, and then calls a function with
  /// its process.
  private static func whenWaiting(for event: String, _ function: String) -> PostgresCall {
    PostgresCall(
      """
      DO $$ DECLARE process int; BEGIN
        LOOP
          SELECT pid INTO process FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event = '\(event)' AND pid <> pg_backend_pid();
          EXIT WHEN FOUND;
          PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
        END LOOP;
        PERFORM \(function)(process);
      END $$
      """)
  }

  /// Runs a transaction, and meanwhile a statement of another session.
  ///
  /// - Returns: The error of the transaction.
  private func failure(
    of calls: [PostgresCall], on connection: PostgresConnection, _ info: String, during call: PostgresCall,
    _ then: () throws -> Void = {}
  ) async throws -> PostgresError {
    async let written = connection.write(calls)
    _ = try await PostgresConnection(PostgresSettings(info)).read([call])
    try then()
    do {
      _ = try await written
    } catch {
      return try #require(error as? PostgresError)
    }
    throw PostgresProcess.Failure("the transaction did not fail")
  }

  @Test("A server that is killed within a commit makes its outcome unknown, and the connection opens again")
  func killed() async throws {
    let server = try PostgresProcess()
    let info = try server.database()
    let connection = try await connection(to: info)
    try server.stop()
    // A commit waits for a standby that does not exist.
    try server.start(["synchronous_standby_names": "absent"])
    let error = try await failure(
      of: [Self.insertion], on: connection, info, during: Self.whenWaiting(for: "SyncRep", "abs")
    ) { try server.kill() }
    #expect(error.code == .unavailable && error.outcome == .unknown)
    await #expect(throws: PostgresError.self) { try await connection.open() }
    try server.start(["synchronous_standby_names": ""])
    // The record of the commit was flushed before the server waited.
    #expect(try await count(connection) == 1)
  }

  @Test(
    "A commit that is cancelled or terminated while it waits for a standby has an unknown outcome",
    arguments: ["pg_cancel_backend", "pg_terminate_backend"])
  func standby(function: String) async throws {
    let server = try PostgresProcess()
    let info = try server.database()
    let connection = try await connection(to: info)
    try server.stop()
    try server.start(["synchronous_standby_names": "absent"])
    let error = try await failure(
      of: [Self.insertion], on: connection, info, during: Self.whenWaiting(for: "SyncRep", function))
    #expect(error.outcome == .unknown)
    // The server answers that the commit succeeded, with a warning only.
    #expect(error.message.hasPrefix("a warning during the commit") == (function == "pg_cancel_backend"))
    #expect(try await count(connection) == 1)
  }

  @Test("A session that is terminated in a statement has written nothing, and the next transaction opens another")
  func terminated() async throws {
    let info = try PostgresProcess.shared().database()
    let connection = try await connection(to: info)
    let calls = [Self.insertion, PostgresCall("SELECT pg_sleep(60)")]
    let error = try await failure(
      of: calls, on: connection, info, during: Self.whenWaiting(for: "PgSleep", "pg_terminate_backend"))
    #expect(error.outcome == .notWritten && error.state == "57P01")
    #expect(try await count(connection) == 0)
    _ = try await connection.write([Self.insertion])
    #expect(try await count(connection) == 1)
  }

  @Test("A session that is terminated while its commit is flushed has written, and does not say otherwise")
  func terminatedInCommit() async throws {
    // A commit takes 100 ms, in which the server defers the termination.
    let server = try PostgresProcess(["commit_delay": "100000", "commit_siblings": "0"])
    let info = try server.database()
    let connection = try await connection(to: info)
    async let written = connection.write([Self.insertion])
    _ = try await PostgresConnection(PostgresSettings(info)).read([
      PostgresCall(
        """
        DO $$ DECLARE process int; BEGIN
          LOOP
            SELECT pid INTO process FROM pg_stat_activity
              WHERE datname = current_database() AND state = 'active' AND query = 'COMMIT';
            EXIT WHEN FOUND;
            PERFORM pg_stat_clear_snapshot();
          END LOOP;
          PERFORM pg_sleep(0.02), pg_terminate_backend(process);
        END $$
        """)
    ])
    _ = try await written
    #expect(try await count(connection) == 1)
  }

  @Test("A session that is terminated between transactions is replaced before anything is sent")
  func idle() async throws {
    let info = try PostgresProcess.shared().database()
    let connection = try await connection(to: info)
    let process = PostgresCall("SELECT pg_backend_pid()")
    let id = try await connection.read([process])[0].integer(0, 0)
    let other = try PostgresConnection(PostgresSettings(info))
    // With a timeout, the function waits for the end of the process.
    let ended = try await other.read([
      PostgresCall("SELECT pg_terminate_backend($1::bigint::integer, 10000)", [.integer(id)])
    ])
    #expect(try ended[0].integer(0, 0) == 1)
    _ = try await connection.write([Self.insertion])
    #expect(try await count(connection) == 1)
    #expect(try await connection.read([process])[0].integer(0, 0) != id)
  }

  @Test("A commit whose reply is lost has an unknown outcome, and was written")
  func reply() async throws {
    let info = try PostgresProcess.shared().database()
    let relay = try Relay(to: PostgresProcess.shared().directory.path)
    let connection = try await connection(to: relay.info(info))
    relay.dropReplies()
    let error = await #expect(throws: PostgresError.self) { _ = try await connection.write([Self.insertion]) }
    #expect(error?.code == .unavailable && error?.outcome == .unknown)
    let other = try PostgresConnection(PostgresSettings(info))
    #expect(try await count(other) == 1)
    #expect(try await count(connection) == 1)
  }

  @Test("A server that is not there is reported, and nothing was written")
  func absent() async throws {
    let connection = try PostgresConnection(PostgresSettings("host=/nonexistent user=postgres"))
    let error = await #expect(throws: PostgresError.self) { _ = try await connection.write([Self.insertion]) }
    #expect(error?.code == .unavailable && error?.outcome == .notWritten)
  }

  @Test("Of several hosts, the first that accepts writes is used")
  func hosts() async throws {
    let server = try PostgresProcess.shared()
    let info = "host=/nonexistent,\(server.directory.path) user=\(PostgresProcess.user)"
    let connection = try PostgresConnection(PostgresSettings(info))
    #expect(try await connection.read([PostgresCall("SELECT 1::bigint")])[0].integer(0, 0) == 1)
  }
}
