import MarqueeModel

/// A stack on its device: members, front, toggles, and what holds it.
struct StackState: Equatable, Sendable {
  let id: StackID
  let family: WidgetFamily
  /// The members' indices in the device's table of widgets.
  var members: [Int] = []
  var front: Int?
  var isSmartRotateOn = true
  var isWidgetSuggestionsOn = true
  var isVisible = true
  var lastTouch: Instant?
  /// Rotations, oldest first: those of the last 24 hours, and perhaps older ones; the newest
  /// ``Policy/countMax`` at most, which is as many as any policy looks at.
  private(set) var rotations: [Instant] = []
  /// When the gates that time opens will have opened for a candidate that waits for nothing else.
  var nextCheck: Instant?

  static let rotationWindow = TimeSpan.days(1)

  init(id: StackID, family: WidgetFamily) {
    self.id = id
    self.family = family
  }

  /// The slot of the widget in front.
  var frontSlot: Int? { front.map { members[$0] } }

  /// The last automatic change.
  var lastRotation: Instant? { rotations.last }

  mutating func recordRotation(at now: Instant) {
    rotations.removeAll { $0.advanced(by: Self.rotationWindow) <= now }
    if rotations.count == Policy.countMax { rotations.removeFirst() }
    rotations.append(now)
  }

  /// Rotations in the 24 hours up to `now`.
  func rotationCount(at now: Instant) -> Int {
    rotations.count - (rotations.firstIndex { $0.advanced(by: Self.rotationWindow) > now } ?? rotations.count)
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
    } else {
      front = min(index < old ? old - 1 : old, members.count - 1)
    }
  }

  /// Moves the member at `index` to `target`; the front stays in front.
  mutating func moveMember(at index: Int, to target: Int) {
    let frontSlot = frontSlot
    members.insert(members.remove(at: index), at: target)
    front = members.firstIndex { $0 == frontSlot }
  }
}

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
    rotations = try reader.readRisingInstants(countMax: Policy.countMax)
  }
}
