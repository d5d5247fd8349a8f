import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import PostgresProcess
import Testing

/// The tables of a journal in PostgreSQL: rows, formats, and the fence of the only writer.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct PostgresTablesTests {
  private let fixture: TablesFixture

  init() throws { fixture = try TablesFixture() }

  @Test("Rows are read as they were written, with checksums, and the tables are created once")
  func rows() async throws {
    let tables = try await fixture.open()
    var rows = Batch.Rows()
    rows.created = [Batch.Row(fixture.device, number: 0, at: Instant(milliseconds: 5) ?? .min, [9])]
    rows.events = [try fixture.row(1, at: 5), try fixture.row(2, at: 6, size: 100_000)]
    rows.snapshots = [try fixture.row(2, at: 7, size: 20_000)]
    try await tables.write(Batch([.insert(rows)]))
    await tables.close()
    let reopened = try await fixture.open()
    let device = fixture.device
    let found = try #require(
      try await reopened.read { try $0.deviceRows(of: [DeviceID("tablet"), device], upTo: .max) }.last ?? nil)
    let number = found.creation.device
    #expect(found.creation.bytes == [9] && found.creation.at == 5)
    #expect(found.creation.checksum == rows.created[0].checksum(number))
    #expect(found.snapshot?.bytes == rows.snapshots[0].bytes && found.snapshot?.number == 2)
    #expect(found.events.isEmpty && found.lastDecision == nil && found.boundary == nil)
    let before = try await reopened.read { try $0.deviceRows(of: [device], upTo: .min) }[0]
    #expect(before?.events.count == 0 && before?.snapshot == nil)
    let events = try await reopened.read { try $0.rows(RowSelection(.events, of: number)) }
    #expect(events.map(\.bytes) == rows.events.map(\.bytes) && events.map(\.at) == [5, 6])
    #expect(events.map(\.checksum) == rows.events.map { $0.checksum(number) })
    await reopened.close()
  }

  @Test("A page ends with the row with which its bytes reach the limit, in both directions")
  func pages() async throws {
    let tables = try await fixture.open()
    try await tables.write(fixture.creation())
    try await tables.write(fixture.events(1...9))
    let device = fixture.device
    let pages = try await tables.read { view in
      let number = try view.number(of: device) ?? 0
      return try [(1, false), (16, false), (17, true), (1_000, true)].map { size, isDescending in
        var selection = RowSelection(.events, of: number)
        (selection.sizeMax, selection.isDescending, selection.after, selection.before) = (size, isDescending, 2, 9)
        return try view.rows(selection).map(\.number)
      }
    }
    #expect(pages == [[3], [3, 4], [8, 7, 6], [8, 7, 6, 5, 4, 3]])
    await tables.close()
  }

  @Test("A row that does not continue the journal, or exists already, is a conflict with its device and number")
  func conflicts() async throws {
    let tables = try await fixture.open()
    let unknown = await fixture.failure(try fixture.events(1...1), tables)
    #expect(unknown?.code == .conflict && unknown?.device == fixture.device)
    try await tables.write(fixture.creation())
    let early = await fixture.failure(try fixture.events(1...1, at: 999), tables)
    #expect(early?.code == .conflict && early?.device == fixture.device && early?.sequence == 1)
    try await tables.write(fixture.events(1...3, at: 2_000))
    for (numbers, wrong, at) in [(3...4, 3, 2_000), (5...6, 5, 2_000), (4...5, 4, 1_999)]
      as [(ClosedRange<UInt64>, UInt64, Int64)]
    {
      let error = await fixture.failure(try fixture.events(numbers, at: at), tables)
      #expect(error?.code == .conflict && error?.device == fixture.device && error?.sequence == wrong)
      #expect(error?.outcome == .notWritten)
    }
    var rows = Batch.Rows()
    rows.events = [try fixture.row(4, at: 2_000), try fixture.row(6, at: 2_000)]
    #expect(await fixture.failure(Batch([.insert(rows)]), tables)?.sequence == 6)
    let twice = await fixture.failure(try fixture.creation(), tables)
    #expect(twice?.code == .conflict && twice?.device == fixture.device && twice?.sequence == 0)
    #expect(try await fixture.storedEvents(tables) == [1, 2, 3])
    try await tables.write(fixture.events(4...5, at: 2_000))
    #expect(try await fixture.storedEvents(tables) == [1, 2, 3, 4, 5])
    await tables.close()
  }

  @Test("Of the snapshots, the most recent ones remain, those that are exempt, and those at the stride")
  func snapshots() async throws {
    let tables = try await fixture.open()
    let device = fixture.device
    var rows = Batch.Rows()
    rows.created = [Batch.Row(device, number: 0, at: Instant(milliseconds: 5) ?? .min, [9])]
    rows.snapshots = [try fixture.row(1), try fixture.row(2)]
    try await tables.write(
      Batch([.insert(rows), .change { try $0.keepSnapshot(of: $0.number(of: device) ?? 0, 2, count: 2) }]))
    rows.created = []
    rows.snapshots = try [3, 4_096, 4_097, 4_098, 4_099, 4_100, 4_100].map { try fixture.row($0) }
    try await tables.write(Batch([.insert(rows)]))
    let numbers = try await tables.read { view in
      try view.rows(RowSelection(.snapshots, of: view.number(of: device) ?? 0)).map(\.number)
    }
    #expect(numbers == [2, 4_096, 4_097, 4_098, 4_099, 4_100])
    await tables.close()
  }

  @Test("A change that throws leaves nothing of its batch")
  func change() async throws {
    let tables = try await fixture.open()
    try await tables.write(fixture.creation())
    var batch = try fixture.events(1...3)
    batch.steps.append(.change { _ in throw JournalError(.corrupt, "found") })
    let error = await fixture.failure(batch, tables)
    #expect(error?.code == .corrupt && error?.message == "found")
    #expect(try await fixture.storedEvents(tables) == [])
    try await tables.write(fixture.events(1...1))
    await tables.close()
    #expect(await fixture.failure(try fixture.events(2...2), tables)?.code == .closed)
  }
}
