import MarqueeClient
import MarqueeModel
import MarqueeWire
import ServerProcess
import ServerSimulation

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
