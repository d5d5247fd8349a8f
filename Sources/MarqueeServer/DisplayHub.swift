import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The displays that watch, by device. Updates of one device come in order, from the loop that owns the device.
final class DisplayHub: Sendable {
  private let watchers = Mutex<[DeviceID: Watchers]>([:])

  /// Those who watch one device. Each leaves in the same time, however many there are: they leave together when a
  /// connection of many ends, and nobody is told of anything meanwhile.
  private struct Watchers {
    private(set) var all: [DisplayWatcher] = []
    private var places: [ObjectIdentifier: Int] = [:]

    mutating func add(_ watcher: DisplayWatcher) {
      places[ObjectIdentifier(watcher)] = all.count
      all.append(watcher)
    }

    /// The last one takes the place of the one that leaves.
    mutating func remove(_ watcher: DisplayWatcher) {
      guard let place = places.removeValue(forKey: ObjectIdentifier(watcher)) else { return }
      let last = all.removeLast()
      guard place < all.count else { return }
      all[place] = last
      places[ObjectIdentifier(last)] = place
    }
  }

  /// Lets a watcher follow a device from its present state on. Called on the device's loop, so that no change falls
  /// between the state and the changes, and none comes twice (rule U3).
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

  /// Tells the device's watchers; each update is encoded once for all of them.
  func tell(_ actions: [Action], of device: DeviceID) {
    guard let present = watchers.withLock({ $0[device]?.all }) else { return }
    for action in actions {
      guard let update = DisplayUpdate(action) else { continue }
      var encoded: [UInt8]?
      for watcher in present where watcher.concerns(update) {
        let bytes = encoded ?? update.encoded
        encoded = bytes
        watcher.offer(bytes)
        #if PLANTED_SINGLE_WATCHER
          break
        #endif
      }
    }
  }
}

/// One display's watch of one device.
final class DisplayWatcher: Sendable {
  /// Content of entries that goes into the first update, in bytes; what is beyond it follows in updates of its own.
  private static let stateSizeMax = 1_048_576

  private let writer: ResponseWriter<DisplayUpdate>
  /// The stacks asked for; empty for all.
  private let scope: Set<StackID>
  private let members = Mutex<[StackID: Set<Widget>]>([:])
  /// Gives the status that ends the watch from this side, if one does.
  let end: AsyncStream<RPCStatus>
  private let endContinuation: AsyncStream<RPCStatus>.Continuation

  init(_ writer: ResponseWriter<DisplayUpdate>, stacks: [StackID]) {
    self.writer = writer
    scope = Set(stacks)
    (end, endContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Hands over an update; a display that does not keep up is let go, and begins anew when it comes back.
  func offer(_ encoded: [UInt8]) {
    guard !writer.offer(encoded: encoded) else { return }
    endContinuation.yield(
      RPCStatus(
        .resourceExhausted, "stream-backlog-size-max is passed: the display does not keep up; watch again"))
    endContinuation.finish()
  }

  /// Sends the whole state.
  func begin(with device: Device) {
    let stacks = device.allStacks.filter { isInScope($0.id) }
    members.withLock { $0 = Dictionary(uniqueKeysWithValues: stacks.map { ($0.id, Set($0.members)) }) }
    var (first, later): ([CurrentEntry], [CurrentEntry]) = ([], [])
    var size = 0
    var seen: Set<Widget> = []
    for widget in stacks.flatMap(\.members) where seen.insert(widget).inserted {
      guard let entry = device.currentEntry(of: widget) else { continue }
      size += entry.content.bytes.count
      if size <= Self.stateSizeMax {
        first.append(CurrentEntry(widget: widget, entry: entry))
      } else {
        later.append(CurrentEntry(widget: widget, entry: entry))
      }
    }
    let state = DeviceState(device: device.id, timeZone: device.timeZone, stacks: stacks, entries: first)
    offer(DisplayUpdate(at: device.now, .state(state)).encoded)
    for entry in later { offer(DisplayUpdate(at: device.now, .entry(entry)).encoded) }
  }

  /// Whether the display watches what an update is about. Called once for each update, in order.
  func concerns(_ update: DisplayUpdate) -> Bool {
    switch update.change {
    case .state: true
    case .front(let front): isInScope(front.stack)
    case .stack(let stack):
      isInScope(stack.id)
        && members.withLock {
          $0[stack.id] = Set(stack.members)
          return true
        }
    case .removed(let stack): members.withLock { $0.removeValue(forKey: stack) != nil }
    case .entry(let entry): members.withLock { $0.values.contains { $0.contains(entry.widget) } }
    }
  }

  private func isInScope(_ stack: StackID) -> Bool { scope.isEmpty || scope.contains(stack) }
}

extension DisplayUpdate {
  /// What an action means for displays; `nil` when it is not for them.
  fileprivate init?(_ action: Action) {
    switch action.order {
    case .rotate(let decision, let front):
      let change = FrontChange(
        stack: decision.stack, widget: decision.to, front: front, decision: decision.number,
        reason: decision.explanation.summary())
      self.init(at: action.at, .front(change))
    case .scroll(let stack, let widget, let front):
      self.init(at: action.at, .front(FrontChange(stack: stack, widget: widget, front: front)))
    case .suggest(let decision, let stack):
      let change = SuggestionChange(
        widget: decision.to, decision: decision.number, reason: decision.explanation.summary())
      self.init(at: action.at, .stack(stack), suggestion: change)
    case .withdraw(let stack, let widget, let end):
      self.init(at: action.at, .stack(stack), suggestion: SuggestionChange(widget: widget, reason: end.description))
    case .updateStack(let stack):
      self.init(at: action.at, .stack(stack))
    case .removeStack(let stack):
      self.init(at: action.at, .removed(stack))
    case .refresh(let widget, let entry):
      self.init(at: action.at, .entry(CurrentEntry(widget: widget, entry: entry)))
    case .requestReload:
      return nil
    }
  }

  /// The update's encoding.
  fileprivate var encoded: [UInt8] {
    var buffer = EncodeBuffer()
    DisplayService.watch.response.encode(self, &buffer)
    return buffer.bytes
  }
}
