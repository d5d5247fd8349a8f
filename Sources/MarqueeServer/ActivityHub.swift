import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeWire
import Synchronization

/// The streams of the changes of devices.
///
/// Changes are noted on the devices' shards, or by the handlers of providers. Without a stream, a change costs one
/// atomic load.
final class ActivityHub: Sendable {
  private let watchers = Mutex<[ActivityWatcher]>([])
  /// The number of watchers.
  private let count = Atomic(0)

  /// Adds a watcher, which receives every later change.
  func add(_ watcher: ActivityWatcher) {
    watchers.withLock { watchers in
      watchers.append(watcher)
      count.store(watchers.count, ordering: .releasing)
    }
  }

  func remove(_ watcher: ActivityWatcher) {
    watchers.withLock { watchers in
      watchers.removeAll { $0 === watcher }
      count.store(watchers.count, ordering: .releasing)
    }
  }

  /// Offers the changes that some actions make. Called on the device's shard.
  func note(_ actions: [Action], of device: DeviceID) {
    let interested = interested(in: device)
    guard !interested.isEmpty else { return }
    for action in actions {
      for change in Activity.Change.changes(by: action) { offer(change, of: device, at: action.at, to: interested) }
    }
  }

  /// Offers a change of a device.
  func note(_ change: @autoclosure () -> Activity.Change, of device: DeviceID, at instant: @autoclosure () -> Instant) {
    let interested = interested(in: device)
    if !interested.isEmpty { offer(change(), of: device, at: instant(), to: interested) }
  }

  private func interested(in device: DeviceID) -> [ActivityWatcher] {
    guard count.load(ordering: .acquiring) > 0 else { return [] }
    return watchers.withLock { $0.filter { $0.watches(device) } }
  }

  /// Offers a change, which is encoded once for all watchers.
  private func offer(
    _ change: Activity.Change, of device: DeviceID, at instant: Instant, to watchers: [ActivityWatcher]
  ) {
    let encoded = WatchActivityResponse.activity(Activity(device: device, at: instant, change)).encoded
    for watcher in watchers { watcher.offer(encoded) }
  }
}

/// A stream of the changes of some or all devices.
///
/// Changes wait in a bounded queue. When it is full, they are dropped and counted, and the client receives the count.
final class ActivityWatcher: Sendable {
  private struct State {
    var waiting: [[UInt8]] = []
    var size = 0
    var missedCount: UInt64 = 0
  }

  /// The maximum size of the waiting changes, in bytes.
  static let waitingSizeMax = 262_144
  /// The size counted for a change in addition to its bytes.
  private static let changeSize = 64

  private let devices: Set<DeviceID>
  private let state = Mutex(State())
  /// Yields when changes wait; unread signals coalesce.
  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  /// Creates a watcher of some devices, or of all devices if there are none.
  init(_ devices: [DeviceID]) {
    self.devices = Set(devices)
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func watches(_ device: DeviceID) -> Bool { devices.isEmpty || devices.contains(device) }

  /// Enqueues an encoded change, or counts it as missed.
  func offer(_ encoded: [UInt8]) {
    state.withLock { state in
      // Once a change was missed, further ones are missed until the client has read those before it.
      guard state.missedCount == 0, state.size + encoded.count + Self.changeSize <= Self.waitingSizeMax else {
        state.missedCount += 1
        return
      }
      state.waiting.append(encoded)
      state.size += encoded.count + Self.changeSize
    }
    signal.yield()
  }

  /// Enqueues a message of another node's stream.
  func offer(_ response: WatchActivityResponse) {
    switch response {
    case .activity: offer(response.encoded)
    case .missed(let count):
      state.withLock { $0.missedCount += count }
      signal.yield()
    case .started, .heartbeat: break
    }
  }

  /// Dequeues all waiting changes, followed by the number of changes that were missed after them.
  func dequeue() -> [[UInt8]] {
    state.withLock { state in
      defer { state = State() }
      guard state.missedCount > 0 else { return state.waiting }
      return state.waiting + [WatchActivityResponse.missed(state.missedCount).encoded]
    }
  }
}

extension Activity.Change {
  /// Returns the changes that an action makes: none if it concerns content only.
  fileprivate static func changes(by action: Action) -> [Activity.Change] {
    func decided(_ decision: Decision) -> Activity.Change {
      .decision(
        DecisionActivity(
          number: decision.number, kind: decision.kind, stack: decision.stack, widget: decision.to,
          reason: decision.explanation.summary(name: action.name), explanation: decision.explanation.ofReason,
          name: action.name(of: decision.to)))
    }
    return switch action.order {
    case .rotate(let decision, _): [decided(decision)]
    case .suggest(let decision, let stack): [.stack(stack), decided(decision)]
    case .withdraw(let stack, _, _), .updateStack(let stack): [.stack(stack)]
    case .scroll(let stack, let widget, _): [.scroll(ScrollActivity(stack: stack, widget: widget))]
    case .removeStack(let stack): [.removedStack(stack)]
    case .addHomeWidget, .removeHomeWidget, .refresh, .requestReload, .performFocusFilter: []
    }
  }
}

extension WatchActivityResponse {
  /// The message in its wire encoding.
  var encoded: [UInt8] {
    var buffer = EncodeBuffer()
    AdminService.watchActivity.response.encode(self, &buffer)
    return buffer.bytes
  }
}
