import Foundation

/// A new, empty directory under `/tmp`, with a path short enough for Unix sockets. It is removed with its contents when
/// the value is released.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    path = "/tmp/marquee-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // Best effort: leftover files in /tmp are harmless.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the path of a file in the directory.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and returns its path.
  package func write(_ text: String, to name: String) throws -> String {
    try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    return file(name)
  }
}
