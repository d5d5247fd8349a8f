import MarqueeJournal

/// The names of the key-encryption keys under which data keys can be wrapped, in the table `kek`, and of those that are
/// to be destroyed, in the table `retired_kek`.
enum KeyTable {
  /// Prepares the keys of a database for a server: makes the first one if there are no devices.
  ///
  /// - Throws: `JournalError` `refused` if the database has devices, and the directory none of their keys.
  static func begin(_ directory: KeyDirectory, _ transaction: PostgresTransaction) throws {
    try checkPresence(directory, transaction)
    let newest = try directory.newest() ?? directory.makeKey(directory.nextName())
    add(newest.name, transaction)
  }

  /// Checks that the directory is that of the database.
  ///
  /// - Throws: `JournalError` `refused` if the database has devices, and the directory none of their keys.
  static func checkPresence(_ directory: KeyDirectory, _ transaction: PostgresTransaction) throws {
    let used = try transaction.run(
      PostgresCall("SELECT name FROM kek WHERE EXISTS (SELECT FROM seal WHERE kek = name) ORDER BY name"))
    let names = try (0..<used.count).map { try used.text($0, 0) }
    let present = try directory.names()
    guard names.isEmpty || names.contains(where: present.contains) else {
      throw KeyDirectory.refused("it has none of the keys of the database, of which the newest is \(names.last ?? "")")
    }
  }

  /// Returns the names of the keys under which data keys are wrapped.
  ///
  /// - Throws: `JournalError` `refused` if the directory has a key that the database does not know: another database's,
  ///   which must not be destroyed.
  static func used(_ directory: KeyDirectory, _ transaction: PostgresTransaction) throws -> [String] {
    let known = try transaction.run(PostgresCall("SELECT name FROM kek UNION SELECT name FROM retired_kek"))
    let names = Set(try (0..<known.count).map { try known.text($0, 0) })
    if let foreign = try directory.names().first(where: { !names.contains($0) }) {
      throw KeyDirectory.refused("the key \(foreign) is not one of this database, which needs a directory of its own")
    }
    let used = try transaction.run(PostgresCall("SELECT DISTINCT kek FROM seal"))
    return try (0..<used.count).map { try used.text($0, 0) }
  }

  /// Adds the name of a key, so that data keys can be wrapped under it.
  static func add(_ name: String, _ transaction: PostgresTransaction) {
    transaction.add(PostgresCall("INSERT INTO kek VALUES ($1) ON CONFLICT DO NOTHING", [.text(name)]))
  }

  /// Retires the keys under which no data key is wrapped, except `kept`: none can be wrapped under them any more.
  ///
  /// - Returns: The names of all retired keys, whose files are to be destroyed.
  static func retire(except kept: [String], _ transaction: PostgresTransaction) throws -> [String] {
    transaction.add(
      PostgresCall(
        """
        WITH unused AS (
          DELETE FROM kek WHERE name NOT IN (SELECT unnest($1::text[]))
            AND NOT EXISTS (SELECT FROM seal WHERE kek = name) RETURNING name)
        INSERT INTO retired_kek SELECT name FROM unused ON CONFLICT DO NOTHING
        """, [.texts(kept)]))
    let retired = try transaction.run(PostgresCall("SELECT name FROM retired_kek ORDER BY name"))
    return try (0..<retired.count).map { try retired.text($0, 0) }
  }

  /// Removes the name of a retired key whose file has been destroyed.
  static func forget(_ name: String, _ transaction: PostgresTransaction) {
    transaction.add(PostgresCall("DELETE FROM retired_kek WHERE name = $1", [.text(name)]))
  }
}
