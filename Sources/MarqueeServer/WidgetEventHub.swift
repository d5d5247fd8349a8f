import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import Synchronization

/// The streams of widget events of all devices, with one timer for the reports of all of them (rule W7).
final class WidgetEventHub: Sendable {
  /// The maximum number of streams of one app on one device. The device's shard notes every change in each of them.
  static let streamCountMax = 8

  private let clock: any WallClock
  private let timer: WakeTimer<WidgetEventWatcher>
  private let watchers = Mutex<[DeviceID: [WidgetEventWatcher]]>([:])
  /// The number of watched devices, which is read for every event of every device.
  private let deviceCount = Atomic(0)

  /// Creates a hub whose reports are timed by `clock`.
  init(clock: any WallClock) {
    self.clock = clock
    timer = WakeTimer(clock: clock)
  }

  /// Whether a stream watches widgets of the device. Thread-safe.
  func isWatched(_ device: DeviceID) -> Bool {
    deviceCount.load(ordering: .acquiring) > 0 && watchers.withLock { $0[device] != nil }
  }

  /// Sends a watcher the placed widgets of a device, and subscribes it to the changes.
  ///
  /// Called on the device's shard, so that no change is lost or duplicated.
  ///
  /// - Throws: `RESOURCE_EXHAUSTED` if the app has too many streams on the device.
  func add(_ watcher: WidgetEventWatcher, observing device: Device) throws(RPCStatus) {
    try watchers.withLock { (all) throws(RPCStatus) in
      let count = (all[device.id] ?? []).count { $0.app == watcher.app }
      guard count < Self.streamCountMax else {
        throw RPCStatus(
          .resourceExhausted,
          "too many streams of widget events (widget-event-stream-count-max: \(Self.streamCountMax))")
      }
      all[device.id, default: []].append(watcher)
      deviceCount.store(all.count, ordering: .releasing)
    }
    watcher.begin(with: device.observation(), at: clock.now)
  }

  func remove(_ watcher: WidgetEventWatcher, of device: DeviceID) {
    watchers.withLock { all in
      all[device]?.removeAll { $0 === watcher }
      if all[device]?.isEmpty == true { all[device] = nil }
      deviceCount.store(all.count, ordering: .releasing)
    }
    watcher.end()
    timer.set(watcher, to: watcher.nextReport)
  }

  /// Notes a change of a device's widgets, or a tap. Called on the device's shard.
  func note(_ observation: WidgetObservation, on device: DeviceID) {
    let now = clock.now
    for watcher in watchers.withLock({ $0[device] ?? [] }) where watcher.note(observation, at: now) {
      timer.set(watcher, to: watcher.nextReport)
    }
  }

  /// Notes a tap on a widget outside stacks. Called on the device's shard.
  func note(tap: WidgetEvent, on device: DeviceID) {
    for watcher in watchers.withLock({ $0[device] ?? [] }) { watcher.note(tap) }
  }

  /// Dequeues the next events of a watcher; none if there is nothing to send now.
  func dequeue(_ watcher: WidgetEventWatcher) -> [WidgetEvent] {
    let (events, hasNextReport) = watcher.dequeue(at: clock.now)
    // Also if it has not changed, in case the clock was set back after the watcher was woken.
    if events.isEmpty, hasNextReport { timer.set(watcher, to: watcher.nextReport) }
    return events
  }

  /// Wakes watchers when their reports are due, until the task is cancelled.
  func run() async { await timer.run { $0.wake() } }
}
