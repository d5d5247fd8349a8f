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
  private let databaseCount = Mutex(0)

  /// Creates a server with the given settings, and starts it.
  ///
  /// - Parameter settings: Settings besides those of the tests.
  public convenience init(_ settings: [String: String] = [:]) throws {
    try self.init { server in
      try server.run(
        "initdb", "-D", server.data, "-U", Self.user, "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
      try server.write("local all locked scram-sha-256\nlocal all,replication all trust\n", to: "pg_hba.conf")
    }
    try start(settings)
  }

  /// Creates a standby of another server, and starts it.
  public convenience init(standbyOf primary: PostgresProcess) throws {
    try self.init { server in
      try server.run(
        "pg_basebackup", "-h", primary.directory.path, "-U", Self.user, "-D", server.data, "-R", "--no-sync", "-c",
        "fast")
    }
    try start()
  }

  private init(_ create: (PostgresProcess) throws -> Void) throws {
    directory = try TemporaryDirectory()
    guard Self.programs != nil else { throw Failure(Self.missing) }
    if let account = Command.account { chown(directory.path, account.user, account.group) }
    janitor = try Janitor(directory.path)
    try create(self)
  }

  deinit { janitor.stop() }

  /// The data directory, which contains the write-ahead log.
  package var data: String { "\(directory.path)/data" }

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

  /// The CPU time of the server's processes that run, in seconds.
  public func processorTime() throws -> Double {
    let id = try firstProcess()
    return ([id] + Self.children(of: id)).reduce(0) { sum, id in
      // A process that has just ended has no file.
      let text = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
      let words = text.split(separator: ") ").last?.split(separator: " ") ?? []
      guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else { return sum }
      return sum + (user + system) / Double(sysconf(CInt(_SC_CLK_TCK)))
    }
  }

  /// Returns the process that starts all others.
  private func firstProcess() throws -> pid_t {
    let lines = try String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8).split(separator: "\n")
    guard let id = lines.first.flatMap({ pid_t($0) }) else { throw Failure("there is no process ID") }
    return id
  }

  /// Kills all processes of the server, and waits until they have ended.
  package func kill() throws {
    let id = try firstProcess()
    // Stopped, the first process starts no others meanwhile.
    Foundation.kill(id, SIGSTOP)
    let all = [id] + Self.children(of: id)
    for id in all { Foundation.kill(id, SIGKILL) }
    // They are not children of this process, so there is nothing to wait for.
    while all.contains(where: { Self.parent(of: $0) != nil }) { usleep(2_000) }
    // The next server would take a process that nobody has reaped yet for the one that holds the locks.
    for file in ["\(data)/postmaster.pid", directory.file(".s.PGSQL.5432.lock")] {
      try FileManager.default.removeItem(atPath: file)
    }
  }

  /// Returns the parent of a process, unless it has ended.
  private static func parent(of id: pid_t) -> pid_t? {
    // A process that has ended has no file.
    guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
      let words = text.split(separator: ") ").last?.split(separator: " "), words.count > 1,
      let parent = pid_t(words[1]), words[0] != "Z"
    else { return nil }
    return parent
  }

  private static func children(of id: pid_t) -> [pid_t] {
    // Without /proc, there would be no tests with processes.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { parent(of: $0) == id }
  }

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
