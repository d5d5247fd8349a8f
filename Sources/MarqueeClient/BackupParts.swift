import MarqueeRPC
import MarqueeTransport
public import MarqueeWire

/// The parts of a backup file, in order. See ``OperatorClient/backup()``.
///
/// The sequence ends after the last part. It throws ``RPCStatus`` if the server rejects the backup or the connection is
/// lost, and `DATA_LOSS` if a part does not start at the end of the one before.
public struct BackupParts: AsyncSequence, Sendable {
  private let connection: RPCClient

  init(_ connection: RPCClient) {
    self.connection = connection
  }

  /// Returns an iterator that starts the backup with the first ``AsyncIterator/next()``.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(connection: connection) }

  /// The iterator of a backup; parts are not prefetched.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let connection: RPCClient
    private var parts: MessageStream<BackupPart>.AsyncIterator?
    private var size: UInt64 = 0

    init(connection: RPCClient) {
      self.connection = connection
    }

    /// Returns the next part, or `nil` after the last one.
    public mutating func next() async throws -> BackupPart? {
      if parts == nil {
        parts = try await connection.serverStreaming(AdminService.backup, BackupRequest()).responses.makeAsyncIterator()
      }
      guard let part = try await parts?.next() else { return nil }
      guard part.offset == size else {
        throw RPCStatus(.dataLoss, "backup part at offset \(part.offset) (expected: \(size))")
      }
      size += UInt64(part.content.count)
      return part
    }
  }
}
