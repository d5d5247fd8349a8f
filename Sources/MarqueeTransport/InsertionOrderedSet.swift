/// An ordered set of objects, in insertion order. Removal takes amortized constant time at any position.
package struct InsertionOrderedSet<Member: AnyObject> {
  /// The members; `nil` where one was removed. Neither the first used slot nor the last one is `nil`.
  private var slots: [Member?] = []
  private var start = 0
  private var places: [ObjectIdentifier: Int] = [:]

  package init() {}

  package var count: Int { places.count }
  package var isEmpty: Bool { places.isEmpty }

  /// The earliest added member.
  package var first: Member? { start < slots.count ? slots[start] : nil }

  /// The latest added member.
  package var last: Member? { slots.last ?? nil }

  /// All members, in insertion order.
  package var members: [Member] { slots.compactMap(\.self) }

  /// Appends an object that is not a member.
  package mutating func append(_ member: Member) {
    places[ObjectIdentifier(member)] = slots.count
    slots.append(member)
  }

  /// Removes an object.
  ///
  /// - Returns: `false` if it is not a member.
  @discardableResult
  package mutating func remove(_ member: Member) -> Bool {
    guard let place = places.removeValue(forKey: ObjectIdentifier(member)) else { return false }
    slots[place] = nil
    while let last = slots.last, last == nil { slots.removeLast() }
    start = min(start, slots.count)
    while start < slots.count, slots[start] == nil { start += 1 }
    if slots.count > 2 * places.count + 16 { compact() }
    return true
  }

  private mutating func compact() {
    slots = slots[min(start, slots.count)...].filter { $0 != nil }
    start = 0
    for (place, member) in slots.enumerated() {
      if let member { places[ObjectIdentifier(member)] = place }
    }
  }
}

extension InsertionOrderedSet: Sendable where Member: Sendable {}
