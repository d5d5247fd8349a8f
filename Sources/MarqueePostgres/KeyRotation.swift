import MarqueeJournal

/// A rotation of the key-encryption keys of a database, which a server may be using.
public struct KeyRotation: Sendable {
  /// The number of data keys that one transaction wraps again.
  private static let batchCount = 1_000
  /// The key of the advisory lock that a rotation holds.
  private static let lock: Int64 = 0x6d61_7271_7565_0003

  /// The name of the new key.
  public private(set) var name = ""
  /// The number of data keys that were wrapped under the new key.
  public private(set) var wrappedCount = 0
  /// The number of data keys that could not be opened: their key-encryption keys are missing, or they are damaged.
  public private(set) var unreadableCount = 0
  /// The names of the keys that were destroyed.
  public private(set) var destroyed: [String] = []

  /// Makes a key, wraps all data keys under it, and destroys the keys that are older than the one before.
  ///
  /// - Parameters:
  ///   - settings: The settings of the connection.
  ///   - directory: The directory with the keys.
  /// - Returns: The result.
  /// - Throws: `JournalError` `unavailable`, `refused`, `schemaTooNew`, or `busy` if another rotation is under way.
  package static func run(
    _ settings: PostgresSettings, _ directory: KeyDirectory
  ) async throws(JournalError) -> KeyRotation {
    do {
      let connection = try PostgresConnection(settings, name: "postgres keys")
      do {
        guard try await connection.lock(lock) else {
          throw JournalError(.busy, "another rotation of the keys is under way")
        }
        let rotation = try await connection.perform { connection in
          var rotation = KeyRotation()
          try rotation.run(connection, directory)
          return rotation
        }
        await connection.close()
        return rotation
      } catch {
        await connection.close()
        throw error
      }
    } catch {
      throw JournalError(error, while: "rotating the keys")
    }
  }

  private mutating func run(_ connection: isolated PostgresConnection, _ directory: KeyDirectory) throws {
    let used = try connection.read { transaction in
      _ = try PostgresSchema.verifyFormat(transaction)
      try KeyTable.checkPresence(directory, transaction)
      return try KeyTable.used(directory, transaction)
    }
    let name = try directory.nextName()
    // First in the table: a server uses the file as soon as it is there, and a file that the table lacks is another
    // database's.
    try connection.write { KeyTable.add(name, $0) }
    let newest = try directory.makeKey(name)
    self.name = name
    var last: Int64 = -1
    while let next = try wrap(after: last, newest, directory, connection) { last = next }
    // Those that were in use until now open content that was deleted, or backed up, since the rotation before.
    let kept = [newest.name] + used
    for name in try connection.write({ try KeyTable.retire(except: kept, $0) }) {
      if try directory.names().contains(name) {
        try directory.destroyKey(name)
        destroyed.append(name)
      }
      try connection.write { KeyTable.forget(name, $0) }
    }
  }

  /// Wraps the next data keys again.
  ///
  /// - Returns: The number of the last device, or `nil` if there are no more.
  private mutating func wrap(
    after last: Int64, _ newest: KeyEncryptionKey, _ directory: KeyDirectory, _ connection: isolated PostgresConnection
  ) throws -> Int64? {
    let page = try connection.write { transaction -> Page in
      transaction.add(PostgresCall("SET LOCAL lock_timeout = '10s'"))
      let found = try transaction.run(
        PostgresCall(
          """
          SELECT device, generation, kek, wrapped FROM seal WHERE device > $1 AND kek <> $2
          ORDER BY device LIMIT $3 FOR UPDATE
          """, [.integer(last), .text(newest.name), .integer(Int64(Self.batchCount))]))
      var page = Page()
      var (devices, wrapped): ([Int64], [[UInt8]]) = ([], [])
      for row in 0..<found.count {
        let (device, generation) = (try found.integer(row, 0), try found.integer(row, 1))
        page.last = device
        guard
          let key = try directory.key(found.text(row, 2))?.unwrap(
            found.bytes(row, 3), of: device, generation: generation)
        else {
          page.unreadableCount += 1
          continue
        }
        devices.append(device)
        wrapped.append(try newest.wrap(key, of: device))
      }
      page.wrappedCount = devices.count
      transaction.add(
        PostgresCall(
          """
          UPDATE seal SET kek = $3, wrapped = again.wrapped
          FROM unnest($1::bigint[], $2::bytea[]) AS again(number, wrapped) WHERE device = again.number
          """, [.integers(devices), .byteArrays(wrapped), .text(newest.name)]))
      return page
    }
    wrappedCount += page.wrappedCount
    unreadableCount += page.unreadableCount
    return page.last
  }

  private struct Page {
    var last: Int64?
    var wrappedCount = 0
    var unreadableCount = 0
  }
}
