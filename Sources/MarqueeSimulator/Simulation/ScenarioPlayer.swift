import MarqueeModel
import MarqueeScheduler
import MarqueeTimeZones

/// A scenario's device in virtual time, which runs only the core that a server runs.
///
/// Each step advances the device to its next wake, since state changes only there (rule R9), or applies the next event.
struct ScenarioPlayer: Sendable {
  /// A step.
  enum Step {
    /// The device advanced to its next wake, the next event, or the end.
    case advance([Action])
    /// The device handled an event.
    case event(Scenario.Occurrence, [Action])
  }

  /// The end; later events are ignored.
  let end: Instant
  private(set) var device: Device
  private let occurrences: [Scenario.Occurrence]
  private let limits: Limits
  private var eventCount = 0
  /// Whether events that the device rejects are skipped, because another policy than the scenario's is in effect.
  private var skipsRejectedEvents = false
  /// The number of events that were skipped.
  private(set) var skippedEventCount = 0

  /// Creates the device of a scenario, before any events.
  ///
  /// - Throws: ``ScenarioError`` if the span is empty or longer than `spanMax`.
  init(
    _ scenario: Scenario, until end: Instant?, limits: Limits, spanMax: TimeSpan
  ) throws(ScenarioError) {
    self.end = end ?? scenario.end
    guard self.end > scenario.begin else { throw ScenarioError("the end must be after the beginning") }
    let span = scenario.begin.span(to: self.end)
    guard span <= spanMax else {
      throw ScenarioError("the simulated span is too long: \(span.words) (maximum: \(spanMax.words))")
    }
    self.limits = limits
    occurrences = scenario.occurrences
    device = scenario.beginning
  }

  /// Overrides policy settings. Called before the first step. Events that the device rejects, for example the keeping
  /// of a suggestion that it does not make with these settings, are skipped then.
  ///
  /// - Throws: `RequestError` if a number is out of range.
  mutating func override(_ change: PolicyChange) throws(RequestError) {
    try device.check(.policyOverridden(change), limits: limits)
    _ = device.handle(.policyOverridden(change), at: device.now)
    skipsRejectedEvents = true
  }

  /// The number of the event that is due now, counted from 0, and the event, or `nil` if there is none.
  var dueEvent: (number: Int, occurrence: Scenario.Occurrence)? {
    nextEvent.flatMap { $0.at == device.now ? (eventCount, $0) : nil }
  }

  /// The event that is applied next, or `nil` if there is none.
  var nextEvent: Scenario.Occurrence? {
    guard eventCount < occurrences.count, occurrences[eventCount].at <= end else { return nil }
    return occurrences[eventCount]
  }

  /// Advances the device, or applies an event.
  ///
  /// - Parameter willHandle: Called with the device before it handles an event that it accepts.
  /// - Returns: The step, or `nil` at the end.
  /// - Throws: ``ScenarioError`` if the device rejects the event, unless such events are skipped.
  mutating func step(willHandle: (Device) -> Void = { _ in }) throws(ScenarioError) -> Step? {
    let next = nextEvent
    let target = next?.at ?? end
    if device.now < target {
      return .advance(device.advanceLearningOffsets(to: min(device.nextWake ?? target, target)))
    }
    guard let next else { return nil }
    do {
      try device.check(next.event, limits: limits)
    } catch {
      guard !skipsRejectedEvents else {
        (eventCount, skippedEventCount) = (eventCount + 1, skippedEventCount + 1)
        return .advance([])
      }
      let verb = ScenarioVerb(next.event).rawValue
      // Without a line, as for an event that no text has, the number says which one it is.
      let field = next.line == nil ? "event \(eventCount + 1), \(verb)" : verb
      throw ScenarioError(line: next.line, field: field, "rejected: \(error)")
    }
    willHandle(device)
    eventCount += 1
    return .event(next, device.handleLearningOffsets(next.event, at: next.at))
  }
}
