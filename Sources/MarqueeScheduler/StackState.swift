import MarqueeModel

/// A stack on its device: members, front, toggles, and what holds it.
struct StackState: Equatable, Sendable {
  let id: StackID
  let family: WidgetFamily
  /// The person's own members, as indices in the device's table of widgets. What displays show has the suggestion
  /// before them; without it, exactly this is left (rule R5).
  var members: [Int] = [] { didSet { rest.end() } }
  /// The index in ``members`` of what is in front, or would be if the suggestion were not.
  var front: Int? { didSet { rest.end() } }
  var suggestion: Suggestion? { didSet { rest.end() } }
  var isSmartRotateOn = true { didSet { rest.end() } }
  var isWidgetSuggestionsOn = true { didSet { rest.end() } }
  var isVisible = true { didSet { rest.end() } }
  var lastTouch: Instant? { didSet { rest.end() } }
  /// Rotations of the last 24 hours.
  var rotations = RecentInstants() { didSet { rest.end() } }
  /// Suggestions put on top in the last 24 hours.
  var insertions = RecentInstants() { didSet { rest.end() } }
  /// What the engine brought to the front and the person has not judged yet (rule R11).
  var brought: Brought?
  /// When the gates that time opens will have opened for a candidate that waits for nothing else.
  var nextCheck: Instant?
  /// What held the best candidate when it was last counted.
  var stop = Stop()
  /// Whether nothing is left to do for it until a widget changes or the next check comes.
  var rest = Rest()

  init(id: StackID, family: WidgetFamily) {
    self.id = id
    self.family = family
  }

  /// How many widgets are shown, the suggestion among them.
  @inline(__always) var shownCount: Int { members.count + suggestionCount }

  /// The index among what is shown of what is in front.
  @inline(__always) var shownFront: Int? {
    if let suggestion, suggestion.isInFront { return 0 }
    return front.map { $0 + suggestionCount }
  }

  /// The slot of the widget in front.
  @inline(__always) var frontSlot: Int? {
    if let suggestion, suggestion.isInFront { return suggestion.slot }
    guard let front else { return nil }
    return members[front]
  }

  @inline(__always) private var suggestionCount: Int { suggestion == nil ? 0 : 1 }

  /// The slot of the widget at an index among what is shown.
  @inline(__always) func slot(at index: Int) -> Int {
    guard let suggestion else { return members[index] }
    return index == 0 ? suggestion.slot : members[index - 1]
  }

  /// The index in ``members`` for an index among what is shown; the suggestion's place is the first member's.
  func memberIndex(shown index: Int) -> Int { max(0, index - suggestionCount) }

  /// Brings what is shown at `index` to the front.
  mutating func bringToFront(_ index: Int) {
    suggestion?.isInFront = index == 0
    if suggestion?.isInFront != true { front = memberIndex(shown: index) }
  }

  /// The last time that the engine brought something to the front.
  @inline(__always) var lastChange: Instant? {
    guard let rotation = rotations.last else { return insertions.last }
    return max(rotation, insertions.last ?? rotation)
  }

  /// Puts a member in at `index`; the front stays in front, and the first member becomes the front.
  mutating func insert(_ slot: Int, at index: Int) {
    members.insert(slot, at: index)
    front = front.map { index <= $0 ? $0 + 1 : $0 } ?? 0
  }

  /// Takes the member at `index` out; if it was in front, the next one comes to the front, or the last.
  mutating func removeMember(at index: Int) {
    members.remove(at: index)
    guard let old = front else { return }
    if members.isEmpty {
      front = nil
      suggestion?.isInFront = true
    } else {
      front = min(index < old ? old - 1 : old, members.count - 1)
    }
  }

  /// Puts another member in the place of the one at `index`.
  mutating func replaceMember(at index: Int, with slot: Int) { members[index] = slot }

  /// Moves the member at `index` to `target`; the front stays in front.
  mutating func moveMember(at index: Int, to target: Int) {
    let old = front.map { members[$0] }
    members.insert(members.remove(at: index), at: target)
    front = members.firstIndex { $0 == old }
  }
}

/// A widget on top of a stack that is not the person's own.
struct Suggestion: Equatable, Sendable {
  /// Its index in the device's table of widgets.
  let slot: Int
  var isInFront = true
}

/// What the engine brought to the front of a stack.
struct Brought: Equatable, Sendable {
  /// The widget's index in the device's table of widgets; it is still in front.
  let slot: Int
  /// Since when the person can have seen it.
  var since: Instant
}

/// The form of devices of version 1, which ends before suggestions; ``writeSuggestion(to:)`` has the rest.
extension StackState: ByteCodable {
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

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    id = try reader.read()
    family = try reader.read()
    for _ in 0..<(try reader.readCount()) {
      members.append(try reader.readInt())
    }
    let position = try reader.readInt()
    guard position <= members.count, (position == 0) == members.isEmpty else { throw reader.corrupt("no such front") }
    front = position == 0 ? nil : position - 1
    isSmartRotateOn = try reader.readBool()
    isWidgetSuggestionsOn = try reader.readBool()
    isVisible = try reader.readBool()
    lastTouch = try reader.readOptional()
    rotations = try reader.read()
  }
}

extension StackState {
  func writeSuggestion(to writer: inout ByteWriter) {
    writer.write(suggestion.map { $0.slot + 1 } ?? 0)
    writer.write(suggestion?.isInFront ?? false)
    writer.write(insertions)
    writer.write(brought.map { $0.slot + 1 } ?? 0)
    writer.write(brought?.since)
  }

  mutating func readSuggestion(from reader: inout ByteReader) throws(CorruptBytes) {
    let (slot, isInFront) = (try reader.readInt(), try reader.readBool())
    if slot > 0 { suggestion = Suggestion(slot: slot - 1, isInFront: isInFront) }
    guard slot > 0 ? isInFront || !members.isEmpty : !isInFront else { throw reader.corrupt("no such front") }
    insertions = try reader.read()
    let (broughtSlot, since) = (try reader.readInt(), try reader.readOptional(Instant.self))
    if let since, broughtSlot > 0 { brought = Brought(slot: broughtSlot - 1, since: since) }
    guard (since == nil) == (broughtSlot == 0), brought.map({ $0.slot == frontSlot }) ?? true else {
      throw reader.corrupt("something brought that is not in front")
    }
  }
}
