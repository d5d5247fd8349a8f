import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// A display's watch of one device.
final class DisplayWatcher: Sendable {
  /// The maximum size of the entries in the first update, in bytes. It is encoded on the device's shard, whose other
  /// devices wait. Further entries follow in updates of their own, once the display has read the previous ones.
  private static let stateSizeMax = 131_072
  /// The maximum size of the labels in the first update, in bytes. Further labels follow like entries.
  private static let labelSizeMax = 65_536
  /// The minimum size of a batch of pending labels and entries, in bytes. The next batch follows once the previous one
  /// is sent.
  private static let pendingSizeMax = 65_536
  /// The maximum number of labels that are compared in a batch.
  private static let pendingLabelCountMax = 256

  private let writer: ResponseWriter<DisplayUpdate>
  private let appNames: AppNames
  /// The watched stacks; empty for all, and for the widgets outside stacks.
  private let scope: Set<StackID>
  /// The state of the display's screen, on which everything that the watch sends depends (rule W5).
  let screen: ScreenState
  private let state = Mutex(WatchedWidgets())
  /// The status with which the server ends the watch, if it does.
  private let end = Mutex<RPCStatus?>(nil)
  /// Yields when the watch has ended, or there is something pending to be sent.
  let signals: AsyncStream<Void>
  private let signalContinuation: AsyncStream<Void>.Continuation

