import MarqueeModel
import OrderedCollections

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
  /// Whether a window is open or the widget is predicted, and its current entry has not expired.
  var isSuggestible = false
  /// Whether the widget is predicted.
  var isPredicted = false
  /// Whether the widget is in a group (rule R15).
  var isGrouped = false
  /// The next instant at which an entry is reached or expires, the relevance in force ends, or a window opens or ends.
  var nextBoundary: Instant?
  /// When a reload request is due, as in ``Reload/dueDate``.
  var reloadDue: Instant?
}

/// The instances of a device's widgets in stable slots, so that stacks can refer to them by index (rule W1).
///
/// The slots of the instances of one widget form a ring in the order of ``WidgetFamily``, so that most operations,
/// which concern one instance, need not search for others. Widget states are large; they are read and modified in
/// place, without copies.
struct WidgetTable: Sendable {
  /// The maximum number of removed instances whose counts are kept. Beyond it, those of the one removed first are
  /// evicted.
  static let formerCountMax = 256

  /// The summaries of the widgets, by slot.
  private(set) var summaries: [WidgetSummary] = []
  /// The counts of the widgets, by slot (rule R17). A vacant slot has none. They are not in the states because counting
  /// does not invalidate evaluations.
  var counters: [InstanceCounters] = []
  /// The counts of instances that were removed, in the order of their removal. They continue if the instance returns.
  private(set) var formerCounters: OrderedDictionary<WidgetInstance, InstanceCounters> = [:]
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
  /// The slot of each widget's first instance, in the order of families.
  @CopyOnWrite private var firstSlots: [Widget: Int] = [:]
  /// The slot of the next instance of the same widget, by slot; the first one follows the last.
  private var nextSlots: [Int] = []
  /// The vacant slots, reused last in, first out.
  private var vacant: [Int] = []
  /// The slots of the instances that are in a group now, in ascending order (rule R15).
  private(set) var groupedSlots: [Int] = []

  init() {}

  /// Returns the slot of the widget's first instance, in the order of families, or `nil`.
  func firstSlot(of widget: Widget) -> Int? { firstSlots[widget] }

  /// Returns the slot of the next instance of the slot's widget; the first one follows the last.
  func nextSlot(after slot: Int) -> Int { nextSlots[slot] }

  /// Returns the slots of the widget's instances, in the order of families.
  func slots(of widget: Widget) -> [Int] {
    guard let first = firstSlots[widget] else { return [] }
    var slots = [first]
    while nextSlots[slots[slots.count - 1]] != first { slots.append(nextSlots[slots[slots.count - 1]]) }
    return slots
  }

  /// Returns the slot of an instance, or `nil`.
  func slot(of widget: Widget, in family: WidgetFamily) -> Int? {
    firstSlots[widget].flatMap { slot(of: family, inRingOf: $0) }
  }

  /// Returns the slot of the instance in a family of the widget that has the slot `first`, or `nil`.
  func slot(of family: WidgetFamily, inRingOf first: Int) -> Int? {
    var slot = first
    while self[slot].family != family {
      slot = nextSlots[slot]
      if slot == first { return nil }
    }
    return slot
  }

  /// Whether the slot exists and has a widget.
  func isOccupied(_ slot: Int) -> Bool { summaries.indices.contains(slot) && summaries[slot].kind != nil }

  /// The number of slots that have a widget.
  var count: Int { states.count }

  /// The slots that have a widget, in ascending order.
  var occupiedSlots: [Int] {
    var slots: [Int] = []
    slots.reserveCapacity(summaries.count)
    for slot in summaries.indices where summaries[slot].kind != nil { slots.append(slot) }
    return slots
  }

