import MarqueeModel

/// The properties of a widget that every step reads, as plain values in a contiguous array so that scans are fast.
///
/// A vacant slot has the default values.
struct WidgetSummary: Equatable, Sendable {
  /// The index of the widget's kind, or `nil` for a vacant slot.
  var kind: Int?
  /// The highest positive score that is or can come into force without an event, or 0 if there is none.
  var bestScore = 0.0
  /// The score in force if it is positive, otherwise 0 (rules T3, T5).
  var score = 0.0
  /// The evidence as last computed by the device (rule R1).
  var evidence = 0.0
  /// The start of the latest episode that contributes evidence.
  var episodeStart: Instant?
  /// Whether a window is open or the widget is predicted.
  var isSuggestible = false
  /// The next instant at which an entry is reached, the relevance in force ends, or a window opens or ends.
  var nextBoundary: Instant?
  /// When a reload request is due, as in ``Reload/dueDate``.
  var reloadDue: Instant?
}

/// A device's widgets in stable slots, so that stacks can refer to them by index.
///
/// Widget states are large; they are read and modified in place, without copies.
struct WidgetTable: Sendable {
  /// The summaries of the widgets, by slot.
  private(set) var summaries: [WidgetSummary] = []
  /// The states of the widgets, in no particular order.
  private var states: [CopyOnWrite<WidgetState>] = []
  /// The slot of each of ``states``.
  private var slots: [Int] = []
  /// The number of changes of widgets. Like ``revisions``, it does not take part in equality.
  private(set) var revision: UInt64 = 0
  /// The value of ``revision`` at each slot's last change.
  private(set) var revisions: [UInt64] = []
  /// The index in ``states`` of each slot; meaningless for a vacant slot.
  private var places: [Int] = []
  @CopyOnWrite private var slotByWidget: [Widget: Int] = [:]
  /// The vacant slots, reused last in, first out.
  private var vacant: [Int] = []

  init() {}

  func slot(of widget: Widget) -> Int? { slotByWidget[widget] }

  /// Whether the slot exists and has a widget.
  func isOccupied(_ slot: Int) -> Bool { summaries.indices.contains(slot) && summaries[slot].kind != nil }

  /// The slots that have a widget, in ascending order.
  var occupiedSlots: [Int] {
    var slots: [Int] = []
    slots.reserveCapacity(summaries.count)
    for slot in summaries.indices where summaries[slot].kind != nil { slots.append(slot) }
    return slots
  }

  /// Whether any widget is predicted.
  var hasPredictions: Bool {
    summaries.indices.contains { summaries[$0].isSuggestible && self[$0].prediction != nil }
  }

  subscript(slot: Int) -> WidgetState {
    _read {
      precondition(isOccupied(slot), "slot \(slot) is vacant")
      yield states[places[slot]].wrappedValue
    }
    _modify {
      precondition(isOccupied(slot), "slot \(slot) is vacant")
      defer { note(slot, states[places[slot]].wrappedValue.summary(evidence: summaries[slot].evidence)) }
      yield &states[places[slot]].wrappedValue
    }
  }

  /// The approximate stored size of the widgets and their timelines, in bytes.
  var storedSize: Int {
    states.reduce(0) { $0 + $1.wrappedValue.widgetSize + $1.wrappedValue.timelineSize + Device.itemSize }
  }

  /// The approximate size of the timelines that ``TimelineStorage/referenced`` replaces, in bytes.
  var referencedSize: Int {
    states.reduce(0) { $0 + ($1.wrappedValue.isTimelineReferenced ? $1.wrappedValue.timelineSize : 0) }
  }

  /// The approximate stored size of the widgets alone, in bytes.
  var widgetSize: Int { states.reduce(0) { $0 + $1.wrappedValue.widgetSize + Device.itemSize } }

  /// Whether one of the widget's episodes has not moved the stack and is not spent (rule R4).
  func isFresh(_ slot: Int, on stack: StackID) -> Bool {
    if summaries[slot].score > 0, let relevance = self[slot].relevance, relevance.episode.isFresh(on: stack) {
      return true
    }
    if let prediction = self[slot].prediction, prediction.episode.isFresh(on: stack) { return true }
    return self[slot].windows.isFresh(on: stack)
  }

  /// Sets the computed evidence of a widget.
  mutating func setEvidence(_ evidence: Double, of slot: Int) {
    guard summaries[slot].evidence != evidence else { return }
    revision += 1
    revisions[slot] = revision
    summaries[slot].evidence = evidence
  }

  /// Inserts a widget and returns its slot.
  mutating func insert(_ state: WidgetState) -> Int {
    precondition(slotByWidget[state.widget] == nil, "the widget already has a slot")
    let slot = vacant.popLast() ?? summaries.count
    if slot == summaries.count { addSlot() }
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
    note(slot, WidgetSummary())
    vacant.append(slot)
  }

  private mutating func addSlot() {
    summaries.append(WidgetSummary())
    revisions.append(revision)
    places.append(0)
  }

  private mutating func fill(_ slot: Int, _ state: WidgetState) {
    places[slot] = states.count
    states.append(CopyOnWrite(wrappedValue: state))
    slots.append(slot)
    note(slot, states[places[slot]].wrappedValue.summary(evidence: 0))
    slotByWidget[state.widget] = slot
  }

  private mutating func note(_ slot: Int, _ summary: WidgetSummary) {
    revision += 1
    revisions[slot] = revision
    summaries[slot] = summary
  }
}

extension WidgetTable: Equatable {
  static func == (left: WidgetTable, right: WidgetTable) -> Bool {
    left.summaries == right.summaries && left.vacant == right.vacant
      && left.occupiedSlots.allSatisfy { left[$0] == right[$0] }
  }
}

extension WidgetTable {
  func write(to writer: inout ByteWriter, _ storage: TimelineStorage?) {
    writer.write(summaries.count)
    for slot in summaries.indices {
      writer.write(isOccupied(slot))
      if isOccupied(slot) { self[slot].write(to: &writer, storage) }
    }
    writer.write(vacant.count)
    for slot in vacant { writer.write(slot) }
  }

  init(from reader: inout ByteReader, _ source: TimelineSource?) throws(BinaryDecodingError) {
    for slot in 0..<(try reader.readCount()) {
      addSlot()
      if try reader.readBool() { fill(slot, try WidgetState(from: &reader, source)) }
    }
    for _ in 0..<(try reader.readCount()) { vacant.append(try reader.readInt()) }
    let empty = summaries.indices.filter { !isOccupied($0) }
    guard vacant.sorted() == empty, vacant.count + slotByWidget.count == summaries.count else {
      throw reader.corrupt("widget slots are inconsistent with the list of vacant slots")
    }
  }
}