  init(_ writer: ResponseWriter<DisplayUpdate>, _ request: WatchRequest, appNames: AppNames) {
    self.writer = writer
    self.appNames = appNames
    scope = Set(request.stacks)
    screen = request.screen
    (signals, signalContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Throws the status with which the server ends the watch, if it does.
  func checkEnd() throws(RPCStatus) {
    if let status = end.withLock(\.self) { throw status }
  }

  /// Enqueues an update. If the display does not keep up with the updates after the initial state, its watch ends; it
  /// receives the full state when it watches again.
  func offer(_ encoded: [UInt8], isInitial: Bool = false) {
    guard !writer.offer(encoded: encoded, isInitial: isInitial) else { return }
    end.withLock {
      $0 =
        $0
        ?? RPCStatus(
          .resourceExhausted,
          "too many unsent bytes (stream-backlog-size-max): the display does not keep up; watch again")
    }
    signalContinuation.yield()
  }

  /// Enqueues an update with a label, unless the display has it.
  func offer(_ label: EncodedLabel, isInitial: Bool = false) {
    guard state.withLock({ $0.noteLabel(label.label) }) else { return }
    offer(label.bytes, isInitial: isInitial)
  }

  // MARK: Initial state

  /// Sends the stacks and the widgets outside stacks with the labels and entries that fit into one update, those of the
  /// visible widgets first, and schedules the others.
  func begin(with device: Device) {
    let stacks = device.allStacks.filter { isInScope($0.id) }
    let homeWidgets = scope.isEmpty ? device.homeWidgets : []
    let visible = stacks.compactMap(\.frontInstance) + homeWidgets
    let unlabeled = state.withLock { $0.begin(stacks, homeWidgets, visible) }
    var (first, later): ([CurrentEntry], [WidgetInstance]) = ([], [])
    var size = 0
    var seen: Set<WidgetInstance> = []
    for widget in visible + stacks.flatMap(\.instances) where seen.insert(widget).inserted {
      let current = currentEntry(of: widget, on: device)
      guard current.entry != nil else { continue }
      size += current.size
      if size <= Self.stateSizeMax { first.append(current) } else { later.append(widget) }
    }
    let labels = initialLabels(of: unlabeled, on: device)
    state.withLock { $0.schedule(entries: later, labels: unlabeled[labels.count...]) }
    let initial = DeviceState(
      device: device.id, timeZone: device.timeZone, stacks: stacks, entries: first, homeWidgets: homeWidgets,
      labels: labels)
    offer(DisplayUpdate(at: device.now, .state(initial)).encoded, isInitial: true)
    if hasPendingUpdates { signalContinuation.yield() }
  }

  /// Returns the labels of the first widgets, as many as fit into the first update.
  private func initialLabels(of widgets: [Widget], on device: Device) -> [WidgetLabel] {
    var (labels, size): ([WidgetLabel], Int) = ([], 0)
    for widget in widgets {
      let label = appNames.label(of: widget, on: device)
      size += label.size
      guard size <= Self.labelSizeMax else { break }
      _ = state.withLock { $0.noteLabel(label) }
      labels.append(label)
    }
    return labels
  }

  private func currentEntry(of widget: WidgetInstance, on device: Device) -> CurrentEntry {
    CurrentEntry(widget, showing: device.shownEntry(of: widget.widget, in: widget.family)?.on(screen))
  }

  // MARK: Pending updates

  /// Whether labels, or entries of the initial state, are still to be sent.
  var hasPendingUpdates: Bool { state.withLock(\.hasPendingUpdates) }

  /// Schedules the labels that a change can affect.
  func scheduleLabels(_ change: LabelChange) {
    let hasPendingUpdates = state.withLock { state in
      state.schedule(change)
      return state.hasPendingUpdates
    }
    if hasPendingUpdates { signalContinuation.yield() }
  }

  /// Sends the next batch of pending labels that differ from those that the display has, and of pending entries, with
  /// their current values.
  ///
  /// Called on the device's shard, so that no change happens between reading and sending them.
  func offerPendingUpdates(of device: Device) {
    var (size, count) = (0, 0)
    while size < Self.pendingSizeMax, count < Self.pendingLabelCountMax,
      let widget = state.withLock({ $0.dequeueLabel() })
    {
      let label = appNames.label(of: widget, on: device)
      count += 1
      guard state.withLock({ $0.noteLabel(label) }) else { continue }
      size += label.size
      offer(DisplayUpdate(at: device.now, .label(label)).encoded, isInitial: true)
    }
    while size < Self.pendingSizeMax, let widget = state.withLock({ $0.dequeueEntry() }) {
      let current = currentEntry(of: widget, on: device)
      size += current.size
      offer(DisplayUpdate(at: device.now, .entry(current)).encoded, isInitial: true)
    }
  }

  // MARK: Updates

  /// Notes an update. Must be called for each update exactly once, in order, since it tracks the widgets that the
  /// display shows.
  ///
  /// - Returns: The widgets whose labels must precede the update; `nil` if the update is not about a watched stack or
  ///   widget.
  func note(_ update: DisplayUpdate) -> [Widget]? {
    switch update.change {
    case .state, .label: []
    // Heartbeats are not broadcast, and time zones are by themselves.
    case .heartbeat, .timeZone: nil
    case .front(let front): isInScope(front.stack) ? [] : nil
    case .stack(let stack): isInScope(stack.id) ? state.withLock { $0.replace(stack) } : nil
    case .removed(let stack): state.withLock { $0.remove(stack) } ? [] : nil
    case .entry(let entry): state.withLock { $0.contains(entry.instance) } ? [] : nil
    case .homeWidgetAdded(let widget): scope.isEmpty ? state.withLock { $0.addHomeWidget(widget) } : nil
    case .homeWidgetRemoved(let widget): state.withLock { $0.removeHomeWidget(widget) } ? [] : nil
    }
  }

  private func isInScope(_ stack: StackID) -> Bool { scope.isEmpty || scope.contains(stack) }
}

/// An update with a widget's label in its wire encoding.
struct EncodedLabel {
  let label: WidgetLabel
  let bytes: [UInt8]

  init(_ label: WidgetLabel, at: Instant) {
    self.label = label
    bytes = DisplayUpdate(at: at, .label(label)).encoded
  }
}

extension Stack {
  /// The members in the stack's family, in order.
  var instances: [WidgetInstance] { members.map { WidgetInstance($0, in: family) } }

  /// The widget in front in the stack's family.
  fileprivate var frontInstance: WidgetInstance? { frontWidget.map { WidgetInstance($0, in: family) } }
}

extension CurrentEntry {
  /// Whether the entry is private.
  var isPrivate: Bool { entry?.details.isPrivate ?? false }

  /// The approximate size in an update, in bytes.
  fileprivate var size: Int {
    // Numbers and Booleans are larger in a message than in their stored encoding.
    (entry?.storedContentSize ?? 0) + 3 * (widget.configuration?.encoded.count ?? 0)
      + widget.kind.description.utf8.count + 64
  }
}
