import MarqueeJournal
import MarqueeModel

/// The sessions of a cluster's clients, which all of its nodes accept.
package struct PostgresSessions: Sendable {
  /// The sessions at some time.
  package struct Content: Sendable {
    /// A number that each change replaces.
    package let version: Int64
    /// The sessions, oldest first, also those that have expired.
    package let sessions: [StoredSession]
    /// The number of rows that this version of the program cannot read, which are not sessions for it.
    package let unreadableCount: Int
    /// An instant before the sessions were read, or after they were written.
    package let readAt: ContinuousClock.Instant
  }

  let reader: PostgresConnection
  /// The connection for changes, which wait for those of other nodes. The reader also renews the lease.
  let writer: PostgresConnection

  /// Returns the sessions; `nil` if they have not changed since a version.
  ///
  /// - Throws: `JournalError`.
  package func read(after version: Int64? = nil) async throws(JournalError) -> Content? {
    let readAt = ContinuousClock.now
    do {
      return try await reader.read { transaction in
        let current = try transaction.run(Self.version).integer(0, 0)
        guard current != version else { return nil }
        let sessions = Self.sessions(try transaction.run(Self.rows))
        return Content(
          version: current, sessions: sessions.readable, unreadableCount: sessions.unreadableCount, readAt: readAt)
      }
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "reading sessions")
    }
  }

  /// Changes the sessions while no other node does.
  ///
  /// - Parameter change: Returns the sessions to keep and to add; `nil` to change nothing.
  /// - Returns: The sessions afterwards; `nil` if they have not changed.
  /// - Throws: The error of `change`, or `JournalError`, whose code is `commitFailed` if the outcome is unknown.
  package func change(
    _ change: @escaping @Sendable ([StoredSession]) throws -> [StoredSession]?
  ) async throws -> Content? {
    do {
      let changed: (Int64, [StoredSession], Int)? = try await writer.write { transaction in
        // The callers do not wait for a node that has stalled.
        transaction.add(PostgresCall("SET LOCAL lock_timeout = '500ms'"))
        transaction.add(PostgresCall("LOCK TABLE session IN SHARE ROW EXCLUSIVE MODE"))
        let present = Self.sessions(try transaction.run(Self.rows))
        guard let changed = try change(present.readable) else { return nil }
        return (try Self.replace(present.readable, by: changed, transaction), changed, present.unreadableCount)
      }
      return changed.map { Content(version: $0, sessions: $1, unreadableCount: $2, readAt: .now) }
    } catch let error as PostgresError {
      throw JournalError(error, ofOpenJournalWhile: "changing sessions")
    }
  }

  private static let version = PostgresCall(prepared: "session_version", "SELECT session_version FROM cluster")

  private static let rows = PostgresCall(
    prepared: "sessions",
    "SELECT id, hash, role, device, created, expiry, creator, name FROM session ORDER BY created, id")

  /// A later number that no change before has had, also one that a failover of the database has lost.
  private static let nextVersion = PostgresCall(
    prepared: "next_session_version",
    """
    UPDATE cluster SET session_version =
      greatest(session_version + 1, floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    RETURNING session_version
    """)

  /// Deletes and inserts what differs.
  ///
  /// - Returns: The new version.
  private static func replace(
    _ present: [StoredSession], by changed: [StoredSession], _ transaction: PostgresTransaction
  ) throws -> Int64 {
    let (before, after) = (Set(present), Set(changed))
    let removed = present.filter { !after.contains($0) }.map(\.session.id.text)
    transaction.add(
      PostgresCall(prepared: "delete_sessions", "DELETE FROM session WHERE id = ANY($1)", [.texts(removed)]))
    for stored in changed where !before.contains(stored) {
      let session = stored.session
      transaction.add(
        PostgresCall(
          prepared: "insert_session",
          """
          INSERT INTO session (id, hash, role, device, created, expiry, creator, name)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
          """,
          [
            .text(session.id.text), .bytes(stored.hash), .integer(Int64(session.role.rawValue)),
            .text(session.device?.text), .integer(session.created.milliseconds),
            .integer(session.expiry.milliseconds), .text(session.creator), .text(session.name?.text),
          ]))
    }
    return try transaction.run(nextVersion).integer(0, 0)
  }

  /// Returns the sessions of rows, without those that cannot be read: a row of a later version of the program must not
  /// keep this one from seeing that others were revoked.
  private static func sessions(_ rows: PostgresRows) -> (readable: [StoredSession], unreadableCount: Int) {
    // The rows that cannot be read are counted.
    let readable = (0..<rows.count).compactMap { try? session(rows, $0) }
    return (readable, rows.count - readable.count)
  }

  private static func session(_ rows: PostgresRows, _ row: Int) throws -> StoredSession {
    guard let role = SessionRole(rawValue: UInt8(clamping: try rows.integer(row, 2))),
      let created = Instant(milliseconds: try rows.integer(row, 4)),
      let expiry = Instant(milliseconds: try rows.integer(row, 5))
    else { throw PostgresError(.wrongType, "the table \"session\" has an invalid row") }
    func text(_ column: Int) throws -> String? { rows.isNull(row, column) ? nil : try rows.text(row, column) }
    let session = AccessSession(
      id: try SessionID(rows.text(row, 0)), role: role, device: try text(3).map { try DeviceID($0) },
      created: created, expiry: expiry, creator: try rows.text(row, 6), name: try text(7).map { try SessionName($0) })
    return StoredSession(session: session, hash: try rows.bytes(row, 1))
  }
}
