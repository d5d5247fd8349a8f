import MarqueeJournal
import MarqueeModel

/// The sessions of a cluster's clients, which all of its nodes accept.
package struct PostgresSessions: Sendable {
  /// The sessions at some time.
  package struct Content: Sendable {
    /// The number of changes so far.
    package let version: Int64
    /// The sessions, oldest first, also those that have expired.
    package let sessions: [StoredSession]
  }

  let connection: PostgresConnection

  /// Returns the sessions; `nil` if they have not changed since a version.
  ///
  /// - Throws: `JournalError`.
  package func read(after version: Int64? = nil) async throws(JournalError) -> Content? {
    do {
      return try await connection.read { transaction in
        let current = try transaction.run(Self.version).integer(0, 0)
        guard current != version else { return nil }
        return Content(version: current, sessions: try Self.sessions(transaction.run(Self.rows)))
      }
    } catch {
      throw JournalError(error, ofOpenJournalWhile: "reading sessions")
    }
  }

  /// Changes the sessions while no other node does.
  ///
  /// - Parameter change: Returns the sessions to keep and to add; `nil` to change nothing.
  /// - Returns: The sessions afterwards, and whether they have changed.
  /// - Throws: The error of `change`, or `JournalError`, whose code is `commitFailed` if the outcome is unknown.
  package func change(
    _ change: @escaping @Sendable ([StoredSession]) throws -> [StoredSession]?
  ) async throws -> (content: Content, isChanged: Bool) {
    do {
      return try await connection.write { transaction in
        // The connection also renews the lease, so it must not wait for a node that has stalled.
        transaction.add(PostgresCall("SET LOCAL lock_timeout = '500ms'"))
        transaction.add(PostgresCall("LOCK TABLE session IN SHARE ROW EXCLUSIVE MODE"))
        let rows = try transaction.run([Self.version, Self.rows])
        let (version, present) = (try rows[0].integer(0, 0), try Self.sessions(rows[1]))
        guard let changed = try change(present) else {
          return (Content(version: version, sessions: present), false)
        }
        Self.replace(present, by: changed, transaction)
        return (Content(version: version + 1, sessions: changed), true)
      }
    } catch let error as PostgresError {
      throw JournalError(error, ofOpenJournalWhile: "changing sessions")
    }
  }

  private static let version = PostgresCall(prepared: "session_version", "SELECT session_version FROM cluster")

  private static let rows = PostgresCall(
    prepared: "sessions",
    "SELECT id, hash, role, device, created, expiry, creator, name FROM session ORDER BY created, id")

  /// Adds the statements that delete and insert what differs.
  private static func replace(
    _ present: [StoredSession], by changed: [StoredSession], _ transaction: PostgresTransaction
  ) {
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
    transaction.add(
      PostgresCall(prepared: "count_session_change", "UPDATE cluster SET session_version = session_version + 1"))
  }

  private static func sessions(_ rows: PostgresRows) throws -> [StoredSession] {
    try (0..<rows.count).map { row in
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
}
