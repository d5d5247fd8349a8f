import MarqueeModel

/// A device's stacks, in the order in which they were made.
///
/// As of widgets, no copy is made of one that is looked at or changed where it is.
struct StackTable: Equatable, Sendable {
  private var states: [Shared<StackState>] = []
  /// The index in ``states`` of each.
  @Shared private var positions: [StackID: Int] = [:]

  init() {}

  var count: Int { states.count }

  /// The positions of all stacks; they stay until one is removed.
  var indices: Range<Int> { states.indices }

  /// Copies of all stacks.
  var all: [StackState] { states.map(\.wrappedValue) }

  /// The first visible stack; the first one when none is.
  var foremost: Int? {
    for position in indices where self[position].isVisible { return position }
    return indices.first
  }

  func position(of id: StackID) -> Int? { positions[id] }

  subscript(position: Int) -> StackState {
    _read { yield states[position].wrappedValue }
    _modify { yield &states[position].wrappedValue }
  }

  /// The slot of what is suggested on a stack, which every step asks.
  func suggestedSlot(_ position: Int) -> Int? { states[position].wrappedValue.suggestion?.slot }

  /// A copy of the stack of that name.
  subscript(id: StackID) -> StackState? { positions[id].map { self[$0] } }

  /// Puts a stack behind the others whose name none has.
  mutating func append(_ stack: StackState) {
    precondition(positions[stack.id] == nil, "there is a stack of this name")
    positions[stack.id] = states.count
    states.append(Shared(wrappedValue: stack))
  }

  mutating func remove(at position: Int) {
    states.remove(at: position)
    positions = [:]
    for (position, state) in states.enumerated() { positions[state.wrappedValue.id] = position }
  }
}
