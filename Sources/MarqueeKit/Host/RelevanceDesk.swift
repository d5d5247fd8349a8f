import Logging
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import Synchronization

/// Asks an app's kinds when they are relevant, and keeps the server told of it.
///
/// What kinds say goes into the app's set of relevant shortcuts, beside what the app sets by hand. A kind that says
/// nothing leaves that set alone.
final class RelevanceDesk: Sendable {
  private struct State {
    /// The names of the kinds to be asked, each once.
    var wanted: [String] = []
    /// Whether the kinds have been asked once, and none is to be asked or told of.
    var isQuiet = false
  }

  private typealias Answer = Result<HostedRelevance?, any Error>

  private let kinds: [HostedKind]
  private let connection: AppConnection
  private let provider: ProviderClient
  private let logger: Logger
  private let state = Mutex(State())
  private let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(_ kinds: [HostedKind], connection: AppConnection, provider: ProviderClient, logger: Logger) {
    self.kinds = kinds
    self.connection = connection
    self.provider = provider
    self.logger = logger
  }

  /// Whether the server knows all that kinds have been asked for, or has refused it.
  var isQuiet: Bool { state.withLock(\.isQuiet) }

  /// Has a kind asked, if it is one of these; all of them when none is named. Says whether there was one.
  @discardableResult
  func want(_ name: String?) -> Bool {
    let names = kinds.map(\.name).filter { $0 == name ?? $0 }
    guard !names.isEmpty else { return false }
    state.withLock { state in
      state.wanted += names.filter { !state.wanted.contains($0) }
      state.isQuiet = false
    }
    waker.yield()
    return true
  }

  /// Asks and tells until the task is cancelled; what fails is tried again after a pause that doubles.
  func run() async {
    var failureCount = 0
    for await _ in wakes {
      let names = state.withLock { state in
        defer { state.wanted = [] }
        return state.wanted
      }
      let failed = await tell(of: kinds.filter { names.contains($0.name) })
      if Task.isCancelled { return }
      failureCount = failed.isEmpty ? 0 : failureCount + 1
      if failed.isEmpty {
        state.withLock { $0.isQuiet = $0.wanted.isEmpty }
      } else {
        // A pause that is cancelled ends the desk.
        guard (try? await Task.sleep(for: .seconds(min(300, 1 << min(failureCount, 9))))) != nil else { return }
        for name in failed { want(name) }
      }
    }
  }

  /// Asks kinds and tells the server. Gives the names of those to be tried again.
  private func tell(of kinds: [HostedKind]) async -> [String] {
    let answers = await answers(of: kinds)
    var said: [(name: String, shortcuts: [RelevantShortcut])] = []
    var failed: [String] = []
    for (index, kind) in kinds.enumerated() {
      switch answers[index] {
      case .success(let relevance?): said.append((kind.name, relevance.shortcuts))
      case .success(.none): break
      case .failure: failed.append(kind.name)
      }
    }
    if said.isEmpty { return failed }
    do {
      try await send(said)
    } catch let status as RPCStatus where status.code == .unavailable || status.code == .deadlineExceeded {
      logger.warning("the server is not told what is relevant", metadata: ["error": "\(status)"])
      failed += said.map(\.name)
    } catch {
      await sendEach(said)
    }
    return failed
  }

  /// What each kind says, all of them asked at once.
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
      let relevance = try await ProviderAnswer.first("relevance") { try await kind.relevance() }
      for error in relevance?.leftOut ?? [] {
        logger.warning("an attribute of relevance() counts for nothing", metadata: metadata(kind.name, error))
      }
      return .success(relevance)
    } catch {
      if !Task.isCancelled {
        logger.warning("a kind does not say when it is relevant", metadata: metadata(kind.name, error))
      }
      return .failure(error)
    }
  }

  private func send(_ said: [(name: String, shortcuts: [RelevantShortcut])]) async throws {
    let (set, own) = (connection.relevantShortcuts, provider)
    // The host's own client has registered the kinds that the shortcuts name.
    let (count, warnings) = try await connection.inOrder { _ in try await set.set(said, with: own) }.value
    for warning in warnings { logger.notice("\(warning.message)", metadata: ["warning": "\(warning.code)"]) }
    guard count > 0 else { return }
    let reason = Refusal.over(
      limit: "shortcut-count-max", maximum: Limits.standard.shortcutCountMax,
      count: Limits.standard.shortcutCountMax + count)
    logger.warning("the least important of what is relevant is left out", metadata: ["error": "\(reason)"])
  }

  /// Tells of each kind alone, so that what is wrong with one leaves the others.
  private func sendEach(_ said: [(name: String, shortcuts: [RelevantShortcut])]) async {
    for kind in said {
      do {
        try await send([kind])
      } catch {
        logger.warning("what a kind says of its relevance is refused", metadata: metadata(kind.name, error))
      }
    }
  }

  private func metadata(_ kind: String, _ error: any Error) -> Logger.Metadata {
    ["kind": "\(kind)", "error": "\(error)"]
  }
}
