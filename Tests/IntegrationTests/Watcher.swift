import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeWire
import ServerSimulation

/// A display that reads its updates one by one.
struct Watcher {
  private var updates: DisplayUpdates.AsyncIterator
  private(set) var screen = Screen()

  /// Watches all or some stacks of a device, and reads the initial state.
  init(_ display: DisplayClient, _ device: DeviceID = Fixture.device, stacks: [StackID] = []) async throws {
    updates = try display.watch(device, stacks: stacks).makeAsyncIterator()
    guard case .state = try await next().change else { throw UnexpectedEvent() }
  }

  /// The next update but labels, which are applied to the screen.
  mutating func next() async throws -> DisplayUpdate {
    while true {
      let update = try await nextOfAll()
      if case .label = update.change { continue }
      return update
    }
  }

  /// The next update, which can be a label.
  mutating func nextOfAll() async throws -> DisplayUpdate {
    guard let update = try await updates.nextInTime() else { throw UnexpectedEvent() }
    screen.show(update)
    return update
  }

  /// The next update, which must be a label.
  mutating func nextLabel() async throws -> WidgetLabel {
    guard case .label(let label) = try await nextOfAll().change else { throw UnexpectedEvent() }
    return label
  }

  /// The next update, which must be a change of the front widget.
  mutating func nextFront() async throws -> (at: Instant, change: FrontChange) {
    let update = try await next()
    guard case .front(let change) = update.change else { throw UnexpectedEvent() }
    return (update.at, change)
  }

  /// The next update, which must be the new state of a stack.
  mutating func nextStack() async throws -> (at: Instant, stack: Stack) {
    let update = try await next()
    guard case .stack(let stack) = update.change else { throw UnexpectedEvent() }
    return (update.at, stack)
  }

  /// The next update, which must be a new entry of a widget.
  mutating func nextEntry() async throws -> CurrentEntry {
    guard case .entry(let current) = try await next().change else { throw UnexpectedEvent() }
    return current
  }
}
