import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The watching displays by device. The shard that owns a device broadcasts its updates in order.
final class DisplayHub: Sendable {
  private let watchers = Mutex<[DeviceID: Watchers]>([:])

  /// The watchers of one device, with removal in constant time: when a connection with many watches closes, all of them
  /// are removed under the lock that broadcasts need.
  private struct Watchers {
    private(set) var all: [DisplayWatcher] = []
    private var places: [ObjectIdentifier: Int] = [:]

    mutating func add(_ watcher: DisplayWatcher) {
      places[ObjectIdentifier(watcher)] = all.count
      all.append(watcher)
    }

    /// Removes a watcher by moving the last one into its place.
    mutating func remove(_ watcher: DisplayWatcher) {
      guard let place = places.removeValue(forKey: ObjectIdentifier(watcher)) else { return }
      let last = all.removeLast()
      guard place < all.count else { return }
      all[place] = last
      places[ObjectIdentifier(last)] = place
    }
  }

  /// Sends a watcher the state of a device and subscribes it to the changes.
  ///
  /// Called on the device's shard, so that no change is lost or duplicated between the state and the changes (rule U3).
  func add(_ watcher: DisplayWatcher, following device: Device) {
    watcher.begin(with: device)
    watchers.withLock { $0[device.id, default: Watchers()].add(watcher) }
  }

  func remove(_ watcher: DisplayWatcher, of device: DeviceID) {
    watchers.withLock { all in
      all[device]?.remove(watcher)
      if all[device]?.all.isEmpty == true { all[device] = nil }
    }
  }

  /// Sends the updates of some actions to the device's watchers. Each update is encoded once for all of them, and a
  /// private entry once more for all screens that others can read (rule W5).
  func broadcast(_ actions: [Action], of device: DeviceID) {
    guard let watchers = watchers.withLock({ $0[device]?.all }) else { return }
    for action in actions {
      guard let update = DisplayUpdate(action) else { continue }
      let hasRedactedForm = update.isPrivate
      var (encoded, redacted): ([UInt8]?, [UInt8]?)
      for watcher in watchers where watcher.concerns(update) {
        if hasRedactedForm, watcher.screen.isReadableByOthers {
          let bytes = redacted ?? update.on(watcher.screen).encoded
          redacted = bytes
          watcher.offer(bytes)
        } else {
          let bytes = encoded ?? update.encoded
          encoded = bytes
          watcher.offer(bytes)
        }
        #if MUTATION_SINGLE_WATCHER
          break
        #endif
      }
    }
  }
}

/// A display's watch of one device.
final class DisplayWatcher: Sendable {
  /// The maximum size of the entries in the first update, in bytes. It is encoded on the device's shard, whose other
  /// devices wait. Further entries follow in updates of their own, once the display has read the previous ones.
  private static let stateSizeMax = 131_072
  /// The minimum size of a batch of pending entries, in bytes. The next batch follows once the previous one is sent.
  private static let pendingSizeMax = 65_536

  /// The widgets that the display shows, each in its family (rule W1).
  private struct Shown {
    var members: [StackID: Set<WidgetInstance>] = [:]
    /// The widgets outside stacks.
    var homeWidgets: Set<WidgetInstance> = []

    func contains(_ widget: WidgetInstance) -> Bool {
      homeWidgets.contains(widget) || members.values.contains { $0.contains(widget) }
    }
  }

  private let writer: ResponseWriter<DisplayUpdate>
  /// The watched stacks; empty for all, and for the widgets outside stacks.
  private let scope: Set<StackID>
  /// The state of the display's screen, on which everything that the watch sends depends (rule W5).
  let screen: ScreenState
  private let shown = Mutex(Shown())
  /// The widgets whose entries of the initial state are still to be sent, in reverse order. Each is sent with the entry
  /// that is current by then.
  private let pending = Mutex<[WidgetInstance]>([])
  /// Yields the status with which the server ends the watch, if it does.
  let end: AsyncStream<RPCStatus>
  private let endContinuation: AsyncStream<RPCStatus>.Continuation

