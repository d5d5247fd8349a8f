import MarqueeModel

/// The state of a stack: members, front, suggestion, toggles and budgets.
struct StackState: Equatable, Sendable {
  let id: StackID
  let family: WidgetFamily
  /// The user's own members, as slots in the device's widget table.
  ///
  /// Displays show the suggestion before them. Withdrawing the suggestion leaves exactly these members (rule R5).
  var members: [Int] = [] { didSet { evaluationCache.invalidate() } }
  /// The index in ``members`` of the front, or of the member behind a suggestion that is in front.
  var front: Int? { didSet { evaluationCache.invalidate() } }
  var suggestion: Suggestion? { didSet { evaluationCache.invalidate() } }
  var isSmartRotateOn = true { didSet { evaluationCache.invalidate() } }
  var isWidgetSuggestionsOn = true { didSet { evaluationCache.invalidate() } }
  var isVisible = true { didSet { evaluationCache.invalidate() } }
  var lastTouch: Instant? { didSet { evaluationCache.invalidate() } }
  /// The rotations of the last 24 hours.
  var rotations = SlidingWindowLimiter() { didSet { evaluationCache.invalidate() } }
  /// The suggestions made on the stack in the last 24 hours.
  var insertions = SlidingWindowLimiter() { didSet { evaluationCache.invalidate() } }
  /// The user's settings of members that have any, by slot (rule R12).
  private(set) var settings: [Int: MemberSettings] = [:] { didSet { evaluationCache.invalidate() } }
  /// The slot of the member that the user last scrolled to, unless the user put another one first since (rule R13).
  var lastScrolled: Int?
  /// The slot of the member that a pin replaced in front, which returns when no pin is in force (rule R12).
  private(set) var frontBeforePin: Int? { didSet { evaluationCache.invalidate() } }
  /// The slots of the members that may return because rotations replaced them in front since the user chose the front
  /// (rule R4).
  private(set) var replaced: Set<Int> = [] { didSet { evaluationCache.invalidate() } }
  /// Since when neither a member nor a suggestion has evidence; `nil` if one has, or if stacks do not return to their
  /// resting front (rule R13).
  var quietSince: Instant?
  /// The widget that the engine last brought to the front, until the user's reaction is known (rule R11).
  var promotion: Promotion?
  /// When the time-based gates open for the candidate that only they block, or `nil` if there is none.
  var nextCheck: Instant?
  /// The gate that blocked the best candidate when blocked decisions were last counted.
  @Uncompared var blockingGate = BlockingGate()
  /// Whether the last evaluation of the stack is still valid.
  @Uncompared var evaluationCache = EvaluationCache()

  init(id: StackID, family: WidgetFamily) {
    self.id = id
    self.family = family
  }

  /// The number of widgets shown, including the suggestion.
  @inline(__always) var shownCount: Int { members.count + suggestionCount }

  /// The index of the front among the shown widgets.
  @inline(__always) var shownFront: Int? {
    if let suggestion, suggestion.isInFront { return 0 }
    return front.map { $0 + suggestionCount }
  }

  /// The slot of the front.
  @inline(__always) var frontSlot: Int? {
    if let suggestion, suggestion.isInFront { return suggestion.slot }
    guard let front else { return nil }
    return members[front]
  }

  @inline(__always) private var suggestionCount: Int { suggestion == nil ? 0 : 1 }

  /// Returns the slot of the widget at an index of the shown widgets.
  @inline(__always) func slot(at index: Int) -> Int {
    guard let suggestion else { return members[index] }
    return index == 0 ? suggestion.slot : members[index - 1]
  }

  /// Returns the index in ``members`` for an index of the shown widgets; the suggestion maps to the first member.
  func memberIndex(shown index: Int) -> Int { max(0, index - suggestionCount) }

  /// Brings the shown widget at `index` to the front.
  mutating func bringToFront(_ index: Int) {
    suggestion?.isInFront = index == 0
    if suggestion?.isInFront != true { front = memberIndex(shown: index) }
  }

  /// Brings the shown widget at `index` to the front by a decision. The member that a pin replaces may return, and the
  /// one that a rotation replaces, if `mayReturn`.
  mutating func bringToFront(_ index: Int, by kind: Decision.Kind, mayReturn: Bool = false) {
    let old = frontSlot.flatMap { members.contains($0) ? $0 : nil }
    let new = slot(at: index)
    bringToFront(index)
    switch kind {
    case .pin: frontBeforePin = frontBeforePin ?? old
    case .rest: frontBeforePin = nil
    case .rotation, .suggestion: if mayReturn, let old { replaced.insert(old) }
    }
    replaced.remove(new)
    if frontBeforePin == new { frontBeforePin = nil }
  }

