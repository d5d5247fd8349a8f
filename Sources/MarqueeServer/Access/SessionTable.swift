import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import Synchronization

/// A session with the hash of its secret.
struct StoredSession: Sendable {
  let session: AccessSession
  let hash: Data

  /// Whether the session has expired, by the system clock.
  var isExpired: Bool { session.expiry.milliseconds <= Principal.now * 1_000 }
}

/// The sessions that the server has issued, in the order of their creation.
///
/// A change is written to the file before it takes effect.
final class SessionTable: Sendable {
  /// The maximum number of sessions that have not expired.
  static let countMax = 1_000
  /// The maximum number of those that one identity created; an owner of the server's data has no share of its own.
  static let shareMax = countMax / 4

  /// Makes changes one after the other, apart from the calls that only look sessions up.
  private actor Writer {
    func run(_ change: @Sendable () throws(RPCStatus) -> Bool) throws(RPCStatus) -> Bool { try change() }
  }

  private let file: SessionFile?
  private let sessions: Mutex<[StoredSession]>
  private let writer = Writer()

  /// Creates an empty table that is kept in memory only.
  init() {
    file = nil
    sessions = Mutex([])
  }

  /// Creates a table with the sessions of a file.
  init(_ file: SessionFile) throws(ConfigurationError) {
    self.file = file
    sessions = Mutex(try file.read())
  }

  /// The sessions that have not expired, oldest first.
  var all: [AccessSession] { sessions.withLock { $0.filter { !$0.isExpired }.map(\.session) } }

  /// Returns the session of a token; `nil` if there is none, or it has expired.
  func session(of token: SessionToken) -> AccessSession? {
    let stored = sessions.withLock { $0.first { $0.session.id == token.id } }
    guard let stored, token.hasHash(stored.hash), !stored.isExpired else { return nil }
    return stored.session
  }

  /// Adds a session.
  ///
  /// - Throws: `RPCStatus` `RESOURCE_EXHAUSTED` if there are too many, or `UNAVAILABLE` if it cannot be written or its
  ///   random identifier is in use.
  func add(_ session: AccessSession, hash: Data) async throws(RPCStatus) {
    _ = try await change { (present) throws(RPCStatus) in
      guard present.count < Self.countMax else {
        throw RPCStatus(
          .resourceExhausted, "too many sessions (session-count-max: \(Self.countMax)); revoke some, or wait")
      }
      guard !present.contains(where: { $0.session.id == session.id }) else {
        throw RPCStatus(.unavailable, "the session's identifier is in use; try again")
      }
      let own = present.count { $0.session.creator.hasBytes(of: session.creator) }
      guard session.isOfOwner || own < Self.shareMax else {
        throw RPCStatus(
          .resourceExhausted, "too many sessions of one principal (principal-session-count-max: \(Self.shareMax))")
      }
      return present + [StoredSession(session: session, hash: hash)]
    }
  }

  /// Removes the sessions that match, and returns whether there was one.
  func remove(where matches: @Sendable @escaping (AccessSession) -> Bool) async throws(RPCStatus) -> Bool {
    try await change { (present) throws(RPCStatus) in
      let kept = present.filter { !matches($0.session) }
      return kept.count == present.count ? nil : kept
    }
  }

  /// Replaces the sessions that have not expired by the result of `change`, which is `nil` if nothing changes.
  private func change(
    _ change: @Sendable @escaping ([StoredSession]) throws(RPCStatus) -> [StoredSession]?
  ) async throws(RPCStatus) -> Bool {
    try await withTaskExecutorPreference(SerialTaskExecutor.files) { () throws(RPCStatus) in
      try await self.writer.run { () throws(RPCStatus) in
        guard let changed = try change(self.sessions.withLock { $0.filter { !$0.isExpired } }) else { return false }
        try self.file?.write(changed)
        self.sessions.withLock { $0 = changed }
        return true
      }
    }
  }
}
