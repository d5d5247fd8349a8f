import MarqueeModel
import Synchronization

/// A surface that displays watch: its watchers, and the progress of its next list.
final class WatchedSurface: Sendable {
  /// The progress of the next list.
  private enum Progress {
    /// Nothing has changed since the last list.
    case idle
    /// It waits in a queue.
    case queued
    /// It is computed, or the pause after it has not passed.
    case busy
    /// The same, and the list may have changed since its computation began.
    case stale
  }

  private struct State {
    var watchers: [SurfaceWatcher] = []
    var progress = Progress.idle
    /// The number of computations since the last one that was not rejected.
    var rejectionCount = 0
  }

  let surface: SuggestionSurface
  let device: DeviceID
  /// The index of the queue in which it waits.
  let queueIndex: Int
  private let state = Mutex(State())

  init(_ surface: SuggestionSurface, on device: DeviceID, queueIndex: Int) {
    self.surface = surface
    self.device = device
    self.queueIndex = queueIndex
  }

  /// Whether no display watches the surface.
  var isUnwatched: Bool { state.withLock(\.watchers.isEmpty) }

  func add(_ watcher: SurfaceWatcher) {
    state.withLock { $0.watchers.append(watcher) }
  }

  func remove(_ watchers: [SurfaceWatcher]) {
    state.withLock { $0.watchers.removeAll { watcher in watchers.contains { $0 === watcher } } }
  }

  /// Notes that the list may have changed.
  ///
  /// - Returns: Whether the surface must be queued.
  func noteChange() -> Bool {
    state.withLock { state in
      switch state.progress {
      case .idle:
        state.progress = .queued
        return true
      case .busy:
        state.progress = .stale
        return false
      case .queued, .stale: return false
      }
    }
  }

  /// Begins the computation of a list.
  ///
  /// - Returns: The watchers, whose lists must include all changes until now.
  func begin() -> [SurfaceWatcher] {
    state.withLock { state in
      state.progress = .busy
      return state.watchers
    }
  }

  /// Notes that a list was computed.
  func noteSuccess() { state.withLock { $0.rejectionCount = 0 } }

  /// Notes that the computation was rejected and must be repeated.
  ///
  /// - Returns: The number of consecutive rejections before.
  func noteRejection() -> Int {
    state.withLock { state in
      state.progress = .stale
      state.rejectionCount += 1
      return state.rejectionCount - 1
    }
  }

  /// Ends the pause after a computation.
  ///
  /// - Returns: Whether the surface must be queued again.
  func end() -> Bool {
    state.withLock { state in
      let isStale = state.progress == .stale
      state.progress = isStale ? .queued : .idle
      return isStale
    }
  }
}

/// Surfaces are compared by identity: one that is watched again after its last watcher was removed is another one.
extension WatchedSurface: Hashable {
  static func == (left: WatchedSurface, right: WatchedSurface) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A display's watch of one surface.
final class SurfaceWatcher: Sendable {
  /// The maximum number of suggestions in its lists.
  let count: Int
  /// The lists, of which only the latest waits to be read. Throws when the surface cannot be read.
  let lists: AsyncThrowingStream<SurfaceList, any Error>
  private let continuation: AsyncThrowingStream<SurfaceList, any Error>.Continuation

  init(count: Int) {
    self.count = count
    (lists, continuation) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func offer(_ list: SurfaceList) { continuation.yield(list) }

  func end(_ error: any Error) { continuation.finish(throwing: error) }
}
