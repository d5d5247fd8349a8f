import MarqueeModel
import MarqueeSimulator
import Synchronization

/// What of a scenario has not happened yet.
final class ScenarioScript: Sendable {
  private let rest: Mutex<ArraySlice<Scenario.Occurrence>>
  /// The end of its last day; `nil` without a scenario.
  let end: Instant?

  /// Nothing.
  init() {
    rest = Mutex([])
    end = nil
  }

  /// All of a scenario.
  init(_ scenario: Scenario) {
    rest = Mutex(scenario.occurrences[...])
    end = scenario.endOfLastDay
  }

  /// When the next thing happens; `nil` when nothing does.
  var next: Instant? { rest.withLock { $0.first?.at } }

  /// The next thing, if it has happened by then: it is taken out.
  func take(until instant: Instant) -> Scenario.Occurrence? {
    rest.withLock { rest in
      guard let first = rest.first, first.at <= instant else { return nil }
      return rest.removeFirst()
    }
  }
}
