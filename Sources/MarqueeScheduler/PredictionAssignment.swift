/// The predicted actions of widgets, by slot.
struct PredictionAssignment {
  private var actions: [PredictedAction] = []
  /// The index in ``actions`` plus 1 of each slot, or 0 for one without an action.
  private var places: [Int] = []

  init() {}

  /// Whether the widget in a slot has an action.
  func hasAction(_ slot: Int) -> Bool { slot < places.count && places[slot] > 0 }

  /// The action of the widget in a slot, or `nil`.
  subscript(slot: Int) -> PredictedAction? { hasAction(slot) ? actions[places[slot] - 1] : nil }

  /// Sets the action of the widget in a slot, in place of an earlier one.
  mutating func assign(_ action: PredictedAction, to slot: Int) {
    while places.count <= slot { places.append(0) }
    actions.append(action)
    places[slot] = actions.count
  }
}
