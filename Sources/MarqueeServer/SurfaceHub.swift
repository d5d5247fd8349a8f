import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeWire
import Synchronization

/// The watched surfaces of all devices, and the computation of their lists.
///
/// A list is computed when a watcher is added, after every event that affects surfaces, and at the next instant at
/// which time alone can change it: once for all displays that watch the surface, off the device's shard, and at most
/// once in ``pause``. For a surface without watchers, nothing is computed.
final class SurfaceHub: Sendable {
  /// The maximum number of lists that are computed at once.
  ///
  /// It bounds the requests in the shards' queues, also at the steps of predictions, which are the same for all
  /// surfaces. A device that is relearning delays the surfaces in the same queue.
  static let queueCount = 16
  /// The minimum time between two computations of a surface, so that a busy device is not copied for every event.
  static let pause = Duration.milliseconds(100)
  /// The maximum number of times that the pause is doubled while a device's shard is too busy to be read.
  private static let doublingCountMax = 5

  private struct State {
    var surfaces: [DeviceID: [WatchedSurface]] = [:]
    var addedCount = 0
  }

  private let sleep: @Sendable (Duration) async throws -> Void
  private let queues = (0..<SurfaceHub.queueCount).map { _ in UnboundedQueue<WatchedSurface>() }
  /// The instants at which time alone can change lists.
  private let timer: WakeTimer<WatchedSurface>
  private let state = Mutex(State())

  /// Creates a hub for devices whose time is that of `clock`. Its pauses are in real time.
  init(clock: any WallClock, sleep: @escaping @Sendable (Duration) async throws -> Void) {
    timer = WakeTimer(clock: clock)
    self.sleep = sleep
  }

  // MARK: Watchers

  /// Adds a watcher of a surface. It receives the present list, and a list whenever it may have changed.
  ///
  /// - Returns: The surface, from which the watcher must be removed.
  func add(_ watcher: SurfaceWatcher, of surface: SuggestionSurface, on device: DeviceID) -> WatchedSurface {
    let watched = state.withLock { state in
      let present = state.surfaces[device]?.first { $0.surface == surface }
      let watched = present ?? WatchedSurface(surface, on: device, queueIndex: state.addedCount % Self.queueCount)
      if present == nil {
        state.addedCount += 1
        state.surfaces[device, default: []].append(watched)
      }
      watched.add(watcher)
      return watched
    }
    recompute(watched)
    return watched
  }

  /// Removes watchers from a surface.
  func remove(_ watchers: [SurfaceWatcher], from surface: WatchedSurface) {
    let isUnwatched = state.withLock { state in
      surface.remove(watchers)
      guard surface.isUnwatched else { return false }
      state.surfaces[surface.device]?.removeAll { $0 === surface }
      if state.surfaces[surface.device]?.isEmpty == true { state.surfaces[surface.device] = nil }
      return true
    }
    if isUnwatched { timer.set(surface, to: nil) }
  }

  /// Schedules a recomputation of the lists of a device's watched surfaces.
  func recompute(_ device: DeviceID) {
    guard let surfaces = state.withLock({ $0.surfaces[device] }) else { return }
    for surface in surfaces { recompute(surface) }
  }

  private func recompute(_ surface: WatchedSurface) {
    if surface.noteChange() { queues[surface.queueIndex].add(surface) }
  }

  // MARK: Computation

  /// Computes lists until the task is cancelled, all in child tasks of the current one.
  func run(_ runtime: Runtime) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.timer.run(self.recompute) }
      for queue in queues { group.addTask { await self.computeLists(queue, runtime) } }
    }
  }

  private func computeLists(_ queue: UnboundedQueue<WatchedSurface>, _ runtime: Runtime) async {
    await withDiscardingTaskGroup { group in
      for await surface in queue.elements {
        let pause = await computeList(surface, runtime)
        group.addTask { [sleep] in
          // Sleeping throws only when the task is cancelled, after which nothing is computed.
          guard (try? await sleep(pause)) != nil else { return }
          if surface.end() { queue.add(surface) }
        }
      }
    }
  }

  /// Computes the list of a surface, and offers it to its watchers.
  ///
  /// - Returns: The time before the next computation.
  private func computeList(_ surface: WatchedSurface, _ runtime: Runtime) async -> Duration {
    let watchers = surface.begin()
    guard let countMax = watchers.map(\.count).max() else { return Self.pause }
    do {
      let device = try await runtime.read(surface.device) { $0 }
      let list = WatchSurfaceResponse(surface.surface, on: device, count: countMax)
      surface.noteSuccess()
      offer(list, to: watchers)
      // After the last watcher has left, nothing would remove the time.
      state.withLock { _ in
        if !surface.isUnwatched { timer.set(surface, to: list.nextChange) }
      }
    } catch let error as RuntimeError where error.code == .overloaded {
      return Self.pause * (1 << min(surface.noteRejection(), Self.doublingCountMax))
    } catch {
      // Watchers that were added meanwhile are not affected: the surface is stale, and read again for them.
      remove(watchers, from: surface)
      for watcher in watchers { watcher.end(error) }
    }
    return Self.pause
  }

  /// Offers a list to watchers, encoded once for all that receive the same number of suggestions.
  private func offer(_ response: WatchSurfaceResponse, to watchers: [SurfaceWatcher]) {
    var lists: [Int: SurfaceList] = [:]
    for watcher in watchers {
      let list = lists[watcher.count] ?? SurfaceList(response.limited(to: watcher.count))
      lists[watcher.count] = list
      watcher.offer(list)
    }
  }
}
