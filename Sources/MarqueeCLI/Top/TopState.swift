import MarqueeModel
import MarqueeSimulator
import MarqueeWire

/// The state of `marquee top`, as a pure value: it consumes events and returns orders.
struct TopState: Sendable {
  /// A stack's full name.
  struct StackName: Hashable, Sendable, CustomStringConvertible {
    let device: DeviceID
    let stack: StackID

    var description: String { "\(device)/\(stack)" }
  }

  /// An input of the state machine.
  enum Event: Sendable {
    /// A display of the device received an update.
    case updated(DeviceID, DisplayUpdate)
    /// The server cannot read the device, with the reason.
    case unreadable(DeviceID, String)
    /// The display of the device receives no updates any longer, with the reason, which may be empty.
    case interrupted(DeviceID, String)
    /// The display of the device receives updates again.
    case resumed(DeviceID)
    /// The server returned a snapshot of the device.
    case read(DeviceID, TopSnapshot)
    /// The server's clock was read.
    case clock(Instant)
    /// The server is not responding.
    case lost
    /// The explanation of a stack arrived as text.
    case explained(StackName, [String])
    /// The user pressed a key.
    case pressed(Key)
  }

  /// A request for the program to execute.
  enum Order: Equatable, Sendable {
    /// Read a ``TopSnapshot`` of the device.
    case read(DeviceID)
    /// Fetch the last decision on the stack and its explanation.
    case explain(StackName)
    case quit
  }

  /// A stack and its last polled data, or `nil` until data for its current front was read.
  struct Row: Sendable {
    var stack: Stack
    var reading: TopSnapshot.OfStack?
  }

  struct Device: Sendable {
    let id: DeviceID
    var clock: DeviceClock
    /// `nil` until the server has sent them.
    var rows: [Row]?
    /// Newest first.
    var decisions: [Decision] = []
    var names = SentenceNames.none
    var nextChange: Instant?
    /// The reason why the server cannot read the device, or `nil` if it can.
    var error: String?
    /// The reason why the device's display receives no updates, which may be empty, or `nil` if it does.
    var interruption: String?
    /// The lines of the cards that widgets show, without private ones.
    var cards: [WidgetInstance: [String]] = [:]
  }

  /// A panel shown in place of the stacks.
  enum Panel: Equatable, Sendable {
    case none
    case help
    /// The explanation of a stack, from a line on; `nil` while it is being fetched.
    case explanation(StackName, [String]?, firstLine: Int)
  }

  private(set) var devices: [Device]
  /// The server's time, or `nil` until it is known.
  private(set) var now: Instant?
  /// Whether the server is not responding.
  private(set) var isWaiting = false
  private(set) var selection: StackName?
  private(set) var panel = Panel.none

  init(devices: [(id: DeviceID, clock: DeviceClock)]) {
    self.devices = devices.map { Device(id: $0.id, clock: $0.clock) }
  }

  /// Every stack, ordered by device.
  var names: [StackName] {
    devices.flatMap { device in (device.rows ?? []).map { StackName(device: device.id, stack: $0.stack.id) } }
  }

  /// Applies an event and returns the resulting orders.
  mutating func handle(_ event: Event) -> [Order] {
    switch event {
    case .updated(let device, let update):
      now = max(now ?? .min, update.at)
      apply(update, to: device)
      reselect()
      return [.read(device)]
    case .unreadable(let device, let error):
      guard let index = devices.firstIndex(where: { $0.id == device }) else { return [] }
      (devices[index].rows, devices[index].error) = ([], error)
      reselect()
      return []
    case .interrupted(let device, let reason):
      change(device) { $0.interruption = reason }
      return []
    case .resumed(let device):
      change(device) { $0.interruption = nil }
      return []
    case .read(let device, let reading):
      apply(reading, to: device)
      return []
    case .clock(let instant): return advance(to: instant)
    case .lost:
      isWaiting = true
      return []
    case .explained(let name, let lines):
      if case .explanation(name, nil, _) = panel {
        panel = .explanation(name, lines + cardLines(of: name), firstLine: 0)
      }
      return []
    case .pressed(let key): return press(key)
    }
  }

  /// Records the time and requests reads of devices with due changes, or of all devices after an outage.
  private mutating func advance(to instant: Instant) -> [Order] {
    let wasWaiting = isWaiting
    (isWaiting, now) = (false, instant)
    var orders: [Order] = []
    for index in devices.indices {
      let isDue = devices[index].nextChange.map { $0 <= instant } ?? false
      guard isDue || wasWaiting else { continue }
      // Requested once: the response contains the next change.
      devices[index].nextChange = nil
      orders.append(.read(devices[index].id))
    }
    return orders
  }

  private mutating func apply(_ reading: TopSnapshot, to device: DeviceID) {
    guard let index = devices.firstIndex(where: { $0.id == device }) else { return }
    (devices[index].decisions, devices[index].names) = (reading.decisions, reading.names)
    devices[index].nextChange = reading.nextChange
    for row in (devices[index].rows ?? []).indices {
      guard let stack = devices[index].rows?[row].stack, let found = reading.stacks[stack.id],
        found.inspection.stack.frontWidget == stack.frontWidget
      else { continue }
      devices[index].rows?[row].reading = found
    }
  }

