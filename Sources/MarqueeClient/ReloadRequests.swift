public import MarqueeModel
import Synchronization

/// Reload requests of one provider, in the order in which they came. See ``ProviderClient/reloadRequests``.
///
/// One task reads it at a time.
public struct ReloadRequests: AsyncSequence, Sendable {
  public typealias Failure = Never

  /// Requests that wait to be read; over it, the oldest is forgotten.
  public static let requestCountMax = 1_024

  private final class Mailbox: Sendable {
    struct State {
      var waiting: [ReloadRequest] = []
      var reader: CheckedContinuation<ReloadRequest?, Never>?
      var isFinished = false
    }

    let state = Mutex(State())
  }

  private let mailbox = Mailbox()

  init() {}

  /// Reads the requests that wait, then those to come.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(requests: self) }

  /// Reads requests.
  public struct AsyncIterator: AsyncIteratorProtocol {
    public typealias Failure = Never

    let requests: ReloadRequests

    /// The next request; `nil` when the provider has stopped or the task is cancelled.
    public mutating func next() async -> ReloadRequest? { await requests.next() }

    /// The next request, as ``next()``; where the reader runs makes no difference.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> ReloadRequest? { await requests.next() }
  }

  func deliver(_ request: ReloadRequest) {
    let reader = mailbox.state.withLock { state in
      guard let reader = state.reader else {
        state.waiting.removeAll { $0.widget == request.widget }
        if state.waiting.count == Self.requestCountMax { state.waiting.removeFirst() }
        state.waiting.append(request)
        return CheckedContinuation<ReloadRequest?, Never>?.none
      }
      state.reader = nil
      return reader
    }
    reader?.resume(returning: request)
  }

  func finish() {
    mailbox.state.withLock { $0.isFinished = true }
    releaseReader()
  }

  private func next() async -> ReloadRequest? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let answer = mailbox.state.withLock { state -> ReloadRequest?? in
          if !state.waiting.isEmpty { return state.waiting.removeFirst() }
          if state.isFinished || Task.isCancelled { return .some(nil) }
          precondition(state.reader == nil, "two tasks read one provider's reload requests")
          state.reader = reader
          return .none
        }
        if let answer { reader.resume(returning: answer) }
      }
    } onCancel: {
      releaseReader()
    }
  }

  private func releaseReader() {
    let reader = mailbox.state.withLock { state in
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: nil)
  }
}
