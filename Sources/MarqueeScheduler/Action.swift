import MarqueeModel

/// An instruction to the outside world, with the instant at which it became due.
public struct Action: Hashable, Sendable {
  /// The kinds of instructions.
  public enum Order: Hashable, Sendable {
    /// Bring the decision's widget, at this index of its stack, to the front.
    case rotate(Decision, front: Int)
    /// Show the updated stack with the decision's widget suggested on top.
    case suggest(Decision, Stack)
    /// Show the updated stack without the suggestion that it had.
    case withdraw(Stack, Widget, SuggestionRemovalReason)
    /// Show what the user scrolled to on the other displays.
    case scroll(StackID, to: Widget, front: Int)
    /// Show the updated stack.
    case updateStack(Stack)
    /// Stop showing the stack.
    case removeStack(StackID)
    /// Show the instance on the Home Screen, outside stacks.
    case addHomeWidget(WidgetInstance)
    /// Stop showing the instance outside stacks.
    case removeHomeWidget(WidgetInstance)
    /// Show this timeline entry wherever the instance is visible, or no entry if `nil`.
    case refresh(WidgetInstance, ShownEntry?)
    /// Request a new timeline from the widget's provider. Sent once, whether or not the provider is connected.
    case requestReload(ReloadRequest)
    /// Have the app perform its Focus filter. Sent to the app if it serves queries; otherwise, it receives the state
    /// once it does.
    case performFocusFilter(AppID, FocusFilterState)
  }

  /// When the action became due.
  public let at: Instant
  /// The instruction.
  public let order: Order
  /// The name of the decision's widget in sentences (rule X1); `nil` if there is no decision.
  public let name: String?

  /// Creates an action that became due at `at`.
  public init(at: Instant, _ order: Order, name: String? = nil) {
    self.at = at
    self.order = order
    self.name = name
  }

  /// Returns the name of a widget in the reason for the decision.
  public func name(of widget: Widget) -> String {
    guard let name, widget == decision?.to else { return widget.shownName }
    return name
  }

  /// The decision that the action carries out, or `nil` if it does not result from a decision of the engine.
  public var decision: Decision? {
    switch order {
    case .rotate(let decision, _), .suggest(let decision, _): decision
    case .withdraw, .scroll, .updateStack, .removeStack, .addHomeWidget, .removeHomeWidget, .refresh, .requestReload,
      .performFocusFilter:
      nil
    }
  }
}