  /// Whether any widget is predicted.
  var hasPredictions: Bool { summaries.contains { $0.isPredicted } }

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
      + formerCounters.keys.reduce(0) { $0 + $1.widget.storedSize + Device.itemSize }
  }

  /// The approximate stored size of the timelines alone, in bytes.
  var timelineSize: Int { states.reduce(0) { $0 + $1.wrappedValue.timelineSize } }

  /// The approximate size of the timelines that ``TimelineStorage/referenced`` replaces, in bytes.
  var referencedSize: Int {
    states.reduce(0) { $0 + ($1.wrappedValue.isTimelineReferenced ? $1.wrappedValue.timelineSize : 0) }
  }

  /// The approximate stored size of the widgets alone, in bytes, each counted once for all of its instances.
  var widgetSize: Int { firstSlots.values.reduce(0) { $0 + self[$1].widgetSize + Device.itemSize } }

  /// Whether one of the widget's episodes satisfies a condition.
  func hasEpisode(_ slot: Int, where isMatch: (Episode) -> Bool) -> Bool {
    if summaries[slot].score > 0, let relevance = self[slot].relevance, isMatch(relevance.episode) { return true }
    if let prediction = self[slot].prediction, isMatch(prediction.episode) { return true }
    return self[slot].windows.hasEpisode(where: isMatch)
  }

  /// Returns why none of the widget's episodes can move a stack; `nil` if there is no episode (rule R4).
  func episodeEnd(_ slot: Int) -> EpisodeEnd? {
    var end: EpisodeEnd?
    func note(_ episode: Episode) { end = episode.end(after: end) }
    if summaries[slot].score > 0, let relevance = self[slot].relevance { note(relevance.episode) }
    if let prediction = self[slot].prediction { note(prediction.episode) }
    self[slot].windows.visitEpisodes(note)
    return end
  }

  /// Sets the computed evidence of a widget.
  mutating func setEvidence(_ evidence: Double, of slot: Int) {
    guard summaries[slot].evidence != evidence else { return }
    revision += 1
    revisions[slot] = revision
    summaries[slot].evidence = evidence
  }

  /// Inserts an instance and returns its slot.
  mutating func insert(_ state: WidgetState) -> Int {
    let slot = vacant.popLast() ?? summaries.count
    if slot == summaries.count { addSlot() }
    fill(slot, state)
    link(slot)
    resumeCounts(slot)
    return slot
  }

  mutating func remove(_ slot: Int) {
    retireCounts(slot)
    unlink(slot)
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

  /// Replaces the index of each widget's kind by the result of `index`.
  mutating func renumberKinds(_ index: (Int) -> Int) {
    for slot in occupiedSlots { self[slot].setKind(index(self[slot].kind)) }
  }

  private mutating func addSlot() {
    summaries.append(WidgetSummary())
    counters.append(InstanceCounters())
    revisions.append(revision)
    places.append(0)
    nextSlots.append(summaries.count - 1)
  }

  /// Changes the family of the instance in a slot, which then is another instance with its own counts. The widget must
  /// not have an instance in that family.
  mutating func move(_ slot: Int, to family: WidgetFamily) {
    retireCounts(slot)
    unlink(slot)
    self[slot].setFamily(family)
    link(slot)
    resumeCounts(slot)
  }

  /// Inserts the slot into the ring of its widget.
  private mutating func link(_ slot: Int) {
    let (widget, family) = (self[slot].widget, self[slot].family)
    nextSlots[slot] = slot
    guard let first = firstSlots[widget] else {
      firstSlots[widget] = slot
      return
    }
    var previous = first
    if family.rawValue < self[first].family.rawValue {
      while nextSlots[previous] != first { previous = nextSlots[previous] }
      firstSlots[widget] = slot
    } else {
      while nextSlots[previous] != first, self[nextSlots[previous]].family.rawValue <= family.rawValue {
        previous = nextSlots[previous]
      }
      precondition(self[previous].family != family, "the widget already has an instance in \(family)")
    }
    nextSlots[slot] = nextSlots[previous]
    nextSlots[previous] = slot
  }

  /// Removes the slot from the ring of its widget.
  private mutating func unlink(_ slot: Int) {
    let next = nextSlots[slot]
    guard next != slot else {
      firstSlots[self[slot].widget] = nil
      return
    }
    if firstSlots[self[slot].widget] == slot { firstSlots[self[slot].widget] = next }
    var previous = next
    while nextSlots[previous] != slot { previous = nextSlots[previous] }
    nextSlots[previous] = next
    nextSlots[slot] = slot
  }

  private mutating func fill(_ slot: Int, _ state: WidgetState) {
    places[slot] = states.count
    states.append(CopyOnWrite(wrappedValue: state))
    slots.append(slot)
    note(slot, states[places[slot]].wrappedValue.summary(evidence: 0))
  }

  private mutating func note(_ slot: Int, _ summary: WidgetSummary) {
    revision += 1
    revisions[slot] = revision
    if summaries[slot].isGrouped != summary.isGrouped { noteGroups(of: slot, isGrouped: summary.isGrouped) }
    summaries[slot] = summary
  }

  private mutating func noteGroups(of slot: Int, isGrouped: Bool) {
    let index = groupedSlots.firstIndex { $0 >= slot } ?? groupedSlots.count
    if isGrouped { groupedSlots.insert(slot, at: index) } else { groupedSlots.remove(at: index) }
  }
}

