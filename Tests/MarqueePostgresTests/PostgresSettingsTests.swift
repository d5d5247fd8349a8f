import Foundation
import MarqueePostgres
import MarqueeTestSupport
import PostgresProcess
import Testing

/// Malformed connection infos, passwords, and servers that are refused.
@Suite(.timeLimit(.minutes(1))) struct PostgresSettingsTests {
  private static let secret = "hunter2secret"

  private func opening(_ info: String, _ file: String? = nil, requiresStandby: Bool = false) async -> PostgresError? {
    do throws(PostgresError) {
      let settings = try PostgresSettings(info, passwordFile: file, requiresStandby: requiresStandby)
      try await PostgresConnection(settings).open()
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "The error of a malformed connection info contains no part of it",
    arguments: [
      "password=a \(secret)", "password=a \(secret)=b", "\(secret)", "password='\(secret)",
      "dbname=a\0password=\(secret)",
      "postgres://user:\(secret)@[::1/db", "postgres://user:\(secret)@host:x%zz/", "postgres://user:a@\(secret)@host/",
      "postgres://user:a@host/?\(secret)", "postgres://user:a@host/?x=\(secret)%zz", "options=-c password=\(secret)",
      "replication=\(secret)", "client_encoding=\(secret)", "postgres://user:%\(secret)@host/",
      "host=a password=\(secret) b",
    ])
  func malformed(info: String) async {
    let error = await opening(info)
    #expect(error?.code == .malformedSettings)
    #expect(error?.description.hasPrefix("PostgreSQL: invalid connection info: ") == true)
    #expect(error?.description.contains(Self.secret) == false)
  }

  @Test("An unreadable, empty or too long password file is refused, and one besides a password")
  func passwordFiles() async throws {
    let directory = try TemporaryDirectory()
    #expect(await opening("host=/tmp", directory.file("absent"))?.code == .malformedSettings)
    for text in ["", "\n\(Self.secret)", String(repeating: "a", count: 1_025), "a\0b"] {
      let error = await opening("host=/tmp", try directory.write(text, to: "password"))
      #expect(error?.code == .malformedSettings)
    }
    let both = await opening("host=/tmp password=\(Self.secret)", try directory.write("a", to: "password"))
    #expect(both?.code == .malformedSettings && both?.description.contains(Self.secret) == false)
  }

  @Test(
    "The error of a wrong password does not contain it, and the right one in a file is accepted",
    .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"))
  func passwords() async throws {
    let server = try PostgresProcess.shared()
    let connection = try PostgresConnection(PostgresSettings(server.info()))
    // Others use the role, too, which is the only one of the tests' server with a password.
    _ = try await connection.write([
      PostgresCall(
        "DO $$ BEGIN IF to_regrole('locked') IS NULL THEN CREATE ROLE locked LOGIN; END IF; END $$"),
      PostgresCall("ALTER ROLE locked PASSWORD '\(Self.secret)'"),
    ])
    let info = "host=\(server.directory.path) dbname=postgres user=locked"
    let wrong = await opening("\(info) password=wrong\(Self.secret)")
    #expect(wrong?.code == .accessDenied && wrong?.outcome == .notWritten)
    #expect(wrong?.description.contains(Self.secret) == false)
    let none = await opening("\(info) passfile=/dev/null")
    #expect(none?.code == .accessDenied)
    let directory = try TemporaryDirectory()
    #expect(await opening(info, try directory.write("\(Self.secret)\r\nrest\n", to: "password")) == nil)
    #expect(await opening("\(server.info("absent"))")?.code == .accessDenied)
  }

  @Test(
    "A server whose settings can lose commits is refused",
    .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"))
  func unsafe() async throws {
    let server = try PostgresProcess(["fsync": "off"])
    let fsync = await opening(server.info())
    #expect(fsync?.code == .unsafeServer && fsync?.message.contains("fsync is off") == true)
    try server.stop()
    try server.start(["fsync": "on", "full_page_writes": "off"])
    let pages = await opening(server.info())
    #expect(pages?.code == .unsafeServer && pages?.message.contains("full_page_writes is off") == true)
    try server.stop()
    try server.start(["full_page_writes": "on"])
    #expect(await opening(server.info()) == nil)
    let standby = await opening(server.info(), requiresStandby: true)
    #expect(standby?.code == .unsafeServer && standby?.message.contains("synchronous_standby_names") == true)
    try server.stop()
    try server.start(["synchronous_standby_names": "*"])
    #expect(await opening(server.info(), requiresStandby: true) == nil)
    try server.stop()
    try server.start(["default_transaction_read_only": "on"])
    #expect(await opening(server.info())?.code == .unsafeServer)
  }

  @Test(
    "A standby is refused, also if the connection info accepts any server",
    .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"))
  func standby() async throws {
    let primary = try PostgresProcess()
    let standby = try PostgresProcess(standbyOf: primary)
    #expect(await opening(standby.info())?.code == .unsafeServer)
    #expect(await opening(standby.info("postgres", "target_session_attrs=any"))?.code == .unsafeServer)
    #expect(await opening("host=\(standby.directory.path),\(primary.directory.path) user=postgres") == nil)
  }
}
