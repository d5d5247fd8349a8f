import Foundation
import MarqueeTestSupport
import PostgresProcess
import Synchronization

/// A PostgreSQL server and its synchronous standby, which takes its place when it is killed.
final class ClusterFaultDatabase: Sendable {
  private static let settings = [
    "synchronous_standby_names": "*", "wal_retrieve_retry_interval": "200ms", "max_wal_size": "64MB",
    // For the time in which the standby is stopped.
    "wal_keep_size": "128MB",
  ]
  /// The size of each data directory if they are small.
  private static let smallSize = 402_653_184

  /// The servers, and the indexes of the places in which they are.
  private struct Servers {
    var all: [PostgresProcess]
    var primary = 0
    /// The primary's file system, if it is small.
    var disks: [SmallDisk?]
  }

  private let isSmall: Bool
  private let servers: Mutex<Servers>

  /// Creates the servers.
  ///
  /// - Parameter isSmall: Whether their disks can be filled, which requires root.
  init(isSmall: Bool) throws {
    self.isSmall = isSmall
    let disks = try (0..<2).map { _ in try Self.disk(isSmall) }
    let primary = try PostgresProcess(Self.settings, on: disks[0])
    let standby = try PostgresProcess(standbyOf: primary, on: disks[1])
    servers = Mutex(Servers(all: [primary, standby], disks: disks))
  }

  private static func disk(_ isSmall: Bool) throws -> SmallDisk? {
    guard isSmall, let disk = try SmallDisk(size: smallSize) else { return nil }
    // PostgreSQL refuses a data directory that others may use.
    chmod(disk.path, 0o700)
    return disk
  }

  var primary: PostgresProcess { servers.withLock { $0.all[$0.primary] } }
  var standby: PostgresProcess { servers.withLock { $0.all[1 - $0.primary] } }
  /// The sockets of the servers, by their places.
  var sockets: [String] { servers.withLock { $0.all.map(\.socket) } }

  /// Returns the connection info of servers whose sockets are in directories.
  static func info(_ directories: [String]) -> String {
    "host=\(directories.joined(separator: ",")) user=\(PostgresProcess.user) dbname=postgres"
  }

  /// The connection info.
  var info: String { Self.info(servers.withLock { $0.all.map(\.directory.path) }) }

  /// Kills the primary, promotes the standby, and creates another standby in the place of the primary.
  ///
  /// - Parameter pause: The time until the promotion.
  func failOver(after pause: Duration) async throws {
    let (old, new, place) = servers.withLock { ($0.all[$0.primary], $0.all[1 - $0.primary], $0.primary) }
    if old.isRunning { try old.kill() }
    try await Task.sleep(for: pause)
    try new.promote()
    old.remove()
    let disk = try Self.disk(isSmall)
    let standby = try PostgresProcess(standbyOf: new, on: disk)
    servers.withLock {
      $0.all[place] = standby
      $0.disks[place] = disk
      $0.primary = 1 - place
    }
  }

  /// Fills the disk of the primary, and frees it after a while. A server that has ended is started again.
  func fill(for time: Duration) async throws {
    guard let disk = servers.withLock({ $0.disks[$0.primary] }) else { return }
    let ballast = "\(disk.path)/ballast"
    let zeros = [UInt8](repeating: 0, count: 65_536)
    let file = open(ballast, O_WRONLY | O_CREAT, 0o600)
    while write(file, zeros, zeros.count) > 0 {}
    close(file)
    try await Task.sleep(for: time)
    try FileManager.default.removeItem(atPath: ballast)
    try await startAgain()
  }

  private func startAgain() async throws {
    let primary = primary
    // The server recovers by itself, or its first process ends, which nothing reports.
    for _ in 0..<20 {
      try await Task.sleep(for: .milliseconds(100))
      if !primary.isRunning { return try primary.start() }
    }
  }

  /// Stops the servers, and removes their files.
  func remove() {
    for server in servers.withLock(\.all) {
      // One that was stopped by a round that has failed could not be shut down, and one that was killed has no process.
      try? server.resume()
      server.remove()
    }
  }
}