// MARK: Counts

extension WidgetTable {
  /// Whether anything was counted of the present instances.
  var hasCounts: Bool { counters.contains { !$0.isEmpty } }

  /// Keeps the counts of an instance that is removed.
  private mutating func retireCounts(_ slot: Int) {
    guard !counters[slot].isEmpty else { return }
    if formerCounters.count == Self.formerCountMax { formerCounters.removeFirst() }
    formerCounters[self[slot].instance] = counters[slot]
    counters[slot] = InstanceCounters()
  }

  /// Continues the counts of an instance that returns.
  private mutating func resumeCounts(_ slot: Int) {
    guard !formerCounters.isEmpty, let former = formerCounters.removeValue(forKey: self[slot].instance) else { return }
    counters[slot] = former
  }

  /// Removes the counts of removed instances of the widgets for which `isRemoved` returns `true`.
  mutating func removeFormerCounts(where isRemoved: (Widget) -> Bool) {
    if !formerCounters.isEmpty { formerCounters.removeAll { isRemoved($0.key.widget) } }
  }

  /// Adapts the counts of removed instances to a clock that was moved back to `now`.
  mutating func restateFormerCounts(at now: Instant) {
    for instance in formerCounters.keys { formerCounters[instance]?.restateTime(at: now, spanFrom: nil) }
  }

  /// Replaces all counts by those of another table of the same instances.
  mutating func adoptCounts(of other: WidgetTable) {
    (counters, formerCounters) = (other.counters, other.formerCounters)
  }

  /// Encodes the counts, which follow a device that has any.
  func writeCounters(to writer: inout ByteWriter) {
    for slot in occupiedSlots { counters[slot].write(to: &writer) }
  }

  mutating func readCounters(from reader: inout ByteReader, at now: Instant) throws(BinaryDecodingError) {
    for slot in occupiedSlots { counters[slot] = try InstanceCounters(from: &reader, at: now) }
    guard hasCounts else { throw reader.corrupt("counts of instances without any") }
  }

  /// Encodes the counts of removed instances, which follow a device that has any.
  func writeFormerCounters(to writer: inout ByteWriter) {
    writer.write(formerCounters.count)
    for (instance, counts) in formerCounters {
      writer.write(instance)
      counts.write(to: &writer)
    }
  }

  mutating func readFormerCounters(from reader: inout ByteReader, at now: Instant) throws(BinaryDecodingError) {
    for _ in 0..<(try reader.readCount()) {
      let (instance, counts) = (try reader.read(WidgetInstance.self), try InstanceCounters(from: &reader, at: now))
      guard !counts.isEmpty, slot(of: instance.widget, in: instance.family) == nil,
        formerCounters.updateValue(counts, forKey: instance) == nil
      else { throw reader.corrupt("counts of a removed instance that are empty, duplicate, or of a present one") }
    }
    guard (1...Self.formerCountMax).contains(formerCounters.count) else {
      throw reader.corrupt("counts of no removed instance, or of more than \(Self.formerCountMax)")
    }
  }
}

extension WidgetTable: Equatable {
  static func == (left: WidgetTable, right: WidgetTable) -> Bool {
    left.summaries == right.summaries && left.vacant == right.vacant && left.counters == right.counters
      && left.formerCounters == right.formerCounters
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

  /// Decodes a table, in which instances can be found only after ``linkAll(_:)``.
  init(from reader: inout ByteReader, _ source: TimelineSource?) throws(BinaryDecodingError) {
    for slot in 0..<(try reader.readCount()) {
      addSlot()
      if try reader.readBool() { fill(slot, try WidgetState(from: &reader, source)) }
    }
    for _ in 0..<(try reader.readCount()) { vacant.append(try reader.readInt()) }
    let empty = summaries.indices.filter { !isOccupied($0) }
    guard vacant.sorted() == empty, vacant.count + states.count == summaries.count else {
      throw reader.corrupt("widget slots are inconsistent with the list of vacant slots")
    }
  }

  /// Makes the instances of a decoded table known by their widgets and families.
  mutating func linkAll(_ reader: ByteReader) throws(BinaryDecodingError) {
    for slot in occupiedSlots {
      guard let first = firstSlots[self[slot].widget] else {
        firstSlots[self[slot].widget] = slot
        continue
      }
      guard self.slot(of: self[slot].family, inRingOf: first) == nil else { throw reader.corrupt("duplicate widget") }
      link(slot)
    }
  }
}