  /// Records that the user chose the front: no member that was replaced before returns to it.
  mutating func noteChoice() {
    forgetFrontBeforePin()
    if !replaced.isEmpty { replaced = [] }
  }

  /// Keeps the front when no pin is in force.
  mutating func forgetFrontBeforePin() { if frontBeforePin != nil { frontBeforePin = nil } }

  /// Records that the user scrolled to the shown widget at `index`. A suggestion cannot become the resting front.
  mutating func noteScroll(to index: Int) {
    if suggestion == nil || index > 0 { lastScrolled = slot(at: index) }
  }

  /// Whether a scroll at `now` passes the front: the user scrolled to it at most ``Engagement/rejectionSpan`` before.
  func isPassing(at now: Instant) -> Bool {
    guard let lastScrolled, lastScrolled == frontSlot, let lastTouch else { return false }
    return lastTouch.span(to: now) <= Engagement.rejectionSpan
  }

  /// The last rotation or suggestion, which changed the front.
  @inline(__always) var lastChange: Instant? {
    guard let rotation = rotations.last else { return insertions.last }
    return max(rotation, insertions.last ?? rotation)
  }

  /// Inserts a member at `index`. The front stays in front; the first member becomes the front.
  mutating func insert(_ slot: Int, at index: Int) {
    if index == 0 { lastScrolled = nil }
    members.insert(slot, at: index)
    front = front.map { index <= $0 ? $0 + 1 : $0 } ?? 0
  }

  /// Removes the member at `index`, with its settings. If it was the front, the next member, or else the last one,
  /// becomes the front.
  mutating func removeMember(at index: Int) {
    let slot = members.remove(at: index)
    settings[slot] = nil
    if lastScrolled == slot { lastScrolled = nil }
    if frontBeforePin == slot { frontBeforePin = nil }
    replaced.remove(slot)
    if index == front { noteChoice() }
    guard let old = front else { return }
    if members.isEmpty {
      front = nil
      suggestion?.isInFront = true
    } else {
      front = min(index < old ? old - 1 : old, members.count - 1)
    }
  }

  /// Replaces the member at `index`, which keeps its settings.
  mutating func replaceMember(at index: Int, with slot: Int) {
    moveSettings(of: members[index], to: slot)
    if index == front { replaced = [] }
    members[index] = slot
  }

  /// Replaces a slot wherever the stack refers to it.
  mutating func replaceSlot(_ slot: Int, with new: Int) {
    if members.contains(slot) { moveSettings(of: slot, to: new) }
    members = members.map { $0 == slot ? new : $0 }
    if let old = suggestion, old.slot == slot { suggestion = Suggestion(slot: new, isInFront: old.isInFront) }
    if let old = promotion, old.slot == slot { promotion = Promotion(slot: new, since: old.since) }
  }

  private mutating func moveSettings(of slot: Int, to new: Int) {
    if lastScrolled == slot { lastScrolled = new }
    if frontBeforePin == slot { frontBeforePin = new }
    if replaced.remove(slot) != nil { replaced.insert(new) }
    if let own = settings.removeValue(forKey: slot) { settings[new] = own }
  }

  /// Changes the settings of a member.
  mutating func changeSettings(of slot: Int, _ body: (inout MemberSettings) -> Void) {
    var own = settings[slot] ?? MemberSettings()
    body(&own)
    settings[slot] = own.isDefault ? nil : own
  }

  /// Moves the member at `index` to `target`. The front stays in front.
  mutating func moveMember(at index: Int, to target: Int) {
    if target == 0 { lastScrolled = nil }
    let old = front.map { members[$0] }
    members.insert(members.remove(at: index), at: target)
    front = members.firstIndex { $0 == old }
  }
}

/// A suggested widget on top of a stack, which is not one of the user's own members.
struct Suggestion: Equatable, Sendable {
  /// The slot in the device's widget table.
  let slot: Int
  var isInFront = true
}

/// A widget that the engine brought to the front of a stack, pending the user's reaction.
struct Promotion: Equatable, Sendable {
  /// The slot of the widget, which is still the front.
  let slot: Int
  /// When the widget could first be seen.
  var since: Instant
}

