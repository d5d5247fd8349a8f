/// The open calls of a connection: an open-addressing hash table with linear probing, keyed by stream number.
///
/// Calls are stored in stable slots, so that they can be read and mutated in place. A peer that forces hash collisions
/// makes its own lookups probe at most all of its open calls.
struct StreamTable {
  /// The slots; a free one has stream number 0.
  var values: [CallStream] = []
  private var free: [Int] = []
  /// The hash table: a slot's index plus 1, or 0. Its size is a power of two, at least twice the number of calls.
  private var places: [Int32] = Array(repeating: 0, count: 16)

  /// The number of calls.
  var count: Int { values.count - free.count }
  var isEmpty: Bool { count == 0 }

  /// The used slots, in no particular order.
  var indices: some Sequence<Int> { values.indices.lazy.filter { values[$0].id != .connection } }

  /// The stream numbers of all calls, ascending.
  var ids: [StreamID] { indices.map { values[$0].id }.sorted() }

  /// The owners of all calls, in the order of the stream numbers.
  var owners: [AnyObject] { ids.compactMap { self[$0]?.owner } }

  /// Returns a copy of a call.
  subscript(id: StreamID) -> CallStream? { index(forKey: id).map { values[$0] } }

  /// Returns the slot of a call; it is valid until the call is removed.
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
    precondition(places[place] == 0, "stream \(id) is already in the table")
    let slot = free.popLast() ?? values.count
    places[place] = Int32(slot + 1)
    if slot < values.count { values[slot] = stream } else { values.append(stream) }
    return slot
  }

  /// Removes a call, which must be in the table.
  mutating func remove(_ id: StreamID) {
    let place = place(of: id)
    precondition(places[place] != 0, "stream \(id) is not in the table")
    let slot = Int(places[place]) - 1
    values[slot].vacate()
    free.append(slot)
    closeGap(at: place)
    if isEmpty { releaseSlots() }
  }

  /// Returns the position of the call in the hash table, or the empty position at which it would be inserted.
  private func place(of id: StreamID) -> Int {
    var place = home(of: id)
    while places[place] != 0, values[Int(places[place]) - 1].id != id { place = (place + 1) & (places.count - 1) }
    return place
  }

  /// The call's preferred position: multiplicative hashing. The factor is odd, so consecutive stream numbers do not
  /// collide.
  private func home(of id: StreamID) -> Int {
    Int((id.rawValue >> 1) &* 2_654_435_769) & (places.count - 1)
  }

  /// Moves later entries of the probe sequence into a position that has become empty.
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

  /// Frees the memory of a large table once it is empty.
  private mutating func releaseSlots() {
    guard values.count > 64 else { return }
    values = []
    free = []
  }
}
