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
      #expect(try await nodes[0].sessions.change { $0 + [session] }.isChanged)
    }
    let read = try #require(try await nodes[1].sessions.read(after: empty.version))
    #expect(read.sessions == added && read.version == empty.version + 2)
    let kept = try await nodes[1].sessions.change { $0.filter { $0.session.device == nil } }
    #expect(kept.content.sessions == [added[0]] && kept.content.version == read.version + 1)
    #expect(try await nodes[0].sessions.read()?.sessions == [added[0]])
  }

  @Test("A change that is refused or unnecessary changes nothing")
  func refused() async throws {
    let node = try await fixture.join()
    let before = try await node.sessions.read()?.version
    await #expect(throws: Refusal.self) { _ = try await node.sessions.change { _ in throw Refusal() } }
    #expect(try await !node.sessions.change { _ in nil }.isChanged)
    #expect(try await node.sessions.read()?.version == before)
    try await node.renew()
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