/// The encoding in device format version 1; ``writeSuggestion(to:)`` encodes what version 2 added.
extension StackState: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(id)
    writer.write(family)
    writer.write(members.count)
    for slot in members { writer.write(slot) }
    writer.write(front.map { $0 + 1 } ?? 0)
    writer.write(isSmartRotateOn)
    writer.write(isWidgetSuggestionsOn)
    writer.write(isVisible)
    writer.write(lastTouch)
    writer.write(rotations)
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    id = try reader.read()
    family = try reader.read()
    for _ in 0..<(try reader.readCount()) {
      members.append(try reader.readInt())
    }
    let position = try reader.readInt()
    guard position <= members.count, (position == 0) == members.isEmpty else {
      throw reader.corrupt("stack front is out of range")
    }
    front = position == 0 ? nil : position - 1
    isSmartRotateOn = try reader.readBool()
    isWidgetSuggestionsOn = try reader.readBool()
    isVisible = try reader.readBool()
    lastTouch = try reader.readOptional()
    rotations = try reader.read()
  }
}

extension StackState {
  /// Encodes what device format version 12 added: settings, by the index of their member, and the resting front.
  func writeSettings(to writer: inout ByteWriter) {
    writer.write(settings.count)
    for (index, slot) in members.enumerated() {
      guard let own = settings[slot] else { continue }
      writer.write(index)
      writer.write(own)
    }
    writer.write(lastScrolled.flatMap(members.firstIndex).map { $0 + 1 } ?? 0)
    writer.write(quietSince)
  }

  mutating func readSettings(from reader: inout ByteReader, at now: Instant) throws(BinaryDecodingError) {
    var next = 0
    for _ in 0..<(try reader.readCount()) {
      let (index, own) = (try reader.readInt(), try reader.read(MemberSettings.self))
      guard index >= next, index < members.count, !own.isDefault else {
        throw reader.corrupt("settings of no member, of two, or without effect")
      }
      settings[members[index]] = own
      next = index + 1
    }
    let scrolled = try reader.readInt()
    guard scrolled <= members.count else { throw reader.corrupt("resting front is out of range") }
    lastScrolled = scrolled == 0 ? nil : members[scrolled - 1]
    quietSince = try reader.readOptional()
    guard quietSince ?? .min <= now else { throw reader.corrupt("time without evidence starts in the future") }
  }

  /// Whether a member that the engine replaced in front may return.
  var hasReplaced: Bool { frontBeforePin != nil || !replaced.isEmpty }

  /// Encodes the members that the engine replaced in front, by their indices.
  func writeReplaced(to writer: inout ByteWriter) {
    writer.write(frontBeforePin.flatMap(members.firstIndex).map { $0 + 1 } ?? 0)
    writer.write(replaced.count)
    for (index, slot) in members.enumerated() where replaced.contains(slot) { writer.write(index) }
  }

  mutating func readReplaced(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let beforePin = try reader.readInt()
    guard beforePin <= members.count else { throw reader.corrupt("front before a pin is out of range") }
    frontBeforePin = beforePin == 0 ? nil : members[beforePin - 1]
    var next = 0
    for _ in 0..<(try reader.readCount()) {
      let index = try reader.readInt()
      guard index >= next, index < members.count else { throw reader.corrupt("replaced member is out of range") }
      replaced.insert(members[index])
      next = index + 1
    }
  }

  func writeSuggestion(to writer: inout ByteWriter) {
    writer.write(suggestion.map { $0.slot + 1 } ?? 0)
    writer.write(suggestion?.isInFront ?? false)
    writer.write(insertions)
    writer.write(promotion.map { $0.slot + 1 } ?? 0)
    writer.write(promotion?.since)
  }

  mutating func readSuggestion(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (slot, isInFront) = (try reader.readInt(), try reader.readBool())
    if slot > 0 { suggestion = Suggestion(slot: slot - 1, isInFront: isInFront) }
    guard slot > 0 ? isInFront || !members.isEmpty : !isInFront else {
      throw reader.corrupt("stack front is out of range")
    }
    insertions = try reader.read()
    let (promotedSlot, since) = (try reader.readInt(), try reader.readOptional(Instant.self))
    if let since, promotedSlot > 0 { promotion = Promotion(slot: promotedSlot - 1, since: since) }
    guard (since == nil) == (promotedSlot == 0), promotion.map({ $0.slot == frontSlot }) ?? true else {
      throw reader.corrupt("pending promotion is not at the front")
    }
  }
}
