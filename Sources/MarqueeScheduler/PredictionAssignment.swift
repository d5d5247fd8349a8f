/// The predicted actions of widgets, by slot.
struct PredictionAssignment {
  private let actions: [PredictedAction]
  /// The index in ``actions`` plus 1 of each slot, or 0 for one without an action.
  private var places: [Int] = []

  /// Creates an assignment of some of the given actions.
  init(of actions: [PredictedAction]) {
    self.actions = actions
  }

  /// Whether the widget in a slot has an action.
  func hasAction(_ slot: Int) -> Bool { slot < places.count && places[slot] > 0 }

  /// The action of the widget in a slot, or `nil`.
  subscript(slot: Int) -> PredictedAction? { hasAction(slot) ? actions[places[slot] - 1] : nil }

  /// Sets the index of the action of the widget in a slot, in place of an earlier one.
  mutating func assign(_ action: Int, to slot: Int) {
    if places.count <= slot { places.append(contentsOf: repeatElement(0, count: slot + 1 - places.count)) }
    places[slot] = action + 1
  }
}
