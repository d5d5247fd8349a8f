import MarqueeModel
import MarqueeSimulator
import Synchronization

/// The queue of a scenario's remaining events.
final class ScenarioScript: Sendable {
  private let remaining: Mutex<ArraySlice<Scenario.Occurrence>>
  /// The end of the scenario; `nil` without a scenario.
  let end: Instant?

  /// Creates an empty queue.
  init() {
    remaining = Mutex([])
    end = nil
  }

  /// Creates a queue of all events of a scenario.
  init(_ scenario: Scenario) {
    remaining = Mutex(scenario.occurrences[...])
    end = scenario.end
  }

  /// The time of the next event; `nil` if none is left.
  var next: Instant? { remaining.withLock { $0.first?.at } }

  /// Removes and returns the next event if it is due at `instant`.
  func dequeue(until instant: Instant) -> Scenario.Occurrence? {
    remaining.withLock { remaining in
      guard let first = remaining.first, first.at <= instant else { return nil }
      return remaining.removeFirst()
    }
  }
}
