/// The fronts of a stack and the evidence of its members over a period in which no event occurs.
public struct ForeseenStack: Hashable, Sendable {
  /// The widget in front of the stack from an instant on.
  public struct Front: Hashable, Sendable {
    /// The instant.
    public let at: Instant
    /// The widget, or `nil` if the stack is empty.
    public let widget: Widget?

    /// Creates a front.
    public init(at: Instant, widget: Widget?) {
      self.at = at
      self.widget = widget
    }
  }

  /// The stack's identifier.
  public let stack: StackID
  /// The widgets in front: at the start of the period, then at each change, in order.
  public package(set) var fronts: [Front]
  /// The evidence of the members and suggestions, in the order of their first appearance.
  public package(set) var curves: [EvidenceCurve]

  /// Creates a stack.
  public init(stack: StackID, fronts: [Front], curves: [EvidenceCurve]) {
    self.stack = stack
    self.fronts = fronts
    self.curves = curves
  }
}

/// A widget's evidence over a period, as a step function.
public struct EvidenceCurve: Hashable, Sendable {
  /// A widget's evidence from an instant on.
  public struct Point: Hashable, Sendable {
    /// The instant.
    public let at: Instant
    /// The evidence, not negative (rule R1).
    public let evidence: Double

    /// Creates a point.
    public init(at: Instant, evidence: Double) {
      self.at = at
      self.evidence = evidence
    }
  }

  /// The widget.
  public let widget: Widget
  /// The evidence from each instant on, in order; 0 when a suggestion is no longer in the stack.
  public package(set) var points: [Point]

  /// Creates a curve.
  public init(widget: Widget, points: [Point]) {
    self.widget = widget
    self.points = points
  }
}
