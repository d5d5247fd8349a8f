import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import Synchronization

/// The streams of widget events of all devices, with one timer for the reports of all of them (rule W7).
final class WidgetEventHub: Sendable {
  /// A message to the loop that keeps the time.
  private enum TimeMessage {
    /// The instant of the alarm is reached.
    case due
    /// The next report of a watcher has changed.
    case changed(WidgetEventWatcher)
  }

  /// The maximum number of streams of one app on one device. The device's shard notes every change in each of them.
  static let streamCountMax = 8

  private let clock: any WallClock
  private let times = UnboundedQueue<TimeMessage>()
  private let watchers = Mutex<[DeviceID: [WidgetEventWatcher]]>([:])
  /// The number of watched devices, which is read for every event of every device.
  private let deviceCount = Atomic(0)

  /// Creates a hub whose reports are timed by `clock`.
  init(clock: any WallClock) {
    self.clock = clock
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
    times.add(.changed(watcher))
  }

  /// Notes a change of a device's widgets, or a tap. Called on the device's shard.
  func note(_ observation: WidgetObservation, on device: DeviceID) {
    let now = clock.now
    for watcher in watchers.withLock({ $0[device] ?? [] }) where watcher.note(observation, at: now) {
      times.add(.changed(watcher))
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
    if events.isEmpty, hasNextReport { times.add(.changed(watcher)) }
    return events
  }

  /// Wakes watchers when their reports are due, until the task is cancelled.
  func run() async {
    var wakes = WakeQueue<WidgetEventWatcher>()
    var alarm = Alarm(clock) { [times] in times.add(.due) }
    defer { alarm.clear() }
    for await message in times.elements {
      switch message {
      case .due: alarm.clear()
      // The present value, because messages can arrive in another order than the changes.
      case .changed(let watcher): wakes.set(watcher, to: watcher.nextReport)
      }
      for (watcher, _) in wakes.dequeueDue(at: clock.now, atMost: .max) { watcher.wake() }
      alarm.set(to: wakes.first())
    }
  }
}
