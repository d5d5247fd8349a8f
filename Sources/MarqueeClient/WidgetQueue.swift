import MarqueeModel
import Synchronization

/// What a server tells one provider of its widgets, in the order in which it came: see
/// ``ProviderClient/reloadRequests`` and ``ProviderClient/placedWidgets``.
///
/// Of what is told of one widget before it was read, the latest stays. One task reads it at a time.
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
  private let widget: @Sendable (Element) -> Widget

  init(_ widget: @escaping @Sendable (Element) -> Widget) {
    self.widget = widget
  }

  /// Reads what waits, then what is to come.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue: self) }

  /// Reads what a queue holds.
  public struct AsyncIterator: AsyncIteratorProtocol {
    public typealias Failure = Never

    let queue: WidgetQueue

    /// The next element; `nil` when the provider has stopped or the task is cancelled.
    public mutating func next() async -> Element? { await queue.next() }

    /// The next element, as ``next()``; where the reader runs makes no difference.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await queue.next() }
  }

  func deliver(_ element: Element) {
    let reader = mailbox.state.withLock { state in
      guard let reader = state.reader else {
        state.waiting.removeAll { widget($0) == widget(element) }
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
          precondition(state.reader == nil, "two tasks read one queue")
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

/// Elements of a ``WidgetQueue`` that wait to be read; over it, the oldest is forgotten.
private let widgetQueueCountMax = 1_024
