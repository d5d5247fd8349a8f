import MarqueeModel
import Synchronization

/// Performs an app's Focus filters, one of each intent type at a time (rule S11).
///
/// It outlasts the streams that deliver the filters: a performance continues after a reconnection, and the next one of
/// its type waits for it, so that an earlier one never overwrites a later one. Of the states of a type that wait, only
/// the latest is kept.
final class FocusFilterPerformer: Sendable {
  /// The maximum number of types whose last performance is remembered: the default of `intent-type-count-max`.
  static let typeCountMax = 64

  /// The performances of one type.
  private struct Sequence {
    /// The performance in progress, and the following ones.
    var task: Task<Void, Never>?
    /// The latest state that was received since the performance in progress began.
    var waiting: FocusFilterState?
    /// The state that was performed last; `nil` if that failed.
    var performed: FocusFilterState?

    /// Whether the app has performed the values before, so that they need not be performed after a reconnection.
    func isRepeat(_ state: FocusFilterState) -> Bool {
      state.isInitial && (performed?.performsSameValues(as: state) ?? false)
    }
  }

  private struct State {
    var sequences: [IntentType: Sequence] = [:]
    var isStopped = false
  }

  private let handler: any QueryHandler
  private let state = Mutex(State())

  init(_ handler: any QueryHandler) { self.handler = handler }

  /// Performs a state after the performances of its type that have begun.
  func deliver(_ filter: FocusFilterState) {
    let type = filter.intentType
    state.withLock { state in
      guard !state.isStopped else { return }
      makeRoom(for: type, in: &state)
      var sequence = state.sequences[type] ?? Sequence()
      sequence.waiting = filter
      // The task begins by taking the waiting state, which the lock delays.
      if sequence.task == nil { sequence.task = Task { await performAll(type) } }
      state.sequences[type] = sequence
    }
  }

  /// Cancels the performances in progress, and performs nothing more.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      for sequence in state.sequences.values { sequence.task?.cancel() }
      state.sequences = [:]
    }
  }

  private func makeRoom(for type: IntentType, in state: inout State) {
    guard state.sequences[type] == nil, state.sequences.count >= Self.typeCountMax else { return }
    state.sequences = state.sequences.filter { $0.value.task != nil }
  }

  private func performAll(_ type: IntentType) async {
    while let filter = dequeue(type) {
      let performed: FocusFilterState?
      do {
        try await handler.performFocusFilter(filter)
        performed = filter
      } catch {
        // The handler reports its errors. The state is performed again when a stream is attached.
        performed = nil
      }
      state.withLock { $0.sequences[type]?.performed = performed }
    }
  }

  /// Returns the state to perform next, or ends the task of the type.
  private func dequeue(_ type: IntentType) -> FocusFilterState? {
    state.withLock { state in
      let next = state.sequences[type]?.waiting
      state.sequences[type]?.waiting = nil
      if let next, !(state.sequences[type]?.isRepeat(next) ?? true) { return next }
      state.sequences[type]?.task = nil
      return nil
    }
  }
}
