import Foundation
import MarqueeJournal
import MarqueeModel
import MarqueeTestSupport
import PostgresProcess
import Testing

@testable import MarqueePostgres

/// The destruction of keys, after which nothing that was deleted can be read.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct KeyRotationTests {
  private let fixture: TablesFixture

  init() throws { fixture = try TablesFixture() }

  /// What a copy of the database's files contains of the device: its wrapped data key, and a sealed event.
  private struct Copy {
    let device: Int64
    let generation: Int64
    let wrapped: [UInt8]
    let event: [UInt8]
    let at: Int64
  }

  private func copy() async throws -> Copy {
    let connection = try PostgresConnection(PostgresSettings(fixture.info))
    let rows = try await connection.read([
      PostgresCall(
        "SELECT seal.device, generation, wrapped, event, at FROM seal JOIN journal USING (device) WHERE sequence = 1")
    ])[0]
    await connection.close()
    return Copy(
      device: try rows.integer(0, 0), generation: try rows.integer(0, 1), wrapped: try rows.bytes(0, 2),
      event: try rows.bytes(0, 3), at: try rows.integer(0, 4))
  }

  /// Returns the bytes of a copied event, opened with any of the keys that are left.
  private func opened(_ copy: Copy) throws -> [UInt8]? {
    let directory = try KeyDirectory(fixture.keys.path)
    for name in try directory.names() {
      let key = try directory.key(name)?.unwrap(copy.wrapped, of: copy.device, generation: copy.generation)
      let row = SealedRow.Key(table: .events, device: copy.device, number: 1, at: copy.at)
      if let content = key?.open(copy.event, row) { return content.bytes }
    }
    return nil
  }

  /// Returns the bytes of a copied event, opened with the data key of a later copy.
  private func opened(_ copy: Copy, withKeyOf later: Copy) throws -> [UInt8]? {
    let directory = try KeyDirectory(fixture.keys.path)
    for name in try directory.names() {
      let key = try directory.key(name)?.unwrap(later.wrapped, of: later.device, generation: later.generation)
      // With the generation of the copy, which is authenticated with its rows.
      let earlier = key?.withBytes { DataKey(generation: copy.generation, Data($0)) } ?? nil
      let row = SealedRow.Key(table: .events, device: copy.device, number: 1, at: copy.at)
      if let content = earlier?.open(copy.event, row) { return content.bytes }
    }
    return nil
  }

  private func rotate() async throws -> KeyRotation {
    try await KeyRotation.run(PostgresSettings(fixture.info), KeyDirectory(fixture.keys.path))
  }

  @Test("After a deletion and two rotations, a copy of the database cannot be opened with the keys that are left")
  func destruction() async throws {
    let tables = try await fixture.open()
    try await tables.write(fixture.creation())
    try await tables.write(fixture.events(1...3))
    let before = try await copy()
    let content = try fixture.row(1).bytes
    #expect(try opened(before) == content)
    let device = fixture.device
    try await tables.write(
      Batch(
        [
          .change { transaction in
            let number = try transaction.number(of: device) ?? 0
            try transaction.beginErasure(of: number, isWhole: false)
            _ = try transaction.eraseNextRows(of: number, in: .events, through: 1)
          }
        ], isErasure: true))
    let after = try await copy()
    #expect(after.generation == before.generation + 1)
    #expect(try opened(before, withKeyOf: before) == content && opened(before, withKeyOf: after) == nil)
    #expect(try opened(after) == [0])
    // The copy has the earlier key, wrapped under a key that is left.
    #expect(try opened(before) == content)
    let first = try await rotate()
    #expect(first.wrappedCount == 1 && first.unreadableCount == 0 && first.destroyed == [])
    #expect(try opened(before) == content)
    let second = try await rotate()
    #expect(second.destroyed.count == 1 && second.wrappedCount == 1)
    #expect(try opened(before) == nil)
    #expect(try opened(try await copy()) == [0])

    // The server that ran meanwhile uses the newest key, and has the others no longer.
    try await tables.write(fixture.creation(of: DeviceID("tablet")))
    #expect(try await fixture.integer("SELECT count(*) FROM seal WHERE kek = '\(second.name)'") == 2)
    #expect(try await fixture.storedEvents(tables) == [1, 2, 3])
    await tables.close()
    let reopened = try await fixture.open()
    let events = try await reopened.read { view in
      try view.rows(RowSelection(.events, of: try view.number(of: device) ?? 0)).map(\.bytes)
    }
    #expect(events == [[0], try fixture.row(2).bytes, try fixture.row(3).bytes])
    await reopened.close()
  }

  @Test("A data key is never wrapped under a key that a rotation has destroyed")
  func destroyedKey() async throws {
    let tables = try await fixture.open()
    try await tables.write(fixture.creation())
    _ = try await rotate()
    let names = try KeyDirectory(fixture.keys.path).names()
    // As in a server that has not noticed the rotation.
    try await fixture.execute("DELETE FROM marquee.kek WHERE name = '\(names[0])'")
    let newest = fixture.keys.file(names[1])
    try FileManager.default.moveItem(atPath: newest, toPath: newest + ".away")
    let tablet = try DeviceID("tablet")
    let error = await fixture.failure(try fixture.creation(of: tablet), tables)
    #expect(error?.code == .busy && error?.outcome == .notWritten)
    try FileManager.default.moveItem(atPath: newest + ".away", toPath: newest)
    try await tables.write(fixture.creation(of: tablet))
    await tables.close()
  }

  @Test("Many data keys are wrapped again while devices are created, and each has a key that is left")
  func load() async throws {
    let tables = try await fixture.open()
    var rows = Batch.Rows()
    rows.created = try (0..<2_500).map {
      Batch.Row(try DeviceID("device-\($0)"), number: 0, at: Instant(milliseconds: 1_000) ?? .min, [1])
    }
    try await tables.write(Batch([.insert(rows)]))
    let fixture = fixture
    let creating = Task {
      var count = 0
      while !Task.isCancelled {
        try await tables.write(fixture.creation(of: DeviceID("late-\(count)")))
        count += 1
      }
      return count
    }
    for _ in 0..<4 { #expect(try await rotate().unreadableCount == 0) }
    creating.cancel()
    let count = try await creating.value
    await tables.close()
    let present = try KeyDirectory(fixture.keys.path).names()
    #expect(present.count == 2)
    let listing = try await KeyListing(PostgresSettings(fixture.info), KeyDirectory(fixture.keys.path))
    #expect(listing.entries.allSatisfy { $0.isPresent && present.contains($0.name) })
    #expect(listing.entries.reduce(0) { $0 + $1.deviceCount } == 2_500 + count)
  }

  @Test("A rotation can follow another at once, while the server has not noticed the end of the first one's session")
  func atOnce() async throws {
    try await fixture.open().close()
    let relay = try Relay(to: PostgresProcess.shared().directory.path)
    relay.delay([.toServer], by: .milliseconds(300))
    _ = try await KeyRotation.run(PostgresSettings(relay.info(fixture.info)), KeyDirectory(fixture.keys.path))
    #expect(try await rotate().unreadableCount == 0)
  }

  @Test("Keys of another database in the directory are refused, and none is destroyed")
  func otherDirectory() async throws {
    let tables = try await fixture.open()
    try await tables.write(fixture.creation())
    await tables.close()
    let other = try TablesFixture()
    let otherTables = try await other.open()
    await otherTables.close()
    let before = try KeyDirectory(other.keys.path).names()
    let error = await #expect(throws: JournalError.self) {
      _ = try await KeyRotation.run(PostgresSettings(fixture.info), KeyDirectory(other.keys.path))
    }
    #expect(error?.code == .refused)
    #expect(try KeyDirectory(other.keys.path).names() == before)
  }
}
