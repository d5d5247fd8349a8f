import MarqueeModel

/// What every step of a device looks at of each widget: plain numbers side by side, so that a step over all widgets
/// costs little. A vacant slot has nothing but `nil` and 0.
struct Outlook: Equatable, Sendable {
  /// The index of the widget's kind.
  var kind: Int?
  /// The highest positive score that is in force or may come to be without an event; 0 when there is none.
  var bestScore = 0.0
  /// The score that counts now: positive or 0 (rules T3, T5).
  var score = 0.0
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
///
/// What is known of a widget is much, and is looked at and changed where it is: no copy is made of it unasked.
struct WidgetTable: Sendable {
  /// What every step looks at, by slot.
  private(set) var outlooks: [Outlook] = []
  /// The widgets that have a slot, in no order that means anything.
  private var states: [Shared<WidgetState>] = []
  /// The slot of each of ``states``.
  private var slots: [Int] = []
  /// Counts changes of widgets. It is no part of a device's state, as is ``revisions``.
  private(set) var revision: UInt64 = 0
  /// The count at each slot's last change.
  private(set) var revisions: [UInt64] = []
  /// The index in ``states`` of what each slot has; of a vacant one it means nothing.
  private var places: [Int] = []
  @Shared private var slotByWidget: [Widget: Int] = [:]
  /// Empty slots, to be used again, the last one first.
  private var vacant: [Int] = []

  init() {}

  func slot(of widget: Widget) -> Int? { slotByWidget[widget] }

  /// Whether there is such a slot with a widget in it.
  func isTaken(_ slot: Int) -> Bool { outlooks.indices.contains(slot) && outlooks[slot].kind != nil }

  /// The slots that have a widget, in their order.
  var taken: [Int] {
    var slots: [Int] = []
    slots.reserveCapacity(outlooks.count)
    for slot in outlooks.indices where outlooks[slot].kind != nil { slots.append(slot) }
    return slots
  }

  /// Whether a prediction is for some widget.
  var hasPredictions: Bool {
    outlooks.indices.contains { outlooks[$0].isSuggestible && self[$0].prediction != nil }
  }

  subscript(slot: Int) -> WidgetState {
    _read {
      precondition(isTaken(slot), "slot \(slot) is vacant")
      yield states[places[slot]].wrappedValue
    }
    _modify {
      precondition(isTaken(slot), "slot \(slot) is vacant")
      defer { note(slot, states[places[slot]].wrappedValue.outlook(evidence: outlooks[slot].evidence)) }
      yield &states[places[slot]].wrappedValue
    }
  }

  /// Whether one of the widget's episodes has neither moved the stack nor been spent (rule R4).
  func isFresh(_ slot: Int, on stack: StackID) -> Bool {
    if outlooks[slot].score > 0, let relevance = self[slot].relevance, relevance.episode.isFresh(on: stack) {
      return true
    }
    if let prediction = self[slot].prediction, prediction.episode.isFresh(on: stack) { return true }
    return self[slot].windows.isFresh(on: stack)
  }

  /// Notes the evidence of a widget as it was measured.
  mutating func setEvidence(_ evidence: Double, of slot: Int) {
    guard outlooks[slot].evidence != evidence else { return }
    revision += 1
    revisions[slot] = revision
    outlooks[slot].evidence = evidence
  }

  /// The slot of the widget that `state` describes, which has none yet.
  mutating func insert(_ state: WidgetState) -> Int {
    precondition(slotByWidget[state.widget] == nil, "the widget has a slot")
    let slot = vacant.popLast() ?? outlooks.count
    if slot == outlooks.count { addSlot() }
    fill(slot, state)
    return slot
  }

  mutating func remove(_ slot: Int) {
    slotByWidget[self[slot].widget] = nil
    let (place, last) = (places[slot], states.count - 1)
    if place != last {
      states.swapAt(place, last)
      slots[place] = slots[last]
      places[slots[place]] = place
    }
    states.removeLast()
    slots.removeLast()
    note(slot, Outlook())
    vacant.append(slot)
  }

  private mutating func addSlot() {
    outlooks.append(Outlook())
    revisions.append(revision)
    places.append(0)
  }

  private mutating func fill(_ slot: Int, _ state: WidgetState) {
    places[slot] = states.count
    states.append(Shared(wrappedValue: state))
    slots.append(slot)
    note(slot, states[places[slot]].wrappedValue.outlook(evidence: 0))
    slotByWidget[state.widget] = slot
  }

  private mutating func note(_ slot: Int, _ outlook: Outlook) {
    revision += 1
    revisions[slot] = revision
    outlooks[slot] = outlook
  }
}

extension WidgetTable: Equatable {
  static func == (left: WidgetTable, right: WidgetTable) -> Bool {
    left.outlooks == right.outlooks && left.vacant == right.vacant
      && left.taken.allSatisfy { left[$0] == right[$0] }
  }
}

extension WidgetTable: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(outlooks.count)
    for slot in outlooks.indices { writer.write(isTaken(slot) ? self[slot] : nil) }
    writer.write(vacant.count)
    for slot in vacant { writer.write(slot) }
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    for slot in 0..<(try reader.readCount()) {
      addSlot()
      if let state = try reader.readOptional(WidgetState.self) { fill(slot, state) }
    }
    for _ in 0..<(try reader.readCount()) { vacant.append(try reader.readInt()) }
    let empty = outlooks.indices.filter { !isTaken($0) }
    guard vacant.sorted() == empty, vacant.count + slotByWidget.count == outlooks.count else {
      throw reader.corrupt("slots that are neither vacant nor used")
    }
  }
}