  init(_ writer: ResponseWriter<DisplayUpdate>, _ request: WatchRequest) {
    self.writer = writer
    scope = Set(request.stacks)
    screen = request.screen
    (end, endContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Enqueues an update. If the display does not keep up with the updates after the initial state, its watch ends; it
  /// receives the full state when it watches again.
  func offer(_ encoded: [UInt8], isInitial: Bool = false) {
    guard !writer.offer(encoded: encoded, isInitial: isInitial) else { return }
    endContinuation.yield(
      RPCStatus(
        .resourceExhausted,
        "too many unsent bytes (stream-backlog-size-max): the display does not keep up; watch again"))
    endContinuation.finish()
  }

  /// Sends the stacks and the widgets outside stacks with the entries that fit into one update, those of the visible
  /// widgets first, and schedules the others.
  func begin(with device: Device) {
    let stacks = device.allStacks.filter { isInScope($0.id) }
    let homeWidgets = scope.isEmpty ? device.homeWidgets : []
    shown.withLock {
      $0.members = Dictionary(uniqueKeysWithValues: stacks.map { ($0.id, Set($0.instances)) })
      $0.homeWidgets = Set(homeWidgets)
    }
    var (first, later): ([CurrentEntry], [WidgetInstance]) = ([], [])
    var size = 0
    var seen: Set<WidgetInstance> = []
    let widgets = stacks.compactMap(\.frontInstance) + homeWidgets + stacks.flatMap(\.instances)
    for widget in widgets where seen.insert(widget).inserted {
      let current = currentEntry(of: widget, on: device)
      guard current.entry != nil else { continue }
      size += current.size
      if size <= Self.stateSizeMax { first.append(current) } else { later.append(widget) }
    }
    pending.withLock { $0 = later.reversed() }
    let state = DeviceState(
      device: device.id, timeZone: device.timeZone, stacks: stacks, entries: first, homeWidgets: homeWidgets)
    offer(DisplayUpdate(at: device.now, .state(state)).encoded, isInitial: true)
  }

  private func currentEntry(of widget: WidgetInstance, on device: Device) -> CurrentEntry {
    CurrentEntry(widget, showing: device.shownEntry(of: widget.widget, in: widget.family)?.on(screen))
  }

  /// Whether entries of the initial state are still to be sent.
  var hasPendingEntries: Bool { pending.withLock { !$0.isEmpty } }

  /// Sends the next batch of pending entries with their current values.
  ///
  /// Called on the device's shard, so that no change happens between reading and sending an entry.
  func offerPendingEntries(of device: Device) {
    var size = 0
    while size < Self.pendingSizeMax, let widget = pending.withLock({ $0.popLast() }) {
      guard shown.withLock({ $0.contains(widget) }) else { continue }
      let current = currentEntry(of: widget, on: device)
      size += current.size
      offer(DisplayUpdate(at: device.now, .entry(current)).encoded, isInitial: true)
    }
  }

  /// Returns whether an update is about a watched stack or widget. Must be called for each update exactly once, in
  /// order, since it tracks the widgets that the display shows.
  func concerns(_ update: DisplayUpdate) -> Bool {
    switch update.change {
    case .state: true
    case .front(let front): isInScope(front.stack)
    case .stack(let stack):
      isInScope(stack.id)
        && shown.withLock {
          $0.members[stack.id] = Set(stack.instances)
          return true
        }
    case .removed(let stack): shown.withLock { $0.members.removeValue(forKey: stack) != nil }
    case .entry(let entry): shown.withLock { $0.contains(entry.instance) }
    case .homeWidgetAdded(let widget): scope.isEmpty && shown.withLock { $0.homeWidgets.insert(widget).inserted }
    case .homeWidgetRemoved(let widget): shown.withLock { $0.homeWidgets.remove(widget) != nil }
    }
  }

  private func isInScope(_ stack: StackID) -> Bool { scope.isEmpty || scope.contains(stack) }
}

extension Stack {
  /// The members in the stack's family, in order.
  fileprivate var instances: [WidgetInstance] { members.map { WidgetInstance($0, in: family) } }

  /// The widget in front in the stack's family.
  fileprivate var frontInstance: WidgetInstance? { frontWidget.map { WidgetInstance($0, in: family) } }
}

extension CurrentEntry {
  fileprivate var isPrivate: Bool { entry?.details.isPrivate ?? false }

  /// The approximate size in an update, in bytes.
  fileprivate var size: Int {
    // Numbers and Booleans are larger in a message than in their stored encoding.
    (entry?.storedContentSize ?? 0) + 3 * (widget.configuration?.encoded.count ?? 0)
      + widget.kind.description.utf8.count + 64
  }
}

extension DisplayUpdate {
  /// Creates the update of an action; returns `nil` if the action does not concern displays.
  fileprivate init?(_ action: Action) {
    switch action.order {
    case .rotate(let decision, let front):
      let change = FrontChange(
        stack: decision.stack, widget: decision.to, front: front, decision: decision.number,
        reason: decision.explanation.summary(name: action.name))
      self.init(at: action.at, .front(change))
    case .scroll(let stack, let widget, let front):
      self.init(at: action.at, .front(FrontChange(stack: stack, widget: widget, front: front)))
    case .suggest(let decision, let stack):
      let change = SuggestionChange(
        widget: decision.to, decision: decision.number, reason: decision.explanation.summary(name: action.name))
      self.init(at: action.at, .stack(stack), suggestion: change)
    case .withdraw(let stack, let widget, let end):
      self.init(at: action.at, .stack(stack), suggestion: SuggestionChange(widget: widget, reason: end.description))
    case .updateStack(let stack):
      self.init(at: action.at, .stack(stack))
    case .removeStack(let stack):
      self.init(at: action.at, .removed(stack))
    case .addHomeWidget(let widget):
      self.init(at: action.at, .homeWidgetAdded(widget))
    case .removeHomeWidget(let widget):
      self.init(at: action.at, .homeWidgetRemoved(widget))
    case .refresh(let widget, let shown):
      self.init(at: action.at, .entry(CurrentEntry(widget, showing: shown)))
    case .requestReload, .performFocusFilter:
      return nil
    }
  }

  /// Whether the update has a private entry.
  fileprivate var isPrivate: Bool { if case .entry(let current) = change { current.isPrivate } else { false } }

  /// Returns the update of an entry as a screen receives it (rule W5).
  fileprivate func on(_ screen: ScreenState) -> DisplayUpdate {
    guard case .entry(let current) = change else { return self }
    return DisplayUpdate(at: at, .entry(current.on(screen)), suggestion: suggestion)
  }

  /// The update in its wire encoding.
  fileprivate var encoded: [UInt8] {
    var buffer = EncodeBuffer()
    DisplayService.watch.response.encode(self, &buffer)
    return buffer.bytes
  }
}
