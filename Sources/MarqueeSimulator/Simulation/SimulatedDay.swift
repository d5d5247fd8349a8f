import MarqueeModel
import MarqueeScheduler

/// What a scenario comes to: what happened and what the engine did, second by second, with every reason.
public struct SimulatedDay: Sendable {
  /// One thing that happened or was done. What became due before an event comes before it, what follows from it after.
  public enum Moment: Hashable, Sendable {
    /// An event of the scenario.
    case event(Scenario.Occurrence)
    /// An order of the engine.
    case action(Action)

    /// When.
    public var at: Instant {
      switch self {
      case .event(let occurrence): occurrence.at
      case .action(let action): action.at
      }
    }
  }

  /// What was lived through.
  public let scenario: Scenario
  /// When it ends; what was due at that very instant has happened.
  public let end: Instant
  /// Everything, in its order.
  public let moments: [Moment]
  /// The stacks, in the order in which they were first there.
  public let stacks: [StackTrack]
  /// The widgets that were in a stack, had a score or were named by a shortcut: stacks first, in their order.
  public let widgets: [WidgetTrack]
  /// The device at the end.
  public let device: Device

  /// Every order of the engine, in its order.
  public var actions: [Action] {
    moments.compactMap { if case .action(let action) = $0 { action } else { nil } }
  }

  /// Every rotation and suggestion with its explanation, in its order.
  public var decisions: [Decision] { actions.compactMap(\.decision) }

  /// The device as it is at an instant, after everything that happened by then; the scenario is lived through once
  /// more.
  ///
  /// - Precondition: The scenario has begun, and ``end`` has not passed.
  public func device(at instant: Instant) -> Device {
    precondition(instant >= scenario.begin, "\(instant.span(to: scenario.begin).milliseconds) ms before the beginning")
    precondition(instant <= end, "\(end.span(to: instant).milliseconds) ms after the end")
    var device = scenario.beginning
    for occurrence in scenario.occurrences.prefix(while: { $0.at <= instant }) {
      _ = device.handle(occurrence.event, at: occurrence.at)
    }
    _ = device.advance(to: instant)
    return device
  }
}

/// A stack over the day.
public struct StackTrack: Hashable, Sendable {
  /// A span in which nothing of the stack changes.
  public struct Span: Hashable, Sendable {
    /// When it begins.
    public let start: Instant
    /// When it ends, after ``start``.
    public let end: Instant
    /// How the stack stands: members, front, suggestion and toggles.
    public let stack: Stack
  }

  /// The stack's name.
  public let id: StackID
  /// Spans in the order of time, with gaps where the stack is away.
  public let spans: [Span]
}

/// A widget's relevance over the day.
public struct WidgetTrack: Hashable, Sendable {
  /// A span in which one score is in force.
  public struct ScoreSpan: Hashable, Sendable {
    /// When it begins.
    public let start: Instant
    /// When it ends, after ``start``.
    public let end: Instant
    /// The effective score (rule T3), which is not 0.
    public let score: Double
  }

  /// A span in which a shortcut or a relevant intent holds the widget relevant, cut to when it was set.
  public struct Window: Hashable, Sendable {
    /// When it begins.
    public let start: Instant
    /// When it ends, after ``start``.
    public let end: Instant
  }

  /// The widget.
  public let widget: Widget
  /// Scores in the order of time, with gaps where there is none.
  public let scores: [ScoreSpan]
  /// Windows in the order of their starts; those of several shortcuts may overlap.
  public let windows: [Window]
}
