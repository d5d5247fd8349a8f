import Foundation
import MarqueeClient
import MarqueeExport
import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeRPC
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import PostgresProcess

/// A data directory across several runs of the real `marqueed`, each ended by `kill -9` at a random moment.
///
/// After each run, the state of the next run is compared with the acknowledged operations, and after the last run the
/// files: nothing is lost or duplicated, and devices and decisions equal those of the pure scheduler after the
/// journal's events.
struct CrashRound {
  /// The maximum number of operations acknowledged in one run.
  private static let acknowledgedCountMax = 400
  /// The maximum time from the last acknowledgement to the kill, in microseconds.
  private static let delayMax = 4_000
  private static let lifeCountMax = 3

  let seed: UInt64
  private let ledger = CrashLedger()

  init(seed: UInt64) {
    self.seed = seed
  }

  static func registered(_ number: Int) throws -> DeviceID { try DeviceID("extra-\(number)") }

  /// Runs the round.
  ///
  /// - Parameter isOnPostgres: Whether the devices are in PostgreSQL instead of the data directory.
  func run(isOnPostgres: Bool = false) async throws {
    let database = isOnPostgres ? try PostgresServer(info: PostgresProcess.shared().database()) : nil
    let directory = try database?.directory ?? TemporaryDirectory()
    let arguments = database?.arguments ?? DaemonTests.arguments(directory)
    var sampler = Sampler(seed: seed)
    for _ in 0..<sampler.number(in: 1...Self.lifeCountMax) {
      let count = sampler.number(in: 1...Self.acknowledgedCountMax)
      let delay = UInt32(sampler.number(in: 0...Self.delayMax))
      try await Daemon.run(arguments) { daemon, endpoints in
        try await settle(RPCClient(endpoints[0]))
        let load = CrashLoad(endpoint: endpoints[0], seed: seed, ledger: ledger)
        try await load.prepare()
        ledger.after(count) {
          Thread.detachNewThread {
            usleep(delay)
            daemon.send(signal: SIGKILL)
          }
        }
        try await load.run()
        guard try await daemon.wait() == .signal(SIGKILL) else {
          throw RequirementFailure("the server ended by itself: \(daemon.log.text)")
        }
      }
      try await checkForgotten(directory, database)
      if sampler.once(in: 3) { try await dieEarly(arguments, after: UInt32(sampler.number(in: 0...200_000))) }
    }
    try await Daemon.run(arguments) { _, endpoints in try await settle(RPCClient(endpoints[0])) }
    try await checkFiles(directory, database)
  }

  /// A run that can be killed during recovery of the previous run's files.
  private func dieEarly(_ arguments: [String], after delay: UInt32) async throws {
    let daemon = try Daemon(arguments)
    Thread.detachNewThread {
      usleep(delay)
      daemon.send(signal: SIGKILL)
    }
    guard try await daemon.wait() == .signal(SIGKILL) else {
      throw RequirementFailure("the server ended by itself: \(daemon.log.text)")
    }
  }
}

// MARK: State of a running server

extension CrashRound {
  /// Compares the server's state with the ledger, and lets the clients continue after their durable operations.
  private func settle(_ connection: RPCClient) async throws {
    let admin = OperatorClient(connection)
    var names: [DeviceID] = []
    repeat {
      let page = try await admin.devices(after: names.last)
      names += page.devices.map(\.device)
      if !page.hasMore { break }
    } while true
    try settle(.registrar, works: names.filter { $0.text.hasPrefix("extra-") }.count)
    for device in CrashClient.devices + [CrashClient.deletionDevice] where names.contains(device) {
      var events: [Event] = []
      for try await record in admin.history(of: device).dropFirst() { events.append(try Event(record)) }
      for client in CrashClient.all where client.device == device { try settle(client, in: events) }
      try await checkTimelines(device, admin)
    }
    for device in CrashClient.devices where names.contains(device) {
      let count = try await admin.donations(on: device).donationCount
      let expected = ledger.account(of: .donor(device)).sent
      guard count == expected else { throw RequirementFailure("\(device): \(count) donations, not \(expected)") }
    }
  }

  private func settle(_ client: CrashClient, in events: [Event]) throws {
    let works = client.works(in: events)
    for (index, work) in works.enumerated() where work != client.work(index + 1, seed: seed) {
      throw RequirementFailure("\(client): work \(index + 1) of \(works.count) is another")
    }
    try settle(client, works: works.count)
  }

