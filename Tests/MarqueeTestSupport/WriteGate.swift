import Synchronization

/// A gate at which writes wait while it is closed.
package final class WriteGate: Sendable {
  private struct State {
    var isOpen = true
    var waiting: CheckedContinuation<Void, Never>?
    var watcher: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Creates an open gate.
  package init() {}

  package func close() { state.withLock { $0.isOpen = false } }

  package func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      return state.waiting.take()
    }
    waiting?.resume()
  }

  /// Returns once the gate is open.
  package func pass() async {
    await withCheckedContinuation { continuation in
      let (ready, watcher) = state.withLock { state in
        if state.isOpen { return (true, CheckedContinuation<Void, Never>?.none) }
        state.waiting = continuation
        return (false, state.watcher.take())
      }
      watcher?.resume()
      if ready { continuation.resume() }
    }
  }

  /// Returns once a write is waiting.
  package func waitForArrival() async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.waiting == nil { state.watcher = continuation }
        return state.waiting != nil
      }
      if isReady { continuation.resume() }
    }
  }
}
