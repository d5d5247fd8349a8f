import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import PostgresProcess
import Testing

/// The format of the database, and the fence that leaves it one writer.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct PostgresFenceTests {
  private let fixture: TablesFixture

  init() throws { fixture = try TablesFixture() }

  private func refusal(_ info: String? = nil) async throws -> JournalError? {
    do {
      try await fixture.open(info).close()
      return nil
    } catch {
      return error as? JournalError
    }
  }

  @Test("A database of a later format, or with a schema of others, is refused and not changed")
  func formats() async throws {
    try await fixture.execute("CREATE SCHEMA marquee")
    let foreign = try await refusal()
    #expect(foreign?.code == .schemaTooNew && foreign?.message.contains("is not Marquee's") == true)
    try await fixture.execute("DROP SCHEMA marquee")
    #expect(try await refusal() == nil)
    try await fixture.execute("UPDATE marquee.cluster SET format = 99")
    let later = try await refusal()
    #expect(later?.code == .schemaTooNew && later?.message.contains("its format is 99") == true)
    try await fixture.execute("UPDATE marquee.cluster SET format = 2")
    #expect(try await refusal() == nil)
  }

  @Test("A database of format 1 gets the shards of its devices, and epochs, and keeps its rows")
  func migration() async throws {
    let tables = try await fixture.open()
    try await tables.write(fixture.creation())
    try await tables.write(fixture.events(1...3))
    await tables.close()
    // As format 1 is, with more devices than one statement of the migration changes.
    try await fixture.execute(
      "DROP INDEX marquee.device_shard", "ALTER TABLE marquee.device DROP COLUMN shard",
      "ALTER TABLE marquee.journal DROP COLUMN epoch", "ALTER TABLE marquee.snapshot DROP COLUMN epoch",
      "ALTER TABLE marquee.decision DROP COLUMN epoch", "UPDATE marquee.cluster SET format = 1",
      """
      INSERT INTO marquee.device (id, name, at, creation)
      SELECT number, 'tablet ' || number, 0, '\\x01' FROM generate_series(1000, 21005) AS number
      """)
    let migrated = try await fixture.open()
    #expect(try await fixture.integer("SELECT format FROM cluster") == 2)
    #expect(try await fixture.storedEvents(migrated) == [1, 2, 3])
    try await migrated.write(fixture.events(4...4))
    #expect(try await fixture.integer("SELECT count(*) FROM journal WHERE epoch = 0") == 4)
    for name in ["phone", "tablet 1000", "tablet 11000", "tablet 21005"] {
      let shard = ShardID(of: try DeviceID(name))
      let stored = try await fixture.integer("SELECT shard FROM device WHERE name = '\(name)'")
      #expect(stored == shard.number)
      let devices = try await migrated.read { view in
        try view.wakes(policy: 0, of: ShardSet([shard], of: ShardID.countDefault), after: "", count: 99).map(\.name)
      }
      #expect(devices.contains(name))
    }
    await migrated.close()
  }

  @Test("Of servers that create the tables at the same time, one uses the database, and the others are refused")
  func creation() async throws {
    let fixture = fixture
    let opened = await withTaskGroup(of: PostgresTables?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          // A refusal is counted by its absence.
          try? await fixture.open()
        }
      }
      return await group.reduce(into: [PostgresTables]()) { if let tables = $1 { $0.append(tables) } }
    }
    #expect(opened.count == 1)
    #expect(try await refusal()?.message.contains("another server uses the database") == true)
    await opened.first?.close()
    #expect(try await refusal() == nil)
  }

  @Test("A server whose lock was lost can write nothing after another has the database")
  func fence() async throws {
    let relay = try Relay(to: PostgresProcess.shared().directory.path)
    let first = try await fixture.open(relay.info(fixture.info), renewedEvery: .seconds(3_600))
    try await first.write(fixture.creation())
    // The server ends the sessions of a client whose connections are cut; the client learns it with its next use.
    try await fixture.execute(
      """
      SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)
    let second = try await fixture.open()
    try await second.write(fixture.events(1...1))
    let error = await fixture.failure(try fixture.events(2...2), first)
    #expect(error?.code == .fenced && error?.outcome == .notWritten)
    #expect(await fixture.failure(try fixture.events(2...2), first)?.code == .fenced)
    #expect(try await fixture.storedEvents(second) == [1])
    try await second.write(fixture.events(2...2))
    await first.close()
    await second.close()
  }

  @Test("A server takes the lock again after its sessions were lost, so that no second one starts")
  func lockTakenAgain() async throws {
    let first = try await fixture.open(renewedEvery: .milliseconds(1))
    try await first.write(fixture.creation())
    try await fixture.execute(
      """
      SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)
    // Nothing tells when the lock is taken again; the suite has a time limit.
    while try await fixture.integer("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted") == 0 {}
    #expect(try await refusal()?.code == .directoryLocked)
    try await first.write(fixture.events(1...1))
    await first.close()
    #expect(try await refusal() == nil)
  }

  @Test("A server that has closed gives its lock up, and does not keep another waiting until its session has ended")
  func unlocked() async throws {
    let relay = try Relay(to: PostgresProcess.shared().directory.path)
    let first = try await fixture.open(relay.info(fixture.info))
    // The end of each session arrives later than the server has closed.
    relay.delay([.toServer], by: .milliseconds(300))
    await first.close()
    let count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    #expect(try await fixture.integer(count) > 0)
    try await fixture.open().close()
  }

  @Test("A batch whose reply is lost was written, and the next one continues")
  func lostReply() async throws {
    let relay = try Relay(to: PostgresProcess.shared().directory.path)
    let tables = try await fixture.open(relay.info(fixture.info))
    try await tables.write(fixture.creation())
    relay.dropReplies()
    try await tables.write(fixture.events(1...1))
    #expect(try await fixture.storedEvents(tables) == [1])
    try await tables.write(fixture.events(2...2))
    #expect(try await fixture.storedEvents(tables) == [1, 2])
    await tables.close()
  }

  @Test("A batch that the server did not receive was not written, and can be repeated")
  func lostRequest() async throws {
    let relay = try Relay(to: PostgresProcess.shared().directory.path)
    let tables = try await fixture.open(relay.info(fixture.info))
    try await tables.write(fixture.creation())
    relay.dropRequests()
    let error = await fixture.failure(try fixture.events(1...1), tables)
    #expect(error?.code == .unavailable && error?.outcome == .notWritten)
    #expect(try await fixture.storedEvents(tables) == [])
    try await tables.write(fixture.events(1...1))
    try await tables.write(fixture.events(2...2))
    #expect(try await fixture.storedEvents(tables) == [1, 2])
    await tables.close()
  }

  @Test("A server that is killed between and within batches loses none that was confirmed")
  func killed() async throws {
    let server = try PostgresProcess()
    let fixture = try TablesFixture(info: server.database())
    let tables = try await fixture.open()
    try await tables.write(fixture.creation())
    for sequence in 1...20 as ClosedRange<UInt64> {
      try await tables.write(fixture.events(sequence...sequence))
      if sequence % 10 == 0 {
        try server.kill()
        let error = await fixture.failure(try fixture.events(sequence + 1...sequence + 1), tables)
        #expect(error?.outcome == .notWritten)
        try server.start()
      }
    }
    #expect(try await fixture.storedEvents(tables) == Array(1...20))
    await tables.close()
  }

  @Test("A server that is killed under load loses no confirmed batch, and has none that was not")
  func load() async throws {
    let server = try PostgresProcess()
    let fixture = try TablesFixture(info: server.database())
    let tables = try await fixture.open()
    try await tables.write(fixture.creation())
    var confirmed: UInt64 = 0
    for _ in 1...3 {
      let (batches, written) = AsyncStream.makeStream(of: UInt64.self)
      let first = confirmed + 1
      let writing = Task { try await Self.write(from: first, fixture, tables, written) }
      for await sequence in batches where sequence == first + 20 { break }
      try server.kill()
      try server.start()
      writing.cancel()
      confirmed = try await writing.value
      #expect(try await fixture.storedEvents(tables) == Array(1...Int64(confirmed)))
    }
    await tables.close()
  }

  /// Writes one event after the other until the task is cancelled, and repeats those that were not written.
  ///
  /// - Returns: The sequence of the last event that was written.
  private static func write(
    from first: UInt64, _ fixture: TablesFixture, _ tables: PostgresTables,
    _ written: AsyncStream<UInt64>.Continuation
  ) async throws -> UInt64 {
    var next = first
    while !Task.isCancelled {
      let batch = try fixture.events(next...next)
      do throws(JournalError) {
        try await tables.write(batch)
        written.yield(next)
        next += 1
      } catch {
        guard error.code == .unavailable, error.outcome == .notWritten else { throw error }
      }
    }
    return next - 1
  }

  @Test("A batch of known devices takes one round trip")
  func trips() async throws {
    let relay = try Relay(to: PostgresProcess.shared().directory.path)
    let tables = try await fixture.open(relay.info(fixture.info))
    try await tables.write(fixture.creation())
    for sequence in 1...5 as ClosedRange<UInt64> {
      let before = relay.tripCount
      try await tables.write(fixture.events(sequence...sequence))
      #expect(relay.tripCount == before + 1)
    }
    await tables.close()
  }
}
