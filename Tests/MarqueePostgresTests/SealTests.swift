import Foundation
import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeScheduler
import MarqueeTestSupport
import PostgresProcess
import Testing

/// Damage of sealed rows, which is that of one device.
@Suite(.enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(1)))
struct SealTests {
  private let fixture: TablesFixture
  private let names: [DeviceID]

  init() throws {
    fixture = try TablesFixture()
    names = [try DeviceID("phone"), try DeviceID("tablet")]
  }

  /// Creates two devices with the same events, and a snapshot that is not the last record.
  private func create(_ journal: PostgresJournal) async throws {
    for name in names {
      let sample = try SampleDevice(name.text)
      var recorder = Recorder(try sample.created())
      try await journal.create(recorder.device)
      for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
      try await journal.write(&recorder, snapshot: true)
      for hour in 1...3 { try recorder.apply(.developerModeChanged(hour != 2), at: SampleDevice.time(Int64(hour))) }
      try await journal.write(&recorder)
    }
  }

  /// Returns the codes of the errors with which the devices are loaded, `nil` for those that are.
  private func failures() async throws -> [JournalError.Code?] {
    // Another process, which has no key in memory.
    let journal = PostgresJournal(try await fixture.open())
    var codes: [JournalError.Code?] = []
    for name in names {
      do throws(JournalError) {
        codes.append(try await journal.load(name) == nil ? .conflict : nil)
      } catch {
        codes.append(error.code)
      }
    }
    await journal.tables.close()
    return codes
  }

  @Test(
    "A row that is altered or exchanged by hand is damage of its device, and no other",
    arguments: [
      // The last byte of an event.
      """
      UPDATE journal SET event = set_byte(event, length(event) - 1, get_byte(event, length(event) - 1) # 1)
      WHERE device = $1 AND sequence = (SELECT max(sequence) FROM journal WHERE device = $1)
      """,
      // The generation of the data key.
      """
      UPDATE journal SET event = set_byte(event, 3, 9)
      WHERE device = $1 AND sequence = (SELECT max(sequence) FROM journal WHERE device = $1)
      """,
      // Two events of a device.
      """
      UPDATE journal AS row SET event = (SELECT event FROM journal WHERE device = $1 AND sequence = row.sequence - 1)
      WHERE device = $1 AND sequence = (SELECT max(sequence) FROM journal WHERE device = $1)
      """,
      // The snapshots and events of two devices.
      "UPDATE snapshot SET state = (SELECT state FROM snapshot WHERE device <> $1) WHERE device = $1",
      """
      UPDATE journal AS row SET event = (SELECT event FROM journal WHERE device <> $1 AND sequence = row.sequence)
      WHERE device = $1
      """,
      // The instant of an event.
      """
      UPDATE journal SET at = at + 1
      WHERE device = $1 AND sequence = (SELECT max(sequence) FROM journal WHERE device = $1)
      """,
      "UPDATE device SET creation = set_byte(creation, 20, get_byte(creation, 20) # 128) WHERE id = $1",
      "UPDATE seal SET wrapped = (SELECT wrapped FROM seal WHERE device <> $1) WHERE device = $1",
      "UPDATE seal SET wrapped = set_byte(wrapped, 30, get_byte(wrapped, 30) # 1) WHERE device = $1",
      "DELETE FROM seal WHERE device = $1",
    ])
  func damage(statement: String) async throws {
    let journal = PostgresJournal(try await fixture.open())
    try await create(journal)
    await journal.tables.close()
    #expect(try await failures() == [nil, nil])
    let number = try await fixture.integer("SELECT id FROM device WHERE name = 'phone'")
    try await fixture.execute(statement.replacing("$1", with: "\(number)"))
    #expect(try await failures() == [.corrupt, nil])
    let verification = try await PostgresTables.verify(
      PostgresSettings(fixture.info), keys: KeyDirectory(fixture.keys.path))
    #expect(Set(verification.findings.compactMap(\.device)) == [names[0]])
  }

  @Test("Without the key of a device, that device alone is damaged, can be removed, and nothing of it is left")
  func missingKey() async throws {
    let journal = PostgresJournal(try await fixture.open())
    try await create(journal)
    let keys = try KeyDirectory(fixture.keys.path)
    let first = try #require(try keys.names().first)
    _ = try await KeyRotation.run(PostgresSettings(fixture.info), keys)
    await journal.tables.close()
    let number = try await fixture.integer("SELECT id FROM device WHERE name = 'phone'")
    try await fixture.execute("UPDATE seal SET kek = '\(first)' WHERE device = \(number)")
    try FileManager.default.removeItem(atPath: fixture.keys.file(first))
    #expect(try await failures() == [.corrupt, nil])
    let reopened = PostgresJournal(try await fixture.open())
    let error = await #expect(throws: JournalError.self) { _ = try await reopened.load(names[0]) }
    #expect(error?.message.contains("device number \(number) cannot be read: the key-encryption key \(first)") == true)
    #expect(try await reopened.remove(names[0]))
    #expect(try await reopened.load(names[1]) != nil)
    await reopened.tables.close()
    for table in ["device WHERE id", "seal WHERE device", "journal WHERE device", "snapshot WHERE device"] {
      #expect(try await fixture.integer("SELECT count(*) FROM \(table) = \(number)") == 0)
    }
  }
}
