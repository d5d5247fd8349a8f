import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeTestSupport
import MarqueeWire
import Testing

@testable import MarqueeServer

@Suite("Sessions", .timeLimit(.minutes(1)))
struct SessionTableTests {
  private static func session(
    _ token: SessionToken, role: SessionRole = .viewer, device: DeviceID? = nil, lifetime: Int64 = 60
  ) -> AccessSession {
    let created = Instant(milliseconds: Principal.now * 1_000) ?? .max
    return AccessSession(
      id: token.id, role: role, device: device, created: created,
      expiry: Instant(milliseconds: (Principal.now + lifetime) * 1_000) ?? .max, creator: "user 0")
  }

  private static func parsed(_ text: String) -> SessionToken? { SessionToken(authorization: Array(text.utf8)) }

  @Test("A token is recognized by its identifier and its secret, whatever the case of the scheme")
  func token() async throws {
    let (token, other, table) = (SessionToken(), SessionToken(), SessionTable())
    try await table.add(Self.session(token), hash: token.hash)
    #expect(token.text != other.text && token.text.utf8.count == 4 + 8 + 1 + 43)
    for scheme in ["Bearer ", "bearer ", "BEARER ", "Bearer   "] {
      let parsed = try #require(Self.parsed(scheme + token.text))
      #expect(table.session(of: parsed)?.id == token.id)
    }
    let secret = other.text.dropFirst(13)
    let mixed = try #require(Self.parsed("Bearer mqs_\(token.id)_\(secret)"))
    #expect(table.session(of: mixed) == nil, "the secret of another token")
    #expect(table.session(of: other) == nil)
  }

  @Test(
    "Other texts are no tokens of sessions",
    arguments: [
      "", "Bearer", "Bearer ", "Bearer mqs_", "Bearer mqs_a_", "Bearer mqs__AAAA", "Basic mqs_a_AAAA",
      "Bearer mqs_a_AAAA",
      "Bearer mqs_a_" + String(repeating: "A", count: 44), "Bearer mqs_a_" + String(repeating: "A", count: 42) + "B",
      "Bearer eyJhbGciOiJFZERTQSJ9.e30.AA", "Bearer mqs_\u{7}_" + String(repeating: "A", count: 43),
    ])
  func otherTexts(text: String) {
    #expect(Self.parsed(text) == nil)
  }

  @Test("An expired session is neither accepted nor listed, and makes room for others")
  func expiry() async throws {
    let (expired, valid, table) = (SessionToken(), SessionToken(), SessionTable())
    try await table.add(Self.session(expired, lifetime: 0), hash: expired.hash)
    try await table.add(Self.session(valid), hash: valid.hash)
    #expect(table.session(of: expired) == nil && table.session(of: valid) != nil)
    #expect(table.all.map(\.id) == [valid.id])
    #expect(try await !table.remove { $0.id == expired.id })
    for _ in 1..<SessionTable.countMax { try await table.add(Self.session(SessionToken()), hash: []) }
    let full = await #expect(throws: RPCStatus.self) { try await table.add(Self.session(expired), hash: []) }
    #expect(full?.code == .resourceExhausted && full?.message.contains("session-count-max") == true)
    #expect(try await table.remove { $0.id == valid.id })
    try await table.add(Self.session(expired), hash: [])
  }

  @Test("The calls of all sessions of one creator are counted together, except those of an owner's sessions")
  func accounts() async throws {
    let table = SessionTable()
    let access = AccessController(AccessPolicy(), table)
    func account(_ creator: String) async throws -> Principal.Identity {
      let token = SessionToken()
      let session = AccessSession(
        id: token.id, role: .viewer, device: nil, created: .min, expiry: .max, creator: creator)
      try await table.add(session, hash: token.hash)
      return try access.principal(for: .token(Array("Bearer \(token.text)".utf8))).account
    }
    #expect(try await account("viewer of issuer") == account("viewer of issuer"))
    #expect(try await account("viewer of issuer") != account("other of issuer"))
    #expect(try await account("user 0") != account("user 0"))
  }

