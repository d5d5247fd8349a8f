import Foundation

/// The IDs of users or groups that the process's user namespace maps.
///
/// The kernel reports every other ID as the overflow ID, so that this ID identifies nobody in such a namespace.
package struct UserNamespace: Sendable {
  /// The number of valid IDs.
  private static let idCount: UInt64 = 4_294_967_295

  /// The users that the namespace of this process maps.
  package static let users = UserNamespace(map: "/proc/self/uid_map", overflow: "/proc/sys/kernel/overflowuid")
  /// The groups that the namespace of this process maps.
  package static let groups = UserNamespace(map: "/proc/self/gid_map", overflow: "/proc/sys/kernel/overflowgid")

  /// The ID that the kernel reports in place of IDs that are not mapped.
  private let overflowID: UInt32
  /// Whether the namespace maps every ID, as outside of containers.
  package let isComplete: Bool

  /// Creates the IDs of a namespace.
  ///
  /// - Parameters:
  ///   - map: The lines of `uid_map` or `gid_map`; `nil` if there is none, as in a kernel without user namespaces.
  ///   - overflowID: The ID that the kernel reports in place of IDs that are not mapped.
  init(map: String?, overflowID: UInt32) {
    self.overflowID = overflowID
    guard let map else {
      isComplete = true
      return
    }
    let counts = map.split(separator: "\n").map { UInt64($0.split(separator: " ").last ?? "") ?? 0 }
    isComplete = counts.reduce(0, +) >= Self.idCount
  }

  private init(map: String, overflow: String) {
    // The unit hides the settings of the kernel, whose default is 65534.
    let overflowID = try? String(contentsOfFile: overflow, encoding: .utf8)
    // A kernel without user namespaces has no maps.
    self.init(
      map: try? String(contentsOfFile: map, encoding: .utf8),
      overflowID: overflowID.flatMap { UInt32($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 65_534)
  }

  /// Returns an ID that the kernel reported; `nil` if it may be one of those that are not mapped.
  func known(_ id: UInt32) -> UInt32? { isComplete || id != overflowID ? id : nil }
}
