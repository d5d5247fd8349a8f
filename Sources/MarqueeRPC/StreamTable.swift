/// The open calls of a connection, found by number in constant time.
///
/// Calls lie in slots that stay where they are while others come and go, so that fields can be read and changed in
/// place. A peer that chooses numbers whose places meet makes its own lookups walk over at most all of its open calls.
struct StreamTable {
  /// The slots; a free one holds a call of number 0.
  var values: [CallStream] = []
  private var free: [Int] = []
  /// For each place a slot's index plus 1, or 0; the size is a power of two, at least twice the number of calls.
  private var places: [Int32] = Array(repeating: 0, count: 16)

  /// Calls in the table.
  var count: Int { values.count - free.count }
  var isEmpty: Bool { count == 0 }

  /// The slots in use, in no order that means anything.
  var indices: some Sequence<Int> { values.indices.lazy.filter { values[$0].id != .connection } }

  /// The numbers of all calls, ascending.
  var ids: [StreamID] { indices.map { values[$0].id }.sorted() }

  /// The owners of all calls, by their numbers.
  var owners: [AnyObject] { ids.compactMap { self[$0]?.owner } }

  /// A copy of a call.
  subscript(id: StreamID) -> CallStream? { index(forKey: id).map { values[$0] } }

  /// The slot of a call; it stays valid until that call is removed.
  func index(forKey id: StreamID) -> Int? {
    let place = place(of: id)
    return places[place] == 0 ? nil : Int(places[place]) - 1
  }

  /// Adds a call whose number is not in the table, and returns its slot.
  mutating func insert(_ stream: consuming CallStream) -> Int {
    let id = stream.id
    precondition(id != .connection, "stream 0 is the connection")
    if (count + 1) * 2 > places.count { grow() }
    let place = place(of: id)
    precondition(places[place] == 0, "stream \(id) is in the table")
    let slot = free.popLast() ?? values.count
    places[place] = Int32(slot + 1)
    if slot < values.count { values[slot] = stream } else { values.append(stream) }
    return slot
  }

  /// Takes a call out that is in the table.
  mutating func remove(_ id: StreamID) {
    let place = place(of: id)
    precondition(places[place] != 0, "stream \(id) is not in the table")
    let slot = Int(places[place]) - 1
    values[slot].vacate()
    free.append(slot)
    closeGap(at: place)
    if isEmpty { releaseSlots() }
  }

  /// Where the call is, or else the empty place where it would go.
  private func place(of id: StreamID) -> Int {
    var place = home(of: id)
    while places[place] != 0, values[Int(places[place]) - 1].id != id { place = (place + 1) & (places.count - 1) }
    return place
  }

  /// Calls that were opened one after the other have places of their own, since the factor is odd, and these lie apart,
  /// so that the way to an empty one is short.
  private func home(of id: StreamID) -> Int {
    Int((id.rawValue >> 1) &* 2_654_435_769) & (places.count - 1)
  }

  /// Moves up what stands behind a place that has become empty, as far as it may.
  private mutating func closeGap(at place: Int) {
    let mask = places.count - 1
    var gap = place
    var next = (gap + 1) & mask
    places[gap] = 0
    while places[next] != 0 {
      let home = home(of: values[Int(places[next]) - 1].id)
      if (next - home) & mask >= (next - gap) & mask {
        places[gap] = places[next]
        places[next] = 0
        gap = next
      }
      next = (next + 1) & mask
    }
  }

  private mutating func grow() {
    places = Array(repeating: 0, count: places.count * 2)
    for slot in indices { places[place(of: values[slot].id)] = Int32(slot + 1) }
  }

  /// Gives back the memory of many slots when none is in use.
  private mutating func releaseSlots() {
    guard values.count > 64 else { return }
    values = []
    free = []
  }
}
