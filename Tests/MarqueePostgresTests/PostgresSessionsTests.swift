import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import PostgresProcess
import Testing

/// The sessions that nodes share.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct PostgresSessionsTests {
  private struct Refusal: Error {}

  private let fixture: ClusterFixture

  init() async throws { fixture = try await ClusterFixture() }

  private static func session(
    _ id: String, _ role: SessionRole = .viewer, device: String? = nil, name: String? = nil, created: Instant = .min
  ) throws -> StoredSession {
    StoredSession(
      session: AccessSession(
        id: try SessionID(id), role: role, device: try device.map { try DeviceID($0) }, created: created, expiry: .max,
        creator: "user 0 \"ü\"", name: try name.map { try SessionName($0) }),
      hash: [0, 1, 255])
  }

  @Test("Sessions are read as they were written, oldest first, and only if they have changed")
  func content() async throws {
    let nodes = [try await fixture.join("a"), try await fixture.join("b")]
    let empty = try #require(try await nodes[0].sessions.read())
    #expect(empty.sessions.isEmpty)
    #expect(try await nodes[0].sessions.read(after: empty.version) == nil)
    let kiosk = try Self.session("kiosk", .kiosk, device: "hall", name: "tablet", created: .max)
    let added = [try Self.session("zebra"), kiosk]
    for session in [kiosk, added[0]] {
      #expect(try await nodes[0].sessions.change { $0 + [session] } != nil)
    }
    let read = try #require(try await nodes[1].sessions.read(after: empty.version))
    #expect(read.sessions == added && read.version > empty.version)
    let kept = try #require(try await nodes[1].sessions.change { $0.filter { $0.session.device == nil } })
    #expect(kept.sessions == [added[0]] && kept.version > read.version && kept.readAt > read.readAt)
    #expect(try await nodes[0].sessions.read()?.sessions == [added[0]])
  }

  @Test("A change that is refused or unnecessary changes nothing")
  func refused() async throws {
    let node = try await fixture.join()
    let before = try await node.sessions.read()?.version
    await #expect(throws: Refusal.self) { _ = try await node.sessions.change { _ in throw Refusal() } }
    #expect(try await node.sessions.change { _ in nil } == nil)
    #expect(try await node.sessions.read()?.version == before)
    try await node.renew()
  }

  @Test("A row of a later version is no session, is counted, and is kept by changes")
  func unreadable() async throws {
    let nodes = [try await fixture.join("a"), try await fixture.join("b")]
    _ = try await nodes[0].sessions.change { _ in [try Self.session("first"), try Self.session("later")] }
    // As a version with another role does.
    try await fixture.execute("ALTER TABLE marquee.session DROP CONSTRAINT session_role_check")
    try await fixture.execute("UPDATE marquee.session SET role = 9 WHERE id = 'later'")
    let read = try #require(try await nodes[1].sessions.read())
    #expect(try read.sessions == [Self.session("first")] && read.unreadableCount == 1)
    let changed = try #require(try await nodes[1].sessions.change { _ in [] })
    #expect(changed.sessions.isEmpty && changed.unreadableCount == 1)
    #expect(try await nodes[0].sessions.read()?.unreadableCount == 1)
  }

  @Test("A change after a failover that has lost changes has another version than they had")
  func lostChanges() async throws {
    let node = try await fixture.join()
    let lost = try #require(try await node.sessions.change { $0 + [try Self.session("lost")] })
    try await fixture.execute("UPDATE marquee.cluster SET session_version = 0", "DELETE FROM marquee.session")
    #expect(try await node.sessions.read(after: lost.version)?.sessions == [])
    let next = try #require(try await node.sessions.change { $0 + [try Self.session("next")] })
    #expect(next.version != lost.version && next.readAt > lost.readAt)
  }

  @Test("Changes that wait for a node that has stalled do not delay the renewal of the lease")
  func stalled() async throws {
    let node = try await fixture.join()
    let blocker = try PostgresConnection(PostgresSettings(fixture.info))
    async let locked = blocker.write([
      PostgresCall("LOCK TABLE marquee.session IN SHARE ROW EXCLUSIVE MODE"), PostgresCall("SELECT pg_sleep(2)"),
    ])
    while try await fixture.integer("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 0 {}
    let changes = Task {
      for name in ["first", "second"] {
        // The lock is waited for half a second at most.
        await #expect(throws: JournalError.self) {
          _ = try await node.sessions.change { $0 + [try Self.session(name)] }
        }
      }
    }
    while try await fixture.integer("SELECT count(*) FROM pg_locks WHERE NOT granted") == 0 {}
    let start = ContinuousClock.now
    try await node.renew()
    #expect(try await node.sessions.read()?.sessions == [])
    #expect(start.duration(to: .now) < .milliseconds(400), "less than one change waits")
    await changes.value
    _ = try await locked
    await blocker.close()
  }

  @Test("Changes of several nodes at the same time do not replace each other")
  func concurrent() async throws {
    let nodes = [try await fixture.join("a"), try await fixture.join("b"), try await fixture.join("c")]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, node) in nodes.enumerated() {
        group.addTask {
          for number in 0..<20 {
            let session = try Self.session("\(index)-\(number)")
            _ = try await node.sessions.change { $0 + [session] }
          }
        }
      }
      try await group.waitForAll()
    }
    let content = try #require(try await nodes[0].sessions.read())
    #expect(content.sessions.count == 60)
    #expect(Set(content.sessions.map(\.session.id)).count == 60)
  }
}
