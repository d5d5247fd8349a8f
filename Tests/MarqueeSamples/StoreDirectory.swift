import Foundation

/// The place of a directory that is not there yet, for a store to make; removed with its contents when the value goes.
package final class StoreDirectory: Sendable {
  package let path = FileManager.default.temporaryDirectory.appending(path: "marquee-\(UUID().uuidString)").path

  package init() {}

  deinit {
    // Nothing depends on it: what is left is in the system's directory for such.
    try? FileManager.default.removeItem(atPath: path)
  }
}
