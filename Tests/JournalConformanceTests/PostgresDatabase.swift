import Foundation
import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeTestSupport
import PostgresProcess
import Synchronization

/// A database of the server that the tests share.
///
/// The bytes that it stores are those of its rows, sealed as they are stored, and opened with the keys that are left.
/// PostgreSQL's files contain earlier versions of rows, too.
final class PostgresDatabase: JournalDatabase {
  private static let columns = [
    "device": ["convert_to(name, 'UTF8')", "creation"], "journal": ["event"], "snapshot": ["state"],
    "decision": ["body"], "retention_boundary": ["state"], "seal": ["wrapped"],
  ]

  private let settings: PostgresSettings
  private let keys: TemporaryDirectory
  private let isCluster: Bool
  private struct State {
    var journal: PostgresJournal?
    /// The membership of the node whose journal it is.
    var membership: PostgresMembership?
    var hasCluster = false
  }

  private let state = Mutex(State())

  /// Creates a database.
  ///
  /// - Parameter isCluster: Whether it is a cluster's, and the journal that of a node that owns all shards.
  init(isCluster: Bool = false) throws {
    self.isCluster = isCluster
    settings = try PostgresSettings(PostgresProcess.shared().database())
    keys = try TemporaryDirectory()
  }

  func open() async throws -> any TableJournal {
    if isCluster { return try await openNode() }
    // The session of a journal that was closed just now may not have ended.
    let opened = PostgresJournal(
      try await PostgresTables.open(settings, keys: KeyDirectory(keys.path), waiting: .seconds(10)))
    state.withLock { $0.journal = opened }
    return opened
  }

  private func openNode() async throws -> any TableJournal {
    if !state.withLock(\.hasCluster) { try await PostgresCluster.create(settings) }
    let membership = try await PostgresCluster(settings).membership("node", laneCount: 1)
    _ = try await membership.claim()
    _ = try await membership.lanes[0].acquire()
    let journal = try await membership.openJournals(keys: KeyDirectory(keys.path))[0]
    state.withLock { $0 = State(journal: journal, membership: membership, hasCluster: true) }
    return journal
  }

  func close() async throws {
    let opened = state.withLock { state in
      defer { (state.journal, state.membership) = (nil, nil) }
      return state
    }
    await opened.journal?.tables.close()
    try await opened.membership?.leave()
  }

  func verify() async throws -> Verification {
    try await PostgresTables.verify(settings, keys: KeyDirectory(keys.path))
  }

  func marks() async throws -> Set<Int> {
    let copy = try await copy()
    return try withExtendedLifetime(copy) { try Mark.numbers(in: copy.path) }
  }

  func contains(_ text: String) async throws -> Bool {
    let copy = try await copy()
    return try withExtendedLifetime(copy) { try Mark.isText(text, in: copy.path) }
  }

  /// Copies the bytes of all rows to files, sealed and opened.
  private func copy() async throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let connection = try PostgresConnection(settings)
    for (table, columns) in Self.columns {
      let rows = try await connection.read([
        PostgresCall("SELECT \(columns.joined(separator: ", ")) FROM \(table)")
      ])[0]
      var bytes: [UInt8] = []
      for row in 0..<rows.count {
        for column in columns.indices { bytes += try rows.bytes(row, column) + [0] }
      }
      try Data(bytes).write(to: URL(filePath: directory.file(table)))
    }
    let opened = try await PostgresTables.view(settings, keys: KeyDirectory(keys.path)) { view, _ in
      try Self.opened(view)
    }
    try Data(opened).write(to: URL(filePath: directory.file("opened")))
    return directory
  }

  /// Returns the bytes of all rows of devices.
  private static func opened(_ view: any JournalView) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for name in try view.names(after: "", count: .max) {
      guard let rows = try view.deviceRows(of: [DeviceID(name)], upTo: .min).first ?? nil else { continue }
      let device = rows.creation.device
      var all = [rows.creation] + (try view.boundaryState(of: device).map { [$0] } ?? [])
      for table in [RowTable.events, .snapshots, .decisions] {
        var selection = RowSelection(table, of: device)
        while case let page = try view.rows(selection), let last = page.last {
          all += page
          selection.after = last.number
        }
      }
      for row in all { bytes += row.bytes + [0] + Array((row.stack ?? "").utf8) + [0] }
    }
    return bytes
  }
}
