import Foundation
import MarqueeTestSupport
import MarqueeTransport

extension AttackCase {
  /// Files that can exist at the path of the server's socket.
  static func sockets() async throws -> String {
    let directory = try TemporaryDirectory()
    let path = directory.file("socket")
    // A killed server leaves its socket behind.
    try await AttackHarness.run(in: directory) { _ in }
    try require(FileManager.default.fileExists(atPath: path), "a killed server left no socket")
    try await AttackHarness.run(in: directory) { harness in
      try require(mode(of: path) == 0o600, "the socket's mode is \(String(mode(of: path), radix: 8))")
      let second = try Daemon(["--data-dir", directory.file("other"), "--listen", "unix:\(path)"])
      try require(try await second.wait() == .code(1), "a second server replaced a live socket")
      _ = try await harness.client().unary(WireBytes.unary(checkPath), [])
    }
    unlink(path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.file("elsewhere"))
    try await reject(directory, "a link")
    unlink(path)
    try Data("mine".utf8).write(to: URL(filePath: path))
    try await reject(directory, "a file")
    try require(FileManager.default.contents(atPath: path) == Data("mine".utf8), "the file was changed")
    unlink(path)
    let stranger = geteuid() == 0 ? try await strangers(directory) : "; other users are only tested as root"
    return "a stale socket is replaced, with mode 600; a link and a file are rejected and kept\(stranger)"
  }

  private static let checkPath = "grpc.health.v1.Health/Check"
  private static let nobody: uid_t = 65_534

  private static func mode(of path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private static func reject(_ directory: TemporaryDirectory, _ what: String) async throws {
    let path = directory.file("socket")
    let inode = { (try? FileManager.default.attributesOfItem(atPath: path))?[.systemFileNumber] as? Int }
    let before = inode()
    let daemon = try Daemon(AttackHarness.arguments(in: directory))
    try require(try await daemon.wait() == .code(1), "a server replaced \(what)")
    try require(before != nil && inode() == before, "\(what) was removed")
  }

  /// Another user's socket is kept; another user is authenticated by the kernel and has no permissions.
  private static func strangers(_ directory: TemporaryDirectory) async throws -> String {
    let path = directory.file("socket")
    let foreign = try Daemon(["--data-dir", directory.file("foreign"), "--listen", "unix:\(path)"])
    _ = try await foreign.listening()
    try await foreign.kill()
    chown(path, nobody, nobody)
    try await reject(directory, "another user's socket")
    unlink(path)
    return try await AttackHarness.run(["--socket-mode", "666"], in: directory) { harness in
      try require(mode(of: path) == 0o666, "the socket's mode is \(String(mode(of: path), radix: 8))")
      chmod(directory.path, 0o755)
      // The kernel records the connecting user's credentials.
      seteuid(nobody)
      let connection = try? await RawAttacker(harness.unix)  // Checked below.
      seteuid(0)
      guard var stranger = connection else {
        throw RequirementFailure("another user cannot connect to a socket of mode 666")
      }
      stranger.push(RawFrame.hello + RawFrame.open(1, "marquee.v1.Admin/ListDevices") + RawFrame.message(1, []))
      let code = try await stranger.code(of: 1)
      try require(code == 16 || code == 7, "another user's call ended with code \(code)")
      return ", another user's socket is kept; another user's call ends with code \(code)"
    }
  }
}
