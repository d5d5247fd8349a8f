import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeTestSupport
import PostgresProcess

/// A database with the tables of a journal, and the rows of one device.
struct TablesFixture {
  let info: String
  /// The directory of the keys.
  let keys: TemporaryDirectory
  let device: DeviceID

  init(info: String? = nil) throws {
    self.info = try info ?? PostgresProcess.shared().database()
    keys = try TemporaryDirectory()
    device = try DeviceID("phone")
  }

  func open(_ info: String? = nil, renewedEvery period: Duration = .seconds(1)) async throws -> PostgresTables {
    try await PostgresTables.open(
      PostgresSettings(info ?? self.info), keys: KeyDirectory(keys.path), renewedEvery: period)
  }

  /// Returns a row of the device, whose bytes begin with its number.
  func row(_ number: UInt64, at: Int64 = 1_000, of device: DeviceID? = nil, size: Int = 8) throws -> Batch.Row {
    let instant = Instant(milliseconds: at) ?? .min
    return Batch.Row(
      device ?? self.device, number: number, at: instant,
      Array(repeating: UInt8(truncatingIfNeeded: number), count: size))
  }

  /// Returns a batch that creates the device.
  func creation(of device: DeviceID? = nil) throws -> Batch {
    var rows = Batch.Rows()
    rows.created = [
      Batch.Row(device ?? self.device, number: 0, at: Instant(milliseconds: 1_000) ?? .min, [1, 2, 3])
    ]
    return Batch([.insert(rows)])
  }

  /// Returns a batch of the device's events.
  func events(_ numbers: ClosedRange<UInt64>, at: Int64 = 1_000) throws -> Batch {
    var rows = Batch.Rows()
    rows.events = try numbers.map { try row($0, at: at) }
    return Batch([.insert(rows)])
  }

  /// Executes statements in the database.
  func execute(_ statements: String...) async throws {
    let connection = try PostgresConnection(PostgresSettings(info))
    _ = try await connection.write(statements.map { PostgresCall($0) })
    await connection.close()
  }

  /// Returns the integer that a query returns.
  func integer(_ query: String) async throws -> Int64 {
    let connection = try PostgresConnection(PostgresSettings(info))
    let rows = try await connection.read([PostgresCall(query)])[0]
    await connection.close()
    return try rows.integer(0, 0)
  }

  /// Returns the numbers of the device's stored events.
  func storedEvents(_ tables: PostgresTables) async throws -> [Int64] {
    let device = device
    return try await tables.read { view in
      guard let number = try view.number(of: device) else { return [] }
      return try view.rows(RowSelection(.events, of: number)).map(\.number)
    }
  }

  /// Returns the error of a batch.
  func failure(_ batch: Batch, _ tables: PostgresTables) async -> JournalError? {
    do {
      try await tables.write(batch)
      return nil
    } catch {
      return error
    }
  }
}
