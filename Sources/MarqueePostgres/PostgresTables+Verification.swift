import MarqueeJournal

extension PostgresTables {
  /// Verifies the rows of a database, which may be in use. Read-only, on one snapshot of the database.
  ///
  /// - Parameters:
  ///   - settings: The settings of the connection.
  ///   - progress: Called with the number of devices replayed and of all devices, before each device and at the end.
  /// - Returns: The defects found, and the numbers of records checked.
  /// - Throws: ``JournalError`` `unavailable`, `refused` or `schemaTooNew`.
  package static func verify(
    _ settings: PostgresSettings, progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) async throws(JournalError) -> Verification {
    do {
      let connection = try PostgresConnection(settings, name: "postgres verifier")
      return try await connection.read { transaction in
        var verification = Verification()
        verification.formats = [try PostgresSchema.verifyFormat(transaction)]
        try verification.verifyDevices(in: PostgresView(transaction: transaction), progress)
        return verification
      }
    } catch {
      throw JournalError(error, while: "verifying the database")
    }
  }
}
