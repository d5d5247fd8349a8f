import MarqueeModel
import MarqueeScheduler
import MarqueeTimeZones

/// The result of a simulation: the events, the engine's actions, and their explanations.
public struct SimulatedDay: Sendable {
  /// An event or an action. Actions due before an event precede it; its consequences follow it.
  public enum Moment: Hashable, Sendable {
    /// An event of the scenario.
    case event(Scenario.Occurrence)
    /// An action of the engine.
    case action(Action)

    /// The instant of the event or action.
    public var at: Instant {
      switch self {
      case .event(let occurrence): occurrence.at
      case .action(let action): action.at
      }
    }
  }

  /// The simulated scenario.
  public let scenario: Scenario
  /// The end of the simulation; everything due at that instant has been processed.
  public let end: Instant
  /// All events and actions in order.
  public let moments: [Moment]
  /// The stacks, ordered by first appearance.
  public let stacks: [StackTrack]
  /// The widgets that were in a stack, had a score or were named by a shortcut; members of stacks come first, in their
  /// order.
  public let widgets: [WidgetTrack]
  /// The device at the end.
  public let device: Device

  /// All actions of the engine in order.
  public var actions: [Action] {
    moments.compactMap { if case .action(let action) = $0 { action } else { nil } }
  }

  /// All rotations and suggestions with their explanations, in order.
  public var decisions: [Decision] { actions.compactMap(\.decision) }

  /// Returns the device at an instant, after everything that happened by then. Replays the scenario up to that instant.
  ///
  /// - Precondition: `instant` is between the beginning of the scenario and ``end``.
  public func device(at instant: Instant) -> Device {
    precondition(
      instant >= scenario.begin,
      "\(instant.span(to: scenario.begin).milliseconds) ms before the beginning of the scenario")
    precondition(instant <= end, "\(end.span(to: instant).milliseconds) ms after the end of the simulation")
    var device = scenario.beginning
    for occurrence in scenario.occurrences.prefix(while: { $0.at <= instant }) {
      _ = device.handleLearningOffsets(occurrence.event, at: occurrence.at)
    }
    _ = device.advanceLearningOffsets(to: instant)
    return device
  }
}

/// The states of a stack over the day.
public struct StackTrack: Hashable, Sendable {
  /// A span without changes of the stack.
  public struct Span: Hashable, Sendable {
    /// The start of the span.
    public let start: Instant
    /// The end of the span, after ``start``.
    public let end: Instant
    /// The stack's members, front, suggestion and toggles.
    public let stack: Stack
  }

  /// The stack's name.
  public let id: StackID
  /// The spans in chronological order, with gaps where the stack does not exist.
  public let spans: [Span]
}

/// A widget's relevance over the day.
public struct WidgetTrack: Hashable, Sendable {
  /// A span with one score in force.
  public struct ScoreSpan: Hashable, Sendable {
    /// The start of the span.
    public let start: Instant
    /// The end of the span, after ``start``.
    public let end: Instant
    /// The effective score, which is not 0.
    public let score: Double
  }

  /// A window of a shortcut or a relevant intent, clipped to the time during which it was set.
  public struct Window: Hashable, Sendable {
    /// The start of the window.
    public let start: Instant
    /// The end of the window, after ``start``.
    public let end: Instant
  }

  /// The widget.
  public let widget: Widget
  /// The scores in chronological order, with gaps where no score is in force.
  public let scores: [ScoreSpan]
  /// The windows ordered by start; those of several shortcuts may overlap.
  public let windows: [Window]
}