  private func settle(_ client: CrashClient, works count: Int) throws {
    let account = ledger.account(of: client)
    guard (account.acknowledged...account.sent).contains(count) else {
      throw RequirementFailure("\(client): \(count) works, \(account.acknowledged) acknowledged of \(account.sent)")
    }
    ledger.settle(client, at: count)
  }

  /// Checks that the last timeline of each widget is current.
  private func checkTimelines(_ device: DeviceID, _ admin: OperatorClient) async throws {
    for case .publisher(device, let widget) in CrashClient.all {
      let number = ledger.account(of: .publisher(device, widget)).sent
      guard number > 0 else { continue }
      let dates = try await admin.timeline(of: widget, on: device).timeline?.entries.map(\.date)
      guard dates == CrashWork.entries(number, of: widget, seed: seed).map(\.date) else {
        throw RequirementFailure("\(device): not timeline \(number) of \(widget.kind.name)")
      }
    }
  }
}

// MARK: Files

extension CrashRound {
  /// Checks that no file of a killed server contains a word of a deleted donation.
  private func checkForgotten(_ directory: TemporaryDirectory, _ database: PostgresServer?) async throws {
    let words = (0..<ledger.account(of: .deleter).acknowledged).map { CrashWork.word($0 + 1) }
    var found: [String] = []
    if database == nil {
      found = try Habits.found(words, in: directory.file("data"))
    } else if !words.isEmpty {
      found = try await PostgresServer.found(words, in: PostgresProcess.shared().data)
    }
    guard found.isEmpty else { throw RequirementFailure("deleted donations found: \(found)") }
  }

  private func checkFiles(_ directory: TemporaryDirectory, _ database: PostgresServer?) async throws {
    try await checkForgotten(directory, database)
    if let database {
      let tables = try await PostgresTables.open(
        PostgresSettings(database.info), keys: KeyDirectory(database.keys), waiting: .seconds(5))
      let journal = PostgresJournal(tables)
      for device in CrashClient.devices + [CrashClient.deletionDevice] { try await checkReplay(of: device, journal) }
      return await tables.close()
    }
    let store = try Store(directory: directory.file("data"))
    for device in CrashClient.devices + [CrashClient.deletionDevice] { try await checkReplay(of: device, store) }
    try store.close()
  }

  private func checkReplay(of id: DeviceID, _ store: any TableJournal) async throws {
    guard let stored = try await store.load(id), let origin = try await store.origin(of: id) else {
      // The first run may have ended before the file was created.
      return
    }
    var (device, decisions, sequence): (Device, [Decision], UInt64) = (origin.device, [], 0)
    var events: [Event] = []
    while sequence < origin.eventCount {
      for entry in try await store.events(of: id, after: sequence) {
        guard entry.sequence == sequence + 1 else {
          throw RequirementFailure("\(id): event \(entry.sequence) after \(sequence)")
        }
        decisions += device.handle(entry.event, at: entry.at).compactMap(\.decision)
        events.append(entry.event)
        sequence = entry.sequence
      }
    }
    for client in CrashClient.all where client.device == id { try settle(client, in: events) }
    let recorded = try await allDecisions(of: id, store)
    if let last = recorded.last?.at, last > device.now { decisions += device.advance(to: last).compactMap(\.decision) }
    guard recorded == decisions else {
      throw RequirementFailure(
        "\(id): \(recorded.count) decisions stored, \(decisions.count) by the journal, or others")
    }
    guard stored.device.encoded == device.encoded, stored.unrecorded.isEmpty else {
      throw RequirementFailure("\(id): loaded in another state than the journal's")
    }
    for shown in ledger.shown where shown.device == id {
      guard decisions.contains(where: { $0.number == shown.number && $0.to == shown.widget }) else {
        throw RequirementFailure("\(id): decision \(shown.number) was shown and is gone")
      }
    }
  }

  private func allDecisions(of id: DeviceID, _ store: any TableJournal) async throws -> [Decision] {
    var decisions: [Decision] = []
    while true {
      let page = try await store.decisions(of: id, stack: nil, before: decisions.last?.number, count: 1_000)
      if page.isEmpty { return decisions.reversed() }
      decisions += page
    }
  }
}
