import MarqueeRPC
import MarqueeTransport
public import MarqueeWire

/// A backup's file, piece by piece. See ``OperatorClient/backup()``.
///
/// It ends after the last piece. It throws ``RPCStatus`` when the server refuses it or the connection is lost, and
/// `DATA_LOSS` when a piece does not begin where the one before it ended.
public struct BackupParts: AsyncSequence, Sendable {
  private let connection: RPCClient

  init(_ connection: RPCClient) {
    self.connection = connection
  }

  /// Begins to read at the first ``AsyncIterator/next()``.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(connection: connection) }

  /// Reads pieces; nothing is read ahead.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let connection: RPCClient
    private var parts: MessageStream<BackupPart>.AsyncIterator?
    private var size: UInt64 = 0

    init(connection: RPCClient) {
      self.connection = connection
    }

    /// The next piece; `nil` after the last one.
    public mutating func next() async throws -> BackupPart? {
      if parts == nil {
        parts = try await connection.serverStreaming(AdminService.backup, BackupRequest()).responses.makeAsyncIterator()
      }
      guard let part = try await parts?.next() else { return nil }
      guard part.offset == size else {
        throw RPCStatus(.dataLoss, "a piece of the backup at \(part.offset), but \(size) comes next")
      }
      size += UInt64(part.content.count)
      return part
    }
  }
}
