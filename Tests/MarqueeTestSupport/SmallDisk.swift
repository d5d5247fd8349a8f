import Foundation

/// An in-memory file system of a given size, unmounted on deinitialization. Mounting requires root.
package final class SmallDisk: Sendable {
  package let path: String
  private let directory: TemporaryDirectory

  /// Mounts a file system; `nil` if that is not possible.
  package init?(size: Int) throws {
    directory = try TemporaryDirectory()
    path = directory.path
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else { return nil }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
  }

  /// Returns whether this process can mount a file system.
  package static func isPossible() throws -> Bool { try SmallDisk(size: 65_536) != nil }
}
