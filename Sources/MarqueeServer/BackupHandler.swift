import Foundation
import MarqueeRPC
import MarqueeRuntime
import MarqueeStore
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The handler of `Backup`, which copies the store into the data directory and streams the copy. Serves one call at a
/// time.
final class BackupHandler: Sendable {
  /// The maximum number of concurrent backups.
  static let countMax = 1

  private let store: Store?
  private let directory: String
  private let isBusy = Mutex(false)

  /// Creates a handler that stores its temporary copies in the data directory at `directory`.
  ///
  /// - Parameters:
  ///   - store: The store in the directory; `nil` if the devices are in another database, which has its own backups.
  ///   - directory: The path.
  init(store: Store?, directory: String) {
    self.store = store
    self.directory = directory
  }

  func add(to router: inout ServiceRouter) {
    router.serverStreaming(AdminService.backup, for: .operator) { _, writer, _ in try await self.backup(writer) }
  }

  /// The number of backups in progress.
  var count: Int { isBusy.withLock { $0 ? 1 : 0 } }

  /// Returns the next part of a file, which is not read on an event loop.
  private static func read(_ file: FileHandle) async throws -> Data? {
    try await withTaskExecutorPreference(SerialTaskExecutor.files) {
      try file.read(upToCount: BackupPart.contentSizeMax)
    }
  }

  private func backup(_ writer: ResponseWriter<BackupPart>) async throws {
    guard let store else {
      throw RPCStatus(
        .failedPrecondition, "the devices are in PostgreSQL; back it up with its tools, such as pg_basebackup")
    }
    let isFirst = isBusy.withLock { isBusy in
      defer { isBusy = true }
      return !isBusy
    }
    guard isFirst else {
      let reason = "too many concurrent backups (backup-count-max: \(Self.countMax))"
      throw RPCStatus(.resourceExhausted, reason).retryable()
    }
    defer { isBusy.withLock { $0 = false } }
    let path = "\(directory)/\(Store.backupPrefix)\(UUID().uuidString)"
    try await store.backup(to: path)
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { file.closeFile() }
    // The open file is unlinked at once, so that it is deleted however the call ends.
    try FileManager.default.removeItem(atPath: path)
    var offset: UInt64 = 0
    while let content = try await Self.read(file), !content.isEmpty {
      try await writer.send(try BackupPart(offset: offset, content: [UInt8](content)))
      offset += UInt64(content.count)
    }
  }
}
