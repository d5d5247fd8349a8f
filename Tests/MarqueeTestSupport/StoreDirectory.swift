import Foundation

/// The path of a temporary directory for a store to create; removed with its contents on deinitialization.
package final class StoreDirectory: Sendable {
  package let path = FileManager.default.temporaryDirectory.appending(path: "marquee-\(UUID().uuidString)").path

  package init() {}

  deinit {
    // Best effort: leftovers are in the system's temporary directory.
    try? FileManager.default.removeItem(atPath: path)
  }
}
