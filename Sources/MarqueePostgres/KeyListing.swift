import MarqueeJournal

/// The keys of a database.
public struct KeyListing: Sendable {
  /// A key.
  public struct Entry: Sendable {
    /// The name.
    public let name: String
    /// Whether its file is in the directory.
    public let isPresent: Bool
    /// The number of devices whose data key is wrapped under it.
    public let deviceCount: Int
  }

  /// The keys in the directory, and those that the database needs, the newest last.
  public let entries: [Entry]

  /// Lists the keys of a database.
  ///
  /// - Throws: `JournalError` `unavailable`, `refused` or `schemaTooNew`.
  package init(_ settings: PostgresSettings, _ directory: KeyDirectory) async throws(JournalError) {
    do {
      let connection = try PostgresConnection(settings, name: "postgres keys")
      let counts = try await connection.read { transaction in
        _ = try PostgresSchema.verifyFormat(transaction)
        let rows = try transaction.run(PostgresCall("SELECT kek, count(*) FROM seal GROUP BY kek"))
        return try (0..<rows.count).map { (try rows.text($0, 0), Int(try rows.integer($0, 1))) }
      }
      await connection.close()
      let present = try directory.names()
      let used = Dictionary(uniqueKeysWithValues: counts)
      entries = Set(present).union(used.keys).sorted().map { name in
        Entry(name: name, isPresent: present.contains(name), deviceCount: used[name] ?? 0)
      }
    } catch {
      throw JournalError(error, while: "listing the keys")
    }
  }
}
