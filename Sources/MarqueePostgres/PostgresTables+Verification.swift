import MarqueeJournal

extension PostgresTables {
  /// Calls `body` with a view of a database, which may be in use.
  ///
  /// - Parameters:
  ///   - settings: The settings of the connection.
  ///   - keys: The directory of the key-encryption keys.
  ///   - body: Runs on a thread that may block. Its second parameter is the name of the database's format.
  /// - Returns: The result of `body`.
  /// - Throws: ``JournalError`` `unavailable`, `refused` or `schemaTooNew`, or the error of `body`.
  package static func view<Value: Sendable>(
    _ settings: PostgresSettings, keys: KeyDirectory,
    _ body: @escaping @Sendable (_ view: any JournalView, _ format: String) throws -> Value
  ) async throws(JournalError) -> Value {
    try await view(settings, keys: keys) { view, format, _ in try body(view, format) }
  }

  private static func view<Value: Sendable>(
    _ settings: PostgresSettings, keys: KeyDirectory,
    _ body: @escaping @Sendable (PostgresView, _ format: String, _ isCluster: Bool) throws -> Value
  ) async throws(JournalError) -> Value {
    do {
      let connection = try PostgresConnection(settings, name: "postgres verifier")
      let value = try await connection.read { transaction in
        let format = try PostgresSchema.verifyFormat(transaction)
        let view = PostgresView(
          transaction: transaction, keys: TransactionKeys(DataKeyCache(), keys),
          shards: OwnedShards(of: format.shardCount ?? ShardID.countDefault))
        return try body(view, format.name, format.shardCount != nil)
      }
      await connection.close()
      return value
    } catch {
      throw JournalError(error, while: "reading the database")
    }
  }

  /// Verifies the rows of a database, which may be in use, and may be that of a cluster. Read-only, on one snapshot of
  /// the database.
  ///
  /// - Parameters:
  ///   - settings: The settings of the connection.
  ///   - keys: The directory of the key-encryption keys.
  ///   - progress: Called with the number of devices replayed and of all devices, before each device and at the end.
  /// - Returns: The defects found, and the numbers of records checked.
  /// - Throws: ``JournalError`` `unavailable`, `refused` or `schemaTooNew`.
  package static func verify(
    _ settings: PostgresSettings, keys: KeyDirectory,
    progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) async throws(JournalError) -> Verification {
    try await view(settings, keys: keys) { view, format, isCluster in
      var verification = Verification()
      verification.formats = [format]
      try verification.verifyDevices(in: view, progress)
      try verification.verifyShards(in: view, isCluster: isCluster)
      return verification
    }
  }
}
