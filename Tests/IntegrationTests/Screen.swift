import MarqueeClient
import MarqueeModel
import MarqueeWire

/// What a display shows, as its updates make it.
struct Screen: Hashable {
  private(set) var stacks: [StackID: Stack] = [:]
  private(set) var entries: [Widget: TimelineEntry] = [:]

  mutating func show(_ update: DisplayUpdate) {
    switch update.change {
    case .state(let state):
      stacks = Dictionary(uniqueKeysWithValues: state.stacks.map { ($0.id, $0) })
      entries = Dictionary(uniqueKeysWithValues: state.entries.map { ($0.widget, $0.entry) }).compactMapValues { $0 }
    case .front(let change):
      stacks[change.stack] = stacks[change.stack].map {
        Stack(
          id: $0.id, family: $0.family, members: $0.members, front: change.front,
          isSmartRotateOn: $0.isSmartRotateOn, isWidgetSuggestionsOn: $0.isWidgetSuggestionsOn,
          hasSuggestion: $0.hasSuggestion)
      }
    case .stack(let stack):
      stacks[stack.id] = stack
      forgetOrphans()
    case .removed(let stack):
      stacks[stack] = nil
      forgetOrphans()
    case .entry(let current):
      entries[current.widget] = current.entry
    }
  }

  private mutating func forgetOrphans() {
    let members = Set(stacks.values.flatMap(\.members))
    entries = entries.filter { members.contains($0.key) }
  }
}

/// A display that reads its updates one by one.
struct Watcher {
  private var updates: DisplayUpdates.AsyncIterator
  private(set) var screen = Screen()

  /// Watches a device, all of its stacks or these, and reads the state that comes first.
  init(_ display: DisplayClient, _ device: DeviceID = Home.device, stacks: [StackID] = []) async throws {
    updates = try display.watch(device, stacks: stacks).makeAsyncIterator()
    guard case .state = try await next().change else { throw UnexpectedEvent() }
  }

  mutating func next() async throws -> DisplayUpdate {
    guard let update = try await updates.next() else { throw UnexpectedEvent() }
    screen.show(update)
    return update
  }

  /// The next update, which must be that another widget faces the person.
  mutating func nextFront() async throws -> (at: Instant, change: FrontChange) {
    let update = try await next()
    guard case .front(let change) = update.change else { throw UnexpectedEvent() }
    return (update.at, change)
  }

  /// The next update, which must be a stack as it then stands.
  mutating func nextStack() async throws -> (at: Instant, stack: Stack) {
    let update = try await next()
    guard case .stack(let stack) = update.change else { throw UnexpectedEvent() }
    return (update.at, stack)
  }

  /// The next update, which must be that a widget shows another entry.
  mutating func nextEntry() async throws -> CurrentEntry {
    guard case .entry(let current) = try await next().change else { throw UnexpectedEvent() }
    return current
  }
}
