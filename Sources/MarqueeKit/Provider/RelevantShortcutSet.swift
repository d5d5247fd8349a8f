package import MarqueeClient
package import MarqueeModel
import Synchronization

/// The one set of relevant shortcuts that a server keeps for an app (rule S1), put together here from what the app sets
/// by hand and from what its kinds' `relevance()` says, so that neither replaces the other.
///
/// It is changed in its connection's turn alone: see ``AppConnection/inOrder(_:)``.
package final class RelevantShortcutSet: Sendable {
  private struct Parts {
    var byHand: [RelevantShortcut] = []
    /// What each kind says, in the order in which they first said something.
    var kinds: [(name: String, shortcuts: [RelevantShortcut])] = []

    mutating func set(_ shortcuts: [RelevantShortcut], of name: String) {
      if let index = kinds.firstIndex(where: { $0.name == name }) {
        kinds[index].shortcuts = shortcuts
      } else {
        kinds.append((name, shortcuts))
      }
    }

    /// All of them as far as there is room: what was set by hand, then each kind's first, each kind's second and so on.
    var merged: [RelevantShortcut] {
      var merged = byHand
      for rank in 0..<(kinds.map(\.shortcuts.count).max() ?? 0) {
        merged += kinds.compactMap { rank < $0.shortcuts.count ? $0.shortcuts[rank] : nil }
      }
      return Array(merged.prefix(max(byHand.count, Limits.standard.shortcutCountMax)))
    }

    var leftOutCount: Int { byHand.count + kinds.reduce(0) { $0 + $1.shortcuts.count } - merged.count }
  }

  private struct State {
    var parts = Parts()
    /// What the server has of this process; `nil` before it has anything.
    var sent: [RelevantShortcut]?
  }

  private let state = Mutex(State())

  /// Replaces what was set by hand. Says whether there is room for all that kinds say besides. An error leaves the old
  /// ones.
  @discardableResult
  package func setByHand(_ shortcuts: [RelevantShortcut], with provider: ProviderClient) async throws -> Bool {
    var parts = state.withLock(\.parts)
    parts.byHand = shortcuts
    try await send(parts, with: provider)
    return parts.leftOutCount == 0
  }

  /// Replaces what these kinds say; what is equal to what the server has is not sent once more, so that nothing is new
  /// that is not (rule S4). Gives how many shortcuts of all kinds there is no room for, and what the server finds
  /// remarkable. An error leaves the old ones.
  func set(
    _ kinds: [(name: String, shortcuts: [RelevantShortcut])], with provider: ProviderClient
  ) async throws -> (leftOutCount: Int, warnings: [LintWarning]) {
    let (known, sent) = state.withLock { ($0.parts, $0.sent) }
    var parts = known
    for kind in kinds { parts.set(kind.shortcuts, of: kind.name) }
    guard parts.merged != sent else {
      state.withLock { $0.parts = parts }
      return (parts.leftOutCount, [])
    }
    return (parts.leftOutCount, try await send(parts, with: provider))
  }

  @discardableResult
  private func send(_ parts: Parts, with provider: ProviderClient) async throws -> [LintWarning] {
    let merged = parts.merged
    let warnings = try await provider.setRelevantShortcuts(merged)
    state.withLock { $0 = State(parts: parts, sent: merged) }
    return warnings
  }
}
