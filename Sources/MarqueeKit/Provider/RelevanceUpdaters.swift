import Synchronization

/// The updaters of the hosts that run on a connection.
final class RelevanceUpdaters: Sendable {
  private let updaters = Mutex<[RelevanceUpdater]>([])

  /// Registers `updater` while `body` runs.
  func with(_ updater: RelevanceUpdater, _ body: () async throws -> Void) async rethrows {
    updaters.withLock { $0.append(updater) }
    defer { updaters.withLock { $0.removeAll { $0 === updater } } }
    try await body()
  }

  /// Schedules a relevance update of a kind, or of all kinds if `kind` is `nil`.
  ///
  /// - Returns: Whether a host in this process provides it.
  @discardableResult
  func schedule(_ kind: String?) -> Bool {
    // Schedule on every updater: no short-circuit.
    updaters.withLock(\.self).map { $0.schedule(kind) }.contains(true)
  }
}
