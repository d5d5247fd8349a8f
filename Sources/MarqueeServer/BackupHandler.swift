import Foundation
import MarqueeRPC
import MarqueeStore
import MarqueeTransport
import MarqueeWire
import Synchronization

/// Sends a copy of everything, one call at a time: it is made in the data directory first, and sent from there.
final class BackupHandler: Sendable {
  /// Backups under way at a time.
  static let countMax = 1

  private let store: Store
  private let directory: String
  private let isBusy = Mutex(false)

  /// A handler that makes its copies in the data directory at `directory`.
  init(store: Store, directory: String) {
    self.store = store
    self.directory = directory
  }

  func add(to router: inout ServiceRouter) {
    router.serverStreaming(AdminService.backup, for: .operator) { _, writer in try await self.backup(writer) }
  }

  /// How many are under way.
  var count: Int { isBusy.withLock { $0 ? 1 : 0 } }

  private func backup(_ writer: ResponseWriter<BackupPart>) async throws {
    let isFirst = isBusy.withLock { isBusy in
      defer { isBusy = true }
      return !isBusy
    }
    guard isFirst else { throw RPCStatus(.resourceExhausted, "backup-count-max is 1, and another backup is under way") }
    defer { isBusy.withLock { $0 = false } }
    let path = "\(directory)/\(Store.backupPrefix)\(UUID().uuidString)"
    try await store.backup(to: path)
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { file.closeFile() }
    // It has no name any more, so that nothing stays of it however the call ends.
    try FileManager.default.removeItem(atPath: path)
    var offset: UInt64 = 0
    while let content = try file.read(upToCount: BackupPart.contentSizeMax), !content.isEmpty {
      try await writer.send(try BackupPart(offset: offset, content: [UInt8](content)))
      offset += UInt64(content.count)
    }
  }
}
