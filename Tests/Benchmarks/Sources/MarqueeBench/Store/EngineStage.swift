import Foundation
import MarqueeJournal
import MarqueeServer
import MarqueeStore
import PostgresProcess

/// The database servers of a benchmark.
final class EngineServers: Sendable {
  let single: PostgresProcess
  /// A server that waits for a standby with each commit.
  let replicated: PostgresProcess?
  private let standby: PostgresProcess?

  /// Starts the servers, with PostgreSQL's default size of its buffers.
  init(hasStandby: Bool) throws {
    let settings = ["shared_buffers": "128MB"]
    single = try PostgresProcess(settings)
    let replicated = hasStandby ? try PostgresProcess(settings) : nil
    standby = try replicated.map { try PostgresProcess(standbyOf: $0) }
    if let replicated {
      try replicated.stop()
      try replicated.start(["synchronous_standby_names": "*"])
    }
    self.replicated = replicated
  }

  private var all: [PostgresProcess] { [single, replicated, standby].compactMap { $0 } }

  /// The CPU time of all servers so far, in seconds. Those that are not being measured are idle.
  func processorTime() throws -> Double { try all.reduce(0) { try $0 + $1.processorTime() } }

  /// Stops the servers, and removes their files.
  func remove() { for server in all.reversed() { server.remove() } }
}

/// A journal in a new database.
struct PostgresStage: Sendable {
  let journal: any DeviceJournal
  let close: @Sendable () async -> Void
  /// The connection info of the database.
  let info: String

  /// Creates a database, and opens it as the server does.
  ///
  /// - Parameters:
  ///   - server: The database server.
  ///   - keys: The path of the directory of the keys, which is created.
  init(_ server: PostgresProcess, keys: String) async throws {
    try FileManager.default.createDirectory(
      atPath: keys, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    info = try server.database()
    let journal = try await PostgresChoice("postgres:\(info)", keys: keys).open()
    self.journal = journal
    close = { await journal.tables.close() }
  }
}

/// The systems for a number of publishers.
struct EngineStage: Sendable {
  private let store: Store
  private let databases: [PostgresStage]
  private let runtimes: [EngineBenchmark.System: PublishingRuntime]
  private let table: GroupCommit
  private let rows: [[UInt8]]

  /// Creates the devices of each system.
  init(_ servers: EngineServers, publisherCount: Int, folder: String) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    rows = try PublishingRuntime.publications().map(\.encoded)
    store = try Store(directory: folder + "/data")
    let bare = try await PostgresStage(servers.single, keys: folder + "/bare")
    try await PublishingRuntime.create(publisherCount, in: bare.journal)
    await bare.close()
    table = GroupCommit(try LibpqJournal(bare.info))
    var runtimes = [EngineBenchmark.System.sqlite: try await PublishingRuntime(store, publisherCount: publisherCount)]
    var databases = [try await PostgresStage(servers.single, keys: folder + "/keys")]
    runtimes[.postgres] = try await PublishingRuntime(databases[0].journal, publisherCount: publisherCount)
    if let replicated = servers.replicated {
      databases.append(try await PostgresStage(replicated, keys: folder + "/replicated"))
      runtimes[.standby] = try await PublishingRuntime(databases[1].journal, publisherCount: publisherCount)
    }
    (self.databases, self.runtimes) = (databases, runtimes)
  }

  func publish(_ number: Int, by publisher: Int, _ system: EngineBenchmark.System) async throws {
    if let runtime = runtimes[system] { return try await runtime.publish(number, by: publisher) }
    // The numbers of devices start at 1.
    try await table.add(BareRow(bytes: rows[number % rows.count], device: publisher + 1))
  }

  /// Stops the runtimes, and closes the journals.
  func end() async throws {
    for runtime in runtimes.values { try await runtime.end() }
    for database in databases { await database.close() }
    try store.close()
  }
}
