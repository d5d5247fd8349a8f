import MarqueeJournal
import MarqueeModel
import MarqueePostgres
import MarqueeRPC
import MarqueeRuntime
import Synchronization

extension StoredSession {
  /// Whether the session has expired, by the system clock.
  fileprivate var isExpired: Bool { session.expiry.milliseconds <= Principal.now * 1_000 }
}

/// The sessions that the server has issued or, in a cluster, all of its servers, in the order of their creation.
///
/// A change is written to the file or the database before it takes effect.
final class SessionTable: Sendable {
  /// The maximum number of sessions that have not expired.
  static let countMax = 1_000
  /// The maximum number of those that one identity created; an owner of the server's data has no share of its own.
  static let shareMax = countMax / 4

  /// Makes changes one after the other, apart from the calls that only look sessions up.
  private actor Writer {
    func run(_ change: @Sendable () throws(RPCStatus) -> Bool) throws(RPCStatus) -> Bool { try change() }
  }

  /// Where the sessions are stored.
  private enum Storage: Sendable {
    case memory
    case file(SessionFile)
    case cluster(PostgresSessions)
  }

  private struct State {
    var sessions: [StoredSession]
    /// The cluster's sessions as they were read last; `nil` before.
    var content: PostgresSessions.Content?
    var revocationCount = 0
  }

  private let storage: Storage
  private let state: Mutex<State>
  private let writer = Writer()

  /// Creates an empty table that is kept in memory only.
  init() {
    storage = .memory
    state = Mutex(State(sessions: []))
  }

  /// Creates a table with the sessions of a file.
  init(_ file: SessionFile) throws(ConfigurationError) {
    storage = .file(file)
    state = Mutex(State(sessions: try file.read()))
  }

  /// Creates a table with the sessions of a cluster.
  init(_ shared: PostgresSessions) async throws(JournalError) {
    storage = .cluster(shared)
    state = Mutex(State(sessions: []))
    try await refresh()
  }

  /// The sessions that have not expired, oldest first.
  var all: [AccessSession] { state.withLock { $0.sessions.filter { !$0.isExpired }.map(\.session) } }

  /// The number of times that a session of the cluster has ended before its expiry, as far as this server knows.
  var revocationCount: Int { state.withLock(\.revocationCount) }

  /// The number of sessions in the cluster's database that this version of the server cannot read.
  var unreadableCount: Int { state.withLock { $0.content?.unreadableCount ?? 0 } }

  /// Returns the session of a token; `nil` if there is none, or it has expired.
  func session(of token: SessionToken) -> AccessSession? {
    let stored = state.withLock { $0.sessions.first { $0.session.id == token.id } }
    guard let stored, token.hasHash(stored.hash), !stored.isExpired else { return nil }
    return stored.session
  }

  /// Adds a session.
  ///
  /// - Throws: `RPCStatus` `RESOURCE_EXHAUSTED` if there are too many, or `UNAVAILABLE` if it cannot be written or its
  ///   random identifier is in use.
  func add(_ session: AccessSession, hash: [UInt8]) async throws(RPCStatus) {
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

  /// Reads the cluster's sessions if another server has changed them.
  func refresh() async throws(JournalError) {
    guard case .cluster(let shared) = storage,
      let content = try await shared.read(after: state.withLock(\.content?.version))
    else { return }
    adopt(content)
  }

  /// Keeps the sessions unless those of a later time are known. Versions do not tell: after a failover that has lost
  /// commits, the latest one is less.
  private func adopt(_ content: PostgresSessions.Content) {
    state.withLock { state in
      guard state.content.map({ $0.readAt <= content.readAt }) ?? true else { return }
      let kept = Set(content.sessions)
      if state.sessions.contains(where: { !kept.contains($0) && !$0.isExpired }) { state.revocationCount += 1 }
      (state.sessions, state.content) = (content.sessions, content)
    }
  }

  /// Replaces the sessions that have not expired by the result of `change`, which is `nil` if nothing changes.
  private func change(
    _ change: @Sendable @escaping ([StoredSession]) throws(RPCStatus) -> [StoredSession]?
  ) async throws(RPCStatus) -> Bool {
    if case .cluster(let shared) = storage {
      do {
        guard let content = try await shared.change({ try change($0.filter { !$0.isExpired }) }) else { return false }
        adopt(content)
        return true
      } catch let error as JournalError where error.code == .commitFailed {
        throw RPCStatus(.unavailable, "the database did not confirm the change of the sessions; list them, and retry")
      } catch {
        throw error as? RPCStatus ?? RPCStatus(error)
      }
    }
    return try await withTaskExecutorPreference(SerialTaskExecutor.files) { () throws(RPCStatus) in
      try await self.writer.run { () throws(RPCStatus) in
        let present = self.state.withLock { $0.sessions.filter { !$0.isExpired } }
        guard let changed = try change(present) else { return false }
        if case .file(let file) = self.storage { try file.write(changed) }
        self.state.withLock { $0.sessions = changed }
        return true
      }
    }
  }
}
