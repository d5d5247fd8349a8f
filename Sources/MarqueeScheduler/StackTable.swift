import MarqueeModel

/// A device's stacks, in order of creation. Stacks are read and modified in place, without copies.
struct StackTable: Equatable, Sendable {
  private var states: [CopyOnWrite<StackState>] = []
  /// The index in ``states`` of each stack.
  @CopyOnWrite private var positions: [StackID: Int] = [:]

  init() {}

  var count: Int { states.count }

  /// The positions of all stacks, which are stable until a stack is removed.
  var indices: Range<Int> { states.indices }

  /// Copies of all stacks.
  var all: [StackState] { states.map(\.wrappedValue) }

  /// The position of the first visible stack, or of the first stack if none is visible.
  var foremost: Int? {
    for position in indices where self[position].isVisible { return position }
    return indices.first
  }

  func position(of id: StackID) -> Int? { positions[id] }

  subscript(position: Int) -> StackState {
    _read { yield states[position].wrappedValue }
    _modify { yield &states[position].wrappedValue }
  }

  /// Returns the slot of the suggestion on a stack, or `nil`. Avoids copying the stack on a hot path.
  func suggestedSlot(_ position: Int) -> Int? { states[position].wrappedValue.suggestion?.slot }

  /// Whether a member of a stack has settings. Avoids copying the stack on a hot path.
  func hasSettings(_ position: Int) -> Bool { !states[position].wrappedValue.settings.isEmpty }

  /// Returns a copy of the named stack, or `nil`.
  subscript(id: StackID) -> StackState? { positions[id].map { self[$0] } }

  /// Appends a stack, whose name must be new.
  mutating func append(_ stack: StackState) {
    precondition(positions[stack.id] == nil, "a stack with this name already exists")
    positions[stack.id] = states.count
    states.append(CopyOnWrite(wrappedValue: stack))
  }

  mutating func remove(at position: Int) {
    states.remove(at: position)
    positions = [:]
    for (position, state) in states.enumerated() { positions[state.wrappedValue.id] = position }
  }
}
