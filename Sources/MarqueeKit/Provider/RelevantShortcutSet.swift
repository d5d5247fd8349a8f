package import MarqueeClient
package import MarqueeModel
import Synchronization

/// The app's relevant shortcuts.
///
/// The server keeps one set per app. It is merged here from the shortcuts that the app sets explicitly and those of its
/// kinds' `relevance()`, so that neither replaces the other (rule S1).
///
/// Modified only inside ``AppConnection/inOrder(_:)``.
package final class RelevantShortcutSet: Sendable {
  private struct Parts {
    var byHand: [RelevantShortcut] = []
    /// The shortcuts of each kind, in the order of their first update.
    var kinds: [(name: String, shortcuts: [RelevantShortcut])] = []

    mutating func set(_ shortcuts: [RelevantShortcut], of name: String) {
      if let index = kinds.firstIndex(where: { $0.name == name }) {
        kinds[index].shortcuts = shortcuts
      } else {
        kinds.append((name, shortcuts))
      }
    }

    /// The merged shortcuts, up to the server's limit: the explicit ones, then each kind's first, each kind's second,
    /// and so on.
    var merged: [RelevantShortcut] {
      var merged = byHand
      for rank in 0..<(kinds.map(\.shortcuts.count).max() ?? 0) {
        merged += kinds.compactMap { rank < $0.shortcuts.count ? $0.shortcuts[rank] : nil }
      }
      return Array(merged.prefix(max(byHand.count, Limits.default.shortcutCountMax)))
    }

    var omittedCount: Int { byHand.count + kinds.reduce(0) { $0 + $1.shortcuts.count } - merged.count }
  }

  private struct State {
    var parts = Parts()
    /// The set that was sent last; `nil` before the first.
    var sent: [RelevantShortcut]?
  }

  private let state = Mutex(State())

  /// Replaces the shortcuts that the app sets explicitly. On error, the old ones remain.
  ///
  /// - Returns: Whether all shortcuts of the kinds still fit within the limit.
  @discardableResult
  package func setByHand(_ shortcuts: [RelevantShortcut], with provider: ProviderClient) async throws -> Bool {
    var parts = state.withLock(\.parts)
    parts.byHand = shortcuts
    try await send(parts, with: provider)
    return parts.omittedCount == 0
  }

  /// Replaces the shortcuts of these kinds. On error, the old ones remain.
  ///
  /// A set equal to the server's is not sent again, since the server would treat its shortcuts as new (rule S4).
  ///
  /// - Returns: The number of shortcuts that exceed the limit, and the server's warnings.
  func set(
    _ kinds: [(name: String, shortcuts: [RelevantShortcut])], with provider: ProviderClient
  ) async throws -> (omittedCount: Int, warnings: [LintWarning]) {
    let (known, sent) = state.withLock { ($0.parts, $0.sent) }
    var parts = known
    for kind in kinds { parts.set(kind.shortcuts, of: kind.name) }
    guard parts.merged != sent else {
      state.withLock { $0.parts = parts }
      return (parts.omittedCount, [])
    }
    return (parts.omittedCount, try await send(parts, with: provider))
  }

  @discardableResult
  private func send(_ parts: Parts, with provider: ProviderClient) async throws -> [LintWarning] {
    let merged = parts.merged
    let warnings = try await provider.setRelevantShortcuts(merged)
    state.withLock { $0 = State(parts: parts, sent: merged) }
    return warnings
  }
}
