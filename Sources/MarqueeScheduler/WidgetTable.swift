import MarqueeModel

/// A device's widgets in slots that stay where they are, so that stacks can refer to them by index.
struct WidgetTable: Equatable, Sendable {
  private(set) var slots: [WidgetState?] = []
  private var slotByWidget: [Widget: Int] = [:]
  /// Empty slots, to be used again, the last one first.
  private var vacant: [Int] = []

  init() {}

  func slot(of widget: Widget) -> Int? { slotByWidget[widget] }

  subscript(slot: Int) -> WidgetState {
    _read {
      guard slots[slot] != nil else { preconditionFailure("slot \(slot) is vacant") }
      yield slots[slot]!
    }
    _modify {
      guard slots[slot] != nil else { preconditionFailure("slot \(slot) is vacant") }
      yield &slots[slot]!
    }
  }

  /// The slot of the widget that `state` describes, which has none yet.
  mutating func insert(_ state: WidgetState) -> Int {
    precondition(slotByWidget[state.widget] == nil, "the widget has a slot")
    let slot = vacant.popLast() ?? slots.count
    if slot == slots.count { slots.append(state) } else { slots[slot] = state }
    slotByWidget[state.widget] = slot
    return slot
  }

  mutating func remove(_ slot: Int) {
    slotByWidget[self[slot].widget] = nil
    slots[slot] = nil
    vacant.append(slot)
  }
}

extension WidgetTable: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(slots.count)
    for state in slots { writer.write(state) }
    writer.write(vacant.count)
    for slot in vacant { writer.write(slot) }
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    for slot in 0..<(try reader.readCount()) {
      let state = try reader.readOptional(WidgetState.self)
      slots.append(state)
      if let state { slotByWidget[state.widget] = slot }
    }
    for _ in 0..<(try reader.readCount()) { vacant.append(try reader.readInt()) }
    let empty = slots.indices.filter { slots[$0] == nil }
    guard vacant.sorted() == empty, vacant.count + slotByWidget.count == slots.count else {
      throw reader.corrupt("slots that are neither vacant nor used")
    }
  }
}
