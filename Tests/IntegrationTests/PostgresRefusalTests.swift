import Foundation
import MarqueePostgres
import MarqueeRPC
import MarqueeTestSupport
import PostgresProcess
import Testing

/// The settings and databases with which `marqueed` does not start: exit status 78 and one line.
@Suite(
  "Refused databases", .serialized, .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"),
  .timeLimit(.minutes(3)))
struct PostgresRefusalTests {
  private static let password = "Qx7Vantablack"

  /// Returns the line with which a server is refused.
  private func refusal(_ arguments: [String]) async throws -> String {
    let (exit, log) = try await PostgresServer.run(arguments)
    #expect(exit == .code(78), "\(log)")
    #expect(log.split(separator: "\n").count == 1, "\(log)")
    #expect(!log.contains(Self.password))
    return log
  }

  private func refusal(_ server: PostgresServer, replacing options: [String]) async throws -> String {
    let line = try await refusal(DaemonTests.arguments(server.directory) + options)
    // Nothing was changed.
    #expect(!FileManager.default.fileExists(atPath: server.directory.file("data")))
    #expect(try FileManager.default.contentsOfDirectory(atPath: server.keys).isEmpty)
    return line
  }

  @Test("A malformed connection info is refused, without a part of it")
  func malformed() async throws {
    let server = try PostgresServer(info: "")
    for (store, reason) in [
      ("postgres:host", "store: invalid connection info: a keyword has no \"=\" after it"),
      ("postgres:\(Self.password)=1", "store: invalid connection info: an unknown keyword"),
      ("postgres://u:\(Self.password)@[::1/db", "store: invalid connection info: "),
      ("mysql://u:\(Self.password)@host", "store: not a database such as postgres:"),
      ("postgres:options=-cfsync=off", "store: invalid connection info: the parameter options cannot be set"),
    ] {
      let line = try await refusal(server, replacing: ["--store", store, "--keys", server.keys])
      #expect(line.hasPrefix("Error: \(reason)"), "\(line)")
    }
    #expect(
      try await refusal(server, replacing: ["--keys", server.keys]) == "Error: keys: must not be set without store\n")
    #expect(
      try await refusal(server, replacing: ["--store", "postgres:"])
        == "Error: keys: required setting is missing: store needs it\n")
  }

  @Test("A wrong password is refused, and never shown; it may be in a file that only its owner can read")
  func password() async throws {
    let process = try PostgresProcess.shared()
    let info = try process.database()
    let server = try PostgresServer(info: info)
    try await server.execute("DROP ROLE IF EXISTS locked", "CREATE ROLE locked LOGIN PASSWORD 'another'")
    let locked = info.replacing("user=postgres", with: "user=locked")
    let line = try await refusal(
      server,
      replacing: [
        "--log-level", "trace", "--store", "postgres:\(locked) password=\(Self.password)", "--keys", server.keys,
      ])
    #expect(line.contains("password authentication failed"), "\(line)")
    let file = try server.directory.write("\(Self.password)\n", to: "password")
    let options = ["--store", "postgres:\(locked)", "--keys", server.keys, "--store-password-file", file]
    chmod(file, 0o644)
    #expect(
      try await refusal(server, replacing: options)
        == "Error: store-password-file: the file is readable by other users (mode 644)\n")
    chmod(file, 0o600)
    #expect(try await refusal(server, replacing: options).contains("password authentication failed"))
    _ = try server.directory.write("another\n", to: "password")
    chmod(file, 0o600)
    try await server.execute("GRANT CREATE ON DATABASE \(name(info)) TO locked")
    try await Daemon.run(DaemonTests.arguments(server.directory) + options) { _, _ in }
  }

  @Test("A database of a later format, a read-only one, and one that another server uses are refused")
  func databases() async throws {
    let info = try PostgresProcess.shared().database()
    let server = try PostgresServer(info: info)
    let readOnly = "postgres:\(info) target_session_attrs=any"
    try await server.execute("ALTER DATABASE \(name(info)) SET default_transaction_read_only = on")
    #expect(
      try await refusal(server, replacing: ["--store", readOnly, "--keys", server.keys]).contains("read-only"))
    let connection = try PostgresConnection(PostgresSettings(PostgresProcess.shared().info()))
    _ = try await connection.write([PostgresCall("ALTER DATABASE \(name(info)) RESET default_transaction_read_only")])
    try await Daemon.run(server.arguments) { _, _ in
      let other = try PostgresServer(info: info)
      let (exit, log) = try await PostgresServer.run(DaemonTests.arguments(other.directory) + other.options)
      #expect(exit == .code(1) && log.contains("another server uses the database"), "\(log)")
    }
    try await server.execute("UPDATE marquee.cluster SET format = 99")
    #expect(try await refusal(server.arguments).contains("its format is 99"))
  }

  private func name(_ info: String) -> Substring { info.split(separator: "dbname=")[1].split(separator: " ")[0] }

  @Test("A server with which commits can be lost is refused", arguments: ["fsync", "full_page_writes"])
  func unsafeServer(setting: String) async throws {
    let process = try PostgresProcess([setting: "off"])
    let server = try PostgresServer(info: process.info())
    #expect(try await refusal(server, replacing: server.options).contains("\(setting) is off"))
    process.remove()
  }

  @Test("A standby is refused, which is read-only, unless it may become the primary of several hosts")
  func standby() async throws {
    let primary = try PostgresProcess()
    let standby = try PostgresProcess(standbyOf: primary)
    let server = try PostgresServer(info: standby.info())
    #expect(try await refusal(server, replacing: server.options).contains("read-only"))
    // As during a failover. A service manager starts the server again after this exit status.
    let hosts = server.options(server.info.replacing("host=", with: "host=/nonexistent,"))
    let (exit, log) = try await PostgresServer.run(DaemonTests.arguments(server.directory) + hosts)
    #expect(exit == .code(1) && log.contains("read-only"), "\(log)")
    standby.remove()
    primary.remove()
  }

  @Test(
    "A directory of keys that is missing, open to others, or another database's is refused, and foreign files in it")
  func keys() async throws {
    let server = try PostgresServer(info: PostgresProcess.shared().database())
    let absent = ["--store", "postgres:\(server.info)", "--keys", server.directory.file("absent")]
    let missing = try await refusal(server, replacing: absent)
    #expect(missing.contains("the directory of keys is refused: it does not exist; create it with mode 700"))
    chmod(server.keys, 0o750)
    #expect(
      try await refusal(server, replacing: server.options).contains("other users may access it (mode 750)"))
    chmod(server.keys, 0o700)
    try await Daemon.run(server.arguments) { _, endpoints in try await Fixture.build(.init(endpoints[0])) }
    let key = try #require(try FileManager.default.contentsOfDirectory(atPath: server.keys).first)
    chmod("\(server.keys)/\(key)", 0o640)
    #expect(try await refusal(server.arguments).contains("other users may access the key \(key) (mode 640)"))
    chmod("\(server.keys)/\(key)", 0o400)
    let other = try PostgresServer(info: server.info)
    #expect(
      try await refusal(other, replacing: other.options).contains("it has none of the keys of the database"))
    try Data(count: 31).write(to: URL(filePath: "\(server.keys)/000002-00000000"))
    chmod("\(server.keys)/000002-00000000", 0o600)
    #expect(try await refusal(server.arguments).contains("it has 31 bytes instead of 32"))
    try FileManager.default.removeItem(atPath: "\(server.keys)/000002-00000000")
    try await Daemon.run(server.arguments) { _, _ in }
  }
}
