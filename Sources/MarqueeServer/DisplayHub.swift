import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The watching displays by device. The shard that owns a device broadcasts its updates in order.
final class DisplayHub: Sendable {
  /// The names of the apps in labels.
  let appNames: AppNames
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

  init(appNames: AppNames = AppNames()) {
    self.appNames = appNames
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
  /// private entry once more for all screens that others can read (rule W5). The labels of widgets that a watcher has
  /// not shown precede the update (rule X1).
  func broadcast(_ actions: [Action], of device: DeviceID, _ state: () -> Device) {
    guard let watchers = watchers.withLock({ $0[device]?.all }) else { return }
    var labels = LabelEncoder(appNames: appNames)
    for action in actions {
      guard let update = DisplayUpdate(action) else { continue }
      let hasRedactedForm = update.isPrivate
      var (encoded, redacted): ([UInt8]?, [UInt8]?)
      for watcher in watchers {
        guard let unlabeled = watcher.note(update) else { continue }
        for widget in unlabeled {
          watcher.offer(labels.label(of: widget, on: state(), at: action.at))
        }
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

  /// Sends a device's time zone to all of its watchers.
  ///
  /// Called on the device's shard, like the state with which a watch begins.
  func broadcastTimeZone(of device: Device) {
    guard let watchers = watchers.withLock({ $0[device.id]?.all }) else { return }
    let update = DisplayUpdate(at: device.now, .timeZone(device.timeZone)).encoded
    for watcher in watchers { watcher.offer(update) }
  }

  /// Schedules the labels that a change can affect for all watchers of the device: each sends those that differ from
  /// the ones that it has sent.
  func scheduleLabels(_ change: LabelChange, of device: DeviceID) {
    guard let watchers = watchers.withLock({ $0[device]?.all }) else { return }
    for watcher in watchers { watcher.scheduleLabels(change) }
  }
}

/// Encodes the labels of widgets, each once for all watchers.
private struct LabelEncoder {
  private let appNames: AppNames
  private var encoded: [Widget: EncodedLabel] = [:]

  init(appNames: AppNames) {
    self.appNames = appNames
  }

  /// Returns the update with a widget's label.
  mutating func label(of widget: Widget, on device: Device, at: Instant) -> EncodedLabel {
    if let label = encoded[widget] { return label }
    let label = EncodedLabel(appNames.label(of: widget, on: device), at: at)
    encoded[widget] = label
    return label
  }
}

extension DisplayUpdate {
  /// Creates the update of an action; returns `nil` if the action does not concern displays.
  fileprivate init?(_ action: Action) {
    switch action.order {
    case .rotate(let decision, let front):
      let change = FrontChange(
        stack: decision.stack, widget: decision.to, front: front, decision: decision.number,
        reason: decision.explanation.summary(name: action.name), explanation: decision.explanation.ofReason,
        name: action.name(of: decision.to))
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
  var encoded: [UInt8] {
    var buffer = EncodeBuffer()
    DisplayService.watch.response.encode(self, &buffer)
    return buffer.bytes
  }
}