  private mutating func change(_ device: DeviceID, _ body: (inout Device) -> Void) {
    if let index = devices.firstIndex(where: { $0.id == device }) { body(&devices[index]) }
  }

  /// Returns the text of the card that a stack's front widget shows, under a heading; no lines without a card.
  private func cardLines(of name: StackName) -> [String] {
    guard let device = devices.first(where: { $0.id == name.device }),
      let stack = device.rows?.first(where: { $0.stack.id == name.stack })?.stack, let front = stack.frontWidget,
      let lines = device.cards[WidgetInstance(front, in: stack.family)]
    else { return [] }
    return ["", "The widget shows:"] + lines.map { "  \($0)" }
  }

  private mutating func apply(_ update: DisplayUpdate, to device: DeviceID) {
    guard let index = devices.firstIndex(where: { $0.id == device }) else { return }
    var rows = devices[index].rows ?? []
    devices[index].error = nil
    switch update.change {
    case .state(let state):
      // A zone missing from this machine's database leaves the clock unchanged.
      if let clock = try? DeviceClock(state.timeZone) { devices[index].clock = clock }
      devices[index].cards = [:]
      for current in state.entries { devices[index].show(current) }
      rows = state.stacks.map { stack in Self.row(stack, after: rows.first { $0.stack.id == stack.id }) }
    case .stack(let stack):
      if let row = rows.firstIndex(where: { $0.stack.id == stack.id }) {
        rows[row] = Self.row(stack, after: rows[row])
      } else {
        rows.append(Row(stack: stack))
      }
    case .front(let change):
      if let row = rows.firstIndex(where: { $0.stack.id == change.stack }),
        let stack = rows[row].stack.turned(to: change.widget)
      {
        rows[row] = Self.row(stack, after: rows[row])
      }
    case .removed(let stack): rows.removeAll { $0.stack.id == stack }
    case .entry(let current): devices[index].show(current)
    case .timeZone(let zone): if let clock = try? DeviceClock(zone) { devices[index].clock = clock }  // as for a state
    case .homeWidgetAdded, .homeWidgetRemoved, .heartbeat, .label: break
    }
    devices[index].rows = rows
  }

  /// Returns a row for the stack, keeping the old data if the front is the same.
  private static func row(_ stack: Stack, after old: Row?) -> Row {
    Row(stack: stack, reading: old?.stack.frontWidget == stack.frontWidget ? old?.reading : nil)
  }

  /// Keeps a stack selected: the first one initially, and another one if the selected one is deleted.
  private mutating func reselect() {
    let names = names
    if let selection, names.contains(selection) { return }
    selection = names.first
  }
}

extension TopState {
  private mutating func press(_ key: Key) -> [Order] {
    if key == .character("q") { return [.quit] }
    switch panel {
    case .none: return pressAtStacks(key)
    case .help: panel = .none
    case .explanation(let name, let lines, let first):
      let count = lines?.count ?? 0
      switch key {
      case .up, .character("k"): panel = .explanation(name, lines, firstLine: max(first - 1, 0))
      case .down, .character("j"): panel = .explanation(name, lines, firstLine: max(min(first + 1, count - 1), 0))
      case .pageUp: panel = .explanation(name, lines, firstLine: max(first - Self.pageLength, 0))
      case .pageDown: panel = .explanation(name, lines, firstLine: max(min(first + Self.pageLength, count - 1), 0))
      case .home: panel = .explanation(name, lines, firstLine: 0)
      case .escape, .enter, .character("e"): panel = .none
      case .character("?"): panel = .help
      default: break
      }
    }
    return []
  }

  /// The number of lines per page.
  private static let pageLength = 10

  private mutating func pressAtStacks(_ key: Key) -> [Order] {
    switch key {
    case .up, .character("k"): select { $0 - 1 }
    case .down, .character("j"): select { $0 + 1 }
    case .pageUp: select { $0 - Self.pageLength }
    case .pageDown: select { $0 + Self.pageLength }
    case .home: select { _ in 0 }
    case .end: select { _ in .max }
    case .character("?"), .character("h"): panel = .help
    case .enter, .character("e"):
      guard let selection else { return [] }
      panel = .explanation(selection, nil, firstLine: 0)
      return [.explain(selection)]
    default: break
    }
    return []
  }

  private mutating func select(_ move: (Int) -> Int) {
    let names = names
    guard let selection, let index = names.firstIndex(of: selection) else { return }
    self.selection = names[min(max(move(index), 0), names.count - 1)]
  }
}

extension Stack {
  /// Returns the stack with that member in front, or `nil` if it has no such member.
  fileprivate func turned(to widget: Widget) -> Stack? {
    guard let index = members.firstIndex(of: widget) else { return nil }
    return Stack(
      id: id, family: family, members: members, front: index, isSmartRotateOn: isSmartRotateOn,
      isWidgetSuggestionsOn: isWidgetSuggestionsOn, hasSuggestion: hasSuggestion, settings: settings)
  }
}

extension TopState.Device {
  /// Replaces the card that a widget shows.
  fileprivate mutating func show(_ current: CurrentEntry) {
    let entry = current.entry.flatMap { $0.details.isPrivate ? nil : $0 }
    cards[current.instance] = entry?.content.cardLines(width: EntryContent.cardWidth)
  }
}
