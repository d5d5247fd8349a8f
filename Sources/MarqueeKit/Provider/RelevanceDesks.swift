import Synchronization

/// The desks of the hosts that run on a connection.
final class RelevanceDesks: Sendable {
  private let desks = Mutex<[RelevanceDesk]>([])

  /// Has kinds asked through `desk` while `body` runs.
  func with(_ desk: RelevanceDesk, _ body: () async throws -> Void) async rethrows {
    desks.withLock { $0.append(desk) }
    defer { desks.withLock { $0.removeAll { $0 === desk } } }
    try await body()
  }

  /// Has a kind asked when it is relevant, or with `nil` all kinds; gives whether a host of this process has it.
  @discardableResult
  func want(_ kind: String?) -> Bool {
    // Every desk is told.
    desks.withLock(\.self).map { $0.want(kind) }.contains(true)
  }
}
