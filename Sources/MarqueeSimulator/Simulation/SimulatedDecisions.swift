import MarqueeModel
import MarqueeScheduler

/// The decisions of a scenario's device, with the fronts and the evidence of its stacks.
///
/// Call ``advance()`` until it returns `false`; each call computes one step of the device.
package struct SimulatedDecisions: Sendable {
  /// The maximum span.
  package static let spanMax = TimeSpan.days(31)

  /// The instant at which the scenario begins.
  package let start: Instant
  /// The device before any events.
  package private(set) var beginning: Device
  /// The decisions, oldest first.
  package private(set) var decisions: [Decision] = []
  private let sizeMax: Int
  private var decisionSize = 0
  private var player: ScenarioPlayer
  private var recorder = StackRecorder()

  /// Creates the decisions of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: The scenario.
  ///   - end: The end, or `nil` for the end of the local day of the last event.
  ///   - limits: The limits of the device.
  ///   - sizeMax: The maximum approximate size of everything that is recorded, in bytes. The step that exceeds it is
  ///     the last one.
  /// - Throws: ``ScenarioError`` if the span is empty or longer than ``spanMax``.
  package init(
    of scenario: Scenario, until end: Instant?, limits: Limits = .default, sizeMax: Int
  ) throws(ScenarioError) {
    player = try ScenarioPlayer(scenario, until: end, limits: limits, spanMax: Self.spanMax)
    (start, beginning) = (scenario.begin, scenario.beginning)
    self.sizeMax = sizeMax
  }

  /// Overrides policy settings of the device from the beginning on. Called before the first step.
  ///
  /// - Throws: `RequestError` if a number is out of range.
  package mutating func override(_ change: PolicyChange) throws(RequestError) {
    try player.override(change)
    beginning = player.device
  }

  /// The stacks in the order of their creation.
  package var stacks: [ForeseenStack] { recorder.stacks }
  /// The number of events that the device rejected with overridden settings, which were skipped.
  package var skippedEventCount: Int { player.skippedEventCount }
  /// The device at the instant until which everything is known.
  package var device: Device { player.device }

  /// Computes the next step of the device.
  ///
  /// - Returns: Whether there may be another one.
  /// - Throws: ``ScenarioError`` if the device rejects an event.
  package mutating func advance() throws(ScenarioError) -> Bool {
    // Fronts and evidence between events of one instant are not recorded.
    if player.dueEvent == nil {
      guard decisionSize + recorder.size <= sizeMax else { return false }
      recorder.record(player.device)
    }
    switch try player.step() {
    case nil: return false
    case .advance(let actions)?, .event(_, let actions)?:
      for decision in actions.compactMap(\.decision) {
        decisions.append(decision)
        decisionSize += decision.encoded.count
      }
      return true
    }
  }
}
