import MarqueeModel
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The states of Focus filters that a provider's query stream has not been sent yet: the latest of each intent type
/// (rule S11).
///
/// They are sent as fast as the provider reads, so that they need no backlog: a provider that reads slowly receives
/// only the latest state of each type. A stream sends states only while it is the app's most recently attached one, and
/// keeps the latest ones for the time when it is so again.
final class FocusFilterQueue: Sendable {
  private struct State {
    /// The states, those that changed last at the end, at most one of each intent type. One with values is in force,
    /// since the end of the Focus and the removal of the filter or its type replace it.
    var pending: [FocusFilterState] = []
    var isLatestStream = false
  }

  private let state = Mutex(State())
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init() {
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds states, which replace earlier ones of the same types.
  func add(_ states: [FocusFilterState]) {
    guard !states.isEmpty else { return }
    state.withLock { state in
      for added in states {
        state.pending.removeAll { $0.intentType == added.intentType }
        state.pending.append(added)
      }
    }
    signal.yield()
  }

  /// Notes whether the stream is the app's most recently attached one.
  func setLatestStream(_ isLatest: Bool) {
    state.withLock { $0.isLatestStream = isLatest }
    if isLatest { signal.yield() }
  }

  /// Sends states until the stream ends or the task is cancelled. It can be called once.
  func send(on writer: ResponseWriter<ProviderQuery>) async throws {
    for await _ in signals {
      while let next = dequeue() { try await writer.send(.focusFilter(next)) }
    }
  }

  /// Dequeues the next state; `nil` if nothing waits, or the stream is not the latest one.
  func dequeue() -> FocusFilterState? {
    state.withLock { state in
      state.isLatestStream && !state.pending.isEmpty ? state.pending.removeFirst() : nil
    }
  }
}
