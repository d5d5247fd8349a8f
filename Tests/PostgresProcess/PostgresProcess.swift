import Foundation
import MarqueeTestSupport
import Synchronization

/// A PostgreSQL server of the tests: its own data directory, an unprivileged user, and a Unix socket only.
///
/// A second process removes the server and its files when this process ends, in whatever way.
public final class PostgresProcess: Sendable {
  /// A program failed, or could not be started.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String

    package init(_ description: String) { self.description = description }
  }

  /// The superuser that every database has.
  package static let user = "postgres"

  /// The folder with the server's programs, of the newest version that is installed; `nil` if there is none.
  public static let programs: String? = {
    let root = "/usr/lib/postgresql"
    // Without the folder, no version is installed.
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    let folders = versions.compactMap { Int($0) }.sorted(by: >).map { "\(root)/\($0)/bin" }
    return folders.first { FileManager.default.isExecutableFile(atPath: "\($0)/postgres") }
  }()

  /// Whether tests with PostgreSQL run: it is installed, or this is CI, where they then fail.
  package static let isExpected =
    programs != nil || ProcessInfo.processInfo.environment["MARQUEE_REQUIRE_POSTGRES"] != nil

  /// The comment of tests that are skipped.
  public static let missing = "PostgreSQL is not installed: apt-get install postgresql"

  /// The directory of the socket, of the log, and of `data`.
  package let directory: TemporaryDirectory
  private let janitor: Janitor
  /// The file system of the data directory, if it has its own.
  private let disk: SmallDisk?
  private let databaseCount = Mutex(0)

  /// Creates a server with the given settings, and starts it.
  ///
  /// - Parameter settings: Settings besides those of the tests.
  public convenience init(_ settings: [String: String] = [:]) throws { try self.init(settings, on: nil) }

  /// Creates a server whose data directory has its own file system, and starts it.
  package convenience init(_ settings: [String: String] = [:], on disk: SmallDisk?) throws {
    try self.init(on: disk) { server in
      try server.run(
        "initdb", "-D", server.data, "-U", Self.user, "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
      try server.write("local all locked scram-sha-256\nlocal all,replication all trust\n", to: "pg_hba.conf")
    }
    try start(settings)
  }

  /// Creates a standby of another server, and starts it.
  public convenience init(standbyOf primary: PostgresProcess) throws { try self.init(standbyOf: primary, on: nil) }

  /// Creates a standby whose data directory has its own file system, and starts it.
  package convenience init(standbyOf primary: PostgresProcess, on disk: SmallDisk?) throws {
    try self.init(on: disk) { server in
      try server.run(
        "pg_basebackup", "-h", primary.directory.path, "-U", Self.user, "-D", server.data, "-R", "--no-sync", "-c",
        "fast")
    }
    try start()
  }

  private init(on disk: SmallDisk?, _ create: (PostgresProcess) throws -> Void) throws {
    self.disk = disk
    directory = try TemporaryDirectory()
    guard Self.programs != nil else { throw Failure(Self.missing) }
    if let account = Command.account {
      for path in [directory.path, disk?.path].compactMap(\.self) { chown(path, account.user, account.group) }
    }
    if let disk {
      try FileManager.default.createSymbolicLink(atPath: directory.file("data"), withDestinationPath: disk.path)
    }
    janitor = try Janitor(directory.path)
    try create(self)
  }

  deinit { janitor.stop() }

  /// The data directory, which contains the write-ahead log.
  package var data: String { "\(directory.path)/data" }

  /// The path of the socket.
  package var socket: String { Self.socket(in: directory.path) }

  /// Returns the path of the socket of a server in a directory.
  static func socket(in directory: String) -> String { "\(directory)/.s.PGSQL.5432" }

  /// Returns the connection info of a database.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - more: Further keywords and values.
  package func info(_ database: String = "postgres", _ more: String = "") -> String {
    "host=\(directory.path) user=\(Self.user) dbname=\(database) \(more)"
  }

  /// Creates a database, and returns its connection info.
  public func database() throws -> String {
    let name = databaseCount.withLock { count in
      count += 1
      return "test\(count)"
    }
    try run("createdb", "-h", directory.path, "-U", Self.user, name)
    return info(name)
  }

  /// Copies the data directory with the server's own tool, with the part of the write-ahead log that the copy needs.
  ///
  /// - Returns: The path of the copy, which is removed with the server.
  package func baseBackup() throws -> String {
    let number = databaseCount.withLock { count in
      count += 1
      return count
    }
    let path = "\(directory.path)/backup\(number)"
    try run("pg_basebackup", "-h", directory.path, "-U", Self.user, "-D", path, "--no-sync", "-c", "fast")
    return path
  }

  /// Gives a directory to the server's user.
  package func own(_ path: String) {
    if let account = Command.account { chown(path, account.user, account.group) }
  }

  /// Creates a database with all of its files in a directory, which must belong to the server's user.
  package func createDatabase(_ name: String, in path: String) throws {
    try run("psql", "-h", directory.path, "-U", Self.user, "-c", "CREATE TABLESPACE \(name) LOCATION '\(path)'")
    try run("createdb", "-h", directory.path, "-U", Self.user, "-D", name, name)
  }

  /// Starts the server, and waits until it accepts connections.
  public func start(_ settings: [String: String] = [:]) throws {
    let defaults = [
      "listen_addresses": "", "unix_socket_directories": directory.path, "fsync": "on", "shared_buffers": "32MB",
      // Without files in /dev/shm, which a server that is killed would leave.
      "dynamic_shared_memory_type": "mmap",
    ]
    let lines = defaults.merging(settings) { $1 }.map { "\($0.key) = '\($0.value)'\n" }.sorted()
    try write(lines.joined(), to: "postgresql.auto.conf", isAppended: true)
    try run("pg_ctl", "start", "-w", "-D", data, "-l", "\(directory.path)/log")
  }

  /// Stops the server, and waits until it has ended.
  public func stop() throws { try run("pg_ctl", "stop", "-w", "-m", "fast", "-D", data) }

  /// Makes a standby a primary, and waits until it accepts writes.
  package func promote() throws { try run("pg_ctl", "promote", "-w", "-D", data) }

  /// Stops the server if it runs, and removes its files. Nothing may follow.
  public func remove() { janitor.stop() }

  private func write(_ text: String, to name: String, isAppended: Bool = false) throws {
    let path = "\(data)/\(name)"
    let earlier = isAppended ? try String(contentsOfFile: path, encoding: .utf8) : ""
    // Written in place, so that the file keeps its owner.
    guard let file = FileHandle(forWritingAtPath: path) else { throw Failure("cannot write \(name)") }
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data((earlier + text).utf8))
    try file.close()
  }

  /// Runs a program of PostgreSQL as the unprivileged user.
  private func run(_ program: String, _ arguments: String...) throws {
    // Not Foundation's class, which waits for the processes that the program leaves running.
    let process = try ChildProcess(Command.of(program, arguments), environment: Command.environment)
    var output: [UInt8] = []
    while let bytes = process.read() { output += bytes }
    guard process.reap() == .code(0) else {
      // There is no log before the server's first start.
      let log = (try? String(contentsOfFile: directory.file("log"), encoding: .utf8)) ?? ""
      throw Failure("\(program) failed: \(String(decoding: output, as: UTF8.self))\(log.suffix(2_000))")
    }
  }
}
