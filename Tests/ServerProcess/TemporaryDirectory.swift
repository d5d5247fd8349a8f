import Foundation

/// A new, empty directory under `/tmp`, with a path short enough for Unix sockets; removed with everything in it when
/// the value is no longer held.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    path = "/tmp/marquee-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // What cannot be removed is left to whoever cleans /tmp; there is nobody to tell.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the directory.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and gives its path.
  package func write(_ text: String, to name: String) throws -> String {
    try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    return file(name)
  }
}
