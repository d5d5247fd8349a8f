import MarqueeModel
import Synchronization

/// A provider's events about widgets, in order: see ``ProviderClient/reloadRequests`` and
/// ``ProviderClient/placedWidgets``.
///
/// Of several unread events about one widget in one family, only the latest is kept. One task reads at a time.
public struct WidgetQueue<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = Never

  private final class Mailbox: Sendable {
    struct State {
      var waiting: [Element] = []
      var reader: CheckedContinuation<Element?, Never>?
      var isFinished = false
    }

    let state = Mutex(State())
  }

  private let mailbox = Mailbox()
  private let instance: @Sendable (Element) -> WidgetInstance

  init(_ instance: @escaping @Sendable (Element) -> WidgetInstance) {
    self.instance = instance
  }

  /// Returns an iterator over the unread and future elements.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: self) }

  /// The iterator of a queue.
  public struct AsyncIterator: AsyncIteratorProtocol {
    public typealias Failure = Never

    let queue: WidgetQueue

    /// Returns the next element, or `nil` if the provider has stopped or the task is cancelled.
    public mutating func next() async -> Element? { await queue.next() }

    /// Returns the next element, as ``next()`` does; the isolation is ignored.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await queue.next() }
  }

  func deliver(_ element: Element) {
    let reader = mailbox.state.withLock { state in
      guard let reader = state.reader else {
        state.waiting.removeAll { instance($0) == instance(element) }
        if state.waiting.count == widgetQueueCountMax { state.waiting.removeFirst() }
        state.waiting.append(element)
        return CheckedContinuation<Element?, Never>?.none
      }
      state.reader = nil
      return reader
    }
    reader?.resume(returning: element)
  }

  func finish() {
    mailbox.state.withLock { $0.isFinished = true }
    releaseReader()
  }

  private func next() async -> Element? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let answer = mailbox.state.withLock { state -> Element?? in
          if !state.waiting.isEmpty { return state.waiting.removeFirst() }
          if state.isFinished || Task.isCancelled { return .some(nil) }
          precondition(state.reader == nil, "two tasks are reading one queue")
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

/// The maximum number of unread elements of a ``WidgetQueue``; beyond it, the oldest is dropped.
private let widgetQueueCountMax = 1_024
