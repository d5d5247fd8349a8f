import Logging
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import Synchronization

/// Calls `relevance()` of an app's kinds and uploads the results.
///
/// The results are merged into the app's relevant shortcuts, in addition to those that the app sets itself. A kind
/// without `relevance()` does not change the set.
final class RelevanceUpdater: Sendable {
  private struct State {
    /// The names of the kinds to update, without duplicates.
    var pendingKinds: [String] = []
    /// Whether at least one update has completed and none is pending.
    var isSynchronized = false
    /// The delay before failed updates are repeated.
    var retryDelay: RetryDelay?
  }

  private typealias Answer = Result<HostedRelevance?, any Error>

  private let kinds: [HostedKind]
  private let connection: AppConnection
  private let provider: ProviderClient
  private let logger: Logger
  /// Called with each answer of a kind.
  private let onAnswer: @Sendable (HostedKind, HostedRelevance) -> Void
  private let sleep: @Sendable (Duration) async throws -> Void
  private let state = Mutex(State())
  private let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(
    _ kinds: [HostedKind], connection: AppConnection, provider: ProviderClient, logger: Logger,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    onAnswer: @escaping @Sendable (HostedKind, HostedRelevance) -> Void
  ) {
    self.kinds = kinds
    self.connection = connection
    self.provider = provider
    self.logger = logger
    self.sleep = sleep
    self.onAnswer = onAnswer
  }

  /// Whether the server has received, or rejected, the latest relevance of every kind.
  var isSynchronized: Bool { state.withLock(\.isSynchronized) }

  /// Schedules an update of a kind, or of all kinds if `name` is `nil`.
  ///
  /// - Returns: Whether a kind matched.
  @discardableResult
  func schedule(_ name: String?) -> Bool {
    let names = kinds.map(\.name).filter { $0 == name ?? $0 }
    guard !names.isEmpty else { return false }
    state.withLock { state in
      state.pendingKinds += names.filter { !state.pendingKinds.contains($0) }
      state.isSynchronized = false
      state.retryDelay?.end()
    }
    waker.yield()
    return true
  }

  /// Processes scheduled updates until the task is cancelled. Failed updates are retried with exponential backoff, or
  /// at once when another one is scheduled.
  func run() async {
    var failureCount = 0
    for await _ in wakes {
      let names = state.withLock { state in
        defer { state.pendingKinds = [] }
        return state.pendingKinds
      }
      let failed = await upload(kinds.filter { names.contains($0.name) })
      if Task.isCancelled { return }
      failureCount = failed.isEmpty ? 0 : failureCount + 1
      if failed.isEmpty {
        state.withLock { $0.isSynchronized = $0.pendingKinds.isEmpty }
      } else {
        guard await pause(afterFailures: failureCount) else { return }
        for name in failed { schedule(name) }
      }
    }
  }

  /// Waits before failed updates are repeated, until another one is scheduled.
  ///
  /// - Returns: `false` if the task is cancelled.
  private func pause(afterFailures failureCount: Int) async -> Bool {
    let delay = RetryDelay(afterFailures: failureCount, sleep)
    let isScheduled = state.withLock { state in
      state.retryDelay = delay
      return !state.pendingKinds.isEmpty
    }
    // It was scheduled during the failed update.
    if isScheduled { delay.end() }
    defer { state.withLock { $0.retryDelay = nil } }
    return await delay.wait()
  }

  /// Queries the kinds and uploads their relevance.
  ///
  /// - Returns: The names of the kinds to retry.
  private func upload(_ kinds: [HostedKind]) async -> [String] {
    let answers = await answers(of: kinds)
    var updates: [(name: String, shortcuts: [RelevantShortcut])] = []
    var failed: [String] = []
    for (index, kind) in kinds.enumerated() {
      switch answers[index] {
      case .success(let relevance?): updates.append((kind.name, relevance.shortcuts))
      case .success(.none): break
      case .failure: failed.append(kind.name)
      }
    }
    if updates.isEmpty { return failed }
    do {
      try await send(updates)
    } catch let status as RPCStatus where status.code == .unavailable || status.code == .deadlineExceeded {
      logger.warning("relevance upload failed, retrying", metadata: ["error": "\(quoted(status))"])
      failed += updates.map(\.name)
    } catch {
      await sendEach(updates)
    }
    return failed
  }

  /// Queries all kinds concurrently.
  private func answers(of kinds: [HostedKind]) async -> [Answer] {
    await withTaskGroup(of: (Int, Answer).self) { group in
      for (index, kind) in kinds.enumerated() { group.addTask { (index, await self.answer(of: kind)) } }
      var answers = [Answer](repeating: .success(nil), count: kinds.count)
      for await (index, answer) in group { answers[index] = answer }
      return answers
    }
  }

  private func answer(of kind: HostedKind) async -> Answer {
    do {
      let relevance = try await ProviderTimeout.result("relevance") { try await kind.relevance() }
      for error in relevance?.ignored ?? [] {
        logger.warning("ignoring an attribute of relevance()", metadata: metadata(kind.name, error))
      }
      if let relevance { onAnswer(kind, relevance) }
      return .success(relevance)
    } catch {
      if !Task.isCancelled {
        logger.warning("relevance() failed, retrying", metadata: metadata(kind.name, error))
      }
      return .failure(error)
    }
  }

  private func send(_ updates: [(name: String, shortcuts: [RelevantShortcut])]) async throws {
    let (set, own) = (connection.relevantShortcuts, provider)
    // The host's provider client has registered the kinds that the shortcuts name.
    let (count, warnings) = try await connection.inOrder { _ in try await set.set(updates, with: own) }.value
    for warning in warnings {
      logger.notice("\(quoted(warning.message))", metadata: ["warning": "\(quoted(warning.code))"])
    }
    guard count > 0 else { return }
    let reason = RequestError.over(
      limit: "shortcut-count-max", maximum: Limits.default.shortcutCountMax,
      count: Limits.default.shortcutCountMax + count)
    logger.warning("dropping the least important relevant shortcuts", metadata: ["error": "\(quoted(reason))"])
  }

  /// Uploads each kind on its own, so that an invalid one does not block the others.
  private func sendEach(_ updates: [(name: String, shortcuts: [RelevantShortcut])]) async {
    for kind in updates {
      do {
        try await send([kind])
      } catch {
        logger.warning("the server rejected a kind's relevance", metadata: metadata(kind.name, error))
      }
    }
  }

  private func metadata(_ kind: String, _ error: any Error) -> Logger.Metadata {
    ["kind": "\(kind)", "error": "\(quoted(error))"]
  }
}