  @Test("A node of a cluster accepts no session without a lease, because other nodes may have revoked it")
  func lease() async throws {
    let (token, table, node) = (SessionToken(), SessionTable(), NodeState(shardCount: 4))
    try await table.add(Self.session(token), hash: token.hash)
    let access = AccessController(AccessPolicy(), table, node: node)
    let credential = Principal.Credential.token(Array("Bearer \(token.text)".utf8))
    let refused = #expect(throws: RPCStatus.self) { try access.principal(for: credential) }
    #expect(refused?.code == .unavailable, "a client that tries again is not logged out")
    node.leaseEnd = .now + .seconds(60)
    let principal = try access.principal(for: credential)
    node.leaseEnd = .now
    #expect(throws: RPCStatus.self) { try access.principal(revalidating: principal) }
  }

  @Test("Sessions are kept in a file of their owner, which contains no secret and nothing of removed ones")
  func file() async throws {
    let directory = try TemporaryDirectory()
    let file = SessionFile(directory: directory.path)
    let (viewer, kiosk) = (SessionToken(), SessionToken())
    let table = try SessionTable(file)
    try await table.add(Self.session(viewer), hash: viewer.hash)
    try await table.add(Self.session(kiosk, role: .display, device: try DeviceID("hall")), hash: kiosk.hash)
    let path = directory.file(SessionFile.name)
    func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
    #expect(try !text().contains(viewer.text.suffix(43)) && text().contains("hall"))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let later = try SessionTable(file)
    #expect(later.all == table.all && later.session(of: viewer) != nil)
    #expect(later.session(of: kiosk)?.device?.text == "hall")
    #expect(try await later.remove { $0.device?.text == "hall" })
    #expect(try !text().contains("hall"))
    #expect(try SessionTable(file).all.map(\.id) == [viewer.id])
  }

  @Test(
    "On a full disk, a new session is refused like any other write, and the others are kept",
    .enabled("only root can mount a file system") { try SmallDisk.isPossible() })
  func fullDisk() async throws {
    let disk = try #require(try SmallDisk(size: 65_536))
    let file = SessionFile(directory: disk.path)
    let (table, first) = (try SessionTable(file), SessionToken())
    try await table.add(Self.session(first), hash: first.hash)
    // The last page remains partly empty, but a second file does not fit.
    let ballast = open("\(disk.path)/ballast", O_CREAT | O_WRONLY, 0o600)
    let page = [UInt8](repeating: 1, count: 4_096)
    while write(ballast, page, page.count) > 0 {}
    close(ballast)
    let full = await #expect(throws: RPCStatus.self) {
      try await table.add(Self.session(SessionToken()), hash: first.hash)
    }
    #expect(full?.code == .resourceExhausted && full?.retryDelay != nil, "\(String(describing: full))")
    let kept = try SessionTable(file).all
    #expect(table.all.map(\.id) == [first.id] && kept == table.all)
  }

  @Test(
    "A damaged file stops the server, which names it",
    arguments: [
      "", "{}", "[]", #"{"version": 1}"#, #"{"version": 2, "sessions": []}"#,
      #"{"version":1,"sessions":[{"id":"","hash":"","role":"viewer","created":0,"expires":0,"creator":""}]}"#,
      #"{"version":1,"sessions":[{"id":"a","hash":"","role":"king","created":0,"expires":0,"creator":""}]}"#,
    ])
  func damaged(content: String) throws {
    let directory = try TemporaryDirectory()
    try content.write(toFile: directory.file(SessionFile.name), atomically: false, encoding: .utf8)
    let error = #expect(throws: ConfigurationError.self) { try SessionTable(SessionFile(directory: directory.path)) }
    #expect(error?.description.contains(SessionFile.name) == true)
  }
}
