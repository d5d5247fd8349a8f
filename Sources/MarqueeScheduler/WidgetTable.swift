import MarqueeModel

/// What every step of a device looks at of each widget: plain numbers side by side, so that a step over all widgets
/// costs little. A vacant slot has nothing but `nil` and 0.
struct Outlook: Equatable, Sendable {
  /// The index of the widget's kind.
  var kind: Int?
  /// The highest positive score that is in force or may come to be without an event; 0 when there is none.
  var bestScore = 0.0
  /// The evidence that the device measured last (rule R1).
  var evidence = 0.0
  /// When the last of the episodes that give evidence began.
  var episodeStart: Instant?
  /// Whether a window of a shortcut is open or a prediction is for the widget.
  var isSuggestible = false
  /// The next instant at which an entry is reached, the relevance in force ends, or a window opens or ends.
  var nextEdge: Instant?
  /// When a reload request is due, as ``Reload/dueDate``.
  var reloadDue: Instant?
}

/// A device's widgets in slots that stay where they are, so that stacks can refer to them by index.
struct WidgetTable: Equatable, Sendable {
  private(set) var slots: [WidgetState?] = []
  /// What every step looks at, by slot.
  private(set) var outlooks: [Outlook] = []
  private var slotByWidget: [Widget: Int] = [:]
  /// Empty slots, to be used again, the last one first.
  private var vacant: [Int] = []

  init() {}

  func slot(of widget: Widget) -> Int? { slotByWidget[widget] }

  /// Whether a prediction is for some widget.
  var hasPredictions: Bool {
    outlooks.indices.contains { outlooks[$0].isSuggestible && slots[$0]?.prediction != nil }
  }

  subscript(slot: Int) -> WidgetState {
    _read {
      guard slots[slot] != nil else { preconditionFailure("slot \(slot) is vacant") }
      yield slots[slot]!
    }
    _modify {
      guard slots[slot] != nil else { preconditionFailure("slot \(slot) is vacant") }
      defer { outlooks[slot] = slots[slot]?.outlook ?? Outlook() }
      yield &slots[slot]!
    }
  }

  /// The slot of the widget that `state` describes, which has none yet.
  mutating func insert(_ state: WidgetState) -> Int {
    precondition(slotByWidget[state.widget] == nil, "the widget has a slot")
    let slot = vacant.popLast() ?? slots.count
    if slot == slots.count {
      slots.append(state)
      outlooks.append(state.outlook)
    } else {
      slots[slot] = state
      outlooks[slot] = state.outlook
    }
    slotByWidget[state.widget] = slot
    return slot
  }

  mutating func remove(_ slot: Int) {
    slotByWidget[self[slot].widget] = nil
    slots[slot] = nil
    outlooks[slot] = Outlook()
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
      outlooks.append(state?.outlook ?? Outlook())
      if let state { slotByWidget[state.widget] = slot }
    }
    for _ in 0..<(try reader.readCount()) { vacant.append(try reader.readInt()) }
    let empty = slots.indices.filter { slots[$0] == nil }
    guard vacant.sorted() == empty, vacant.count + slotByWidget.count == slots.count else {
      throw reader.corrupt("slots that are neither vacant nor used")
    }
  }
}
