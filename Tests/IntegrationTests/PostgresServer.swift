import Foundation
import MarqueePostgres
import MarqueeTestSupport
import PostgresProcess

/// The real `marqueed` on a PostgreSQL database: its directories, and its arguments.
struct PostgresServer {
  let directory: TemporaryDirectory
  /// The connection info.
  let info: String
  /// The directory of the keys.
  var keys: String { directory.file("keys") }

  init(info: String) throws {
    self.info = info
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.file("keys"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  /// The options of the database.
  var options: [String] { options(nil) }

  /// Returns the options of the database with another connection info.
  func options(_ info: String?) -> [String] { ["--store", "postgres:\(info ?? self.info)", "--keys", keys] }

  /// The arguments of a server.
  var arguments: [String] { DaemonTests.arguments(directory) + options }

  /// Runs the program until it ends.
  ///
  /// - Returns: The exit status and the standard error.
  static func run(_ arguments: [String]) async throws -> (exit: Daemon.Exit, log: String) {
    let daemon = try Daemon(arguments)
    let exit = try await daemon.wait()
    return (exit, daemon.log.text)
  }

  /// Executes statements in the database.
  func execute(_ statements: String...) async throws {
    let connection = try PostgresConnection(PostgresSettings(info))
    _ = try await connection.write(statements.map { PostgresCall($0) })
    await connection.close()
  }

  /// Returns which of some texts are in the files of a directory.
  static func found(_ texts: [String], in path: String) async throws -> [String] {
    let arguments = ["/usr/bin/env", "grep", "-raohF"] + texts.flatMap { ["-e", $0] } + [path]
    // The standard error of a child is read, and not its output.
    let command = ["/bin/sh", "-c", "exec \"$@\" >&2", "sh"] + arguments
    let process = try Daemon(Array(command.dropFirst()), program: command[0])
    let exit = try await process.wait()
    guard [.code(0), .code(1)].contains(exit) else { throw RequirementFailure("grep failed: \(process.log.text)") }
    return texts.filter(process.log.text.contains)
  }
}
