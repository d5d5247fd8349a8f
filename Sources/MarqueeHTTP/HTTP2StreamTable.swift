import MarqueeRPC

/// The open calls of a connection: an open-addressing hash table with linear probing, keyed by stream number.
///
/// Every frame looks up its call several times. A peer that forces hash collisions makes its own lookups probe at most
/// all of its open calls.
struct HTTP2StreamTable {
  private static let sizeMin = 16

  /// The entries; their number is a power of two, at least twice the number of calls.
  private var entries = [HTTP2Stream?](repeating: nil, count: sizeMin)
  /// The number of calls.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The calls, in the order of their stream numbers.
  var sorted: [HTTP2Stream] { entries.compactMap(\.self).sorted { $0.id < $1.id } }

  /// Whether any call satisfies a predicate.
  func contains(where predicate: (HTTP2Stream) -> Bool) -> Bool {
    entries.contains { $0.map(predicate) ?? false }
  }

  /// The call with a stream number.
  subscript(id: StreamID) -> HTTP2Stream? { entries[place(of: id)] }

  /// Adds a call whose number is not in the table.
  mutating func insert(_ stream: HTTP2Stream) {
    if (count + 1) * 2 > entries.count { resize(to: entries.count * 2) }
    let place = place(of: stream.id)
    precondition(entries[place] == nil, "stream \(stream.id) is already in the table")
    entries[place] = stream
    count += 1
  }

  /// Removes a call; has no effect if it is not in the table.
  mutating func remove(_ id: StreamID) {
    let place = place(of: id)
    guard entries[place] != nil else { return }
    entries[place] = nil
    count -= 1
    closeGap(at: place)
    if isEmpty, entries.count > Self.sizeMin * 8 { resize(to: Self.sizeMin) }
  }

  /// Returns the position of the call, or the empty position at which it would be inserted.
  private func place(of id: StreamID) -> Int {
    var place = home(of: id)
    while let other = entries[place], other.id != id { place = (place + 1) & (entries.count - 1) }
    return place
  }

  /// The call's preferred position: multiplicative hashing. The factor is odd, so consecutive stream numbers do not
  /// collide.
  private func home(of id: StreamID) -> Int {
    Int((id.rawValue >> 1) &* 2_654_435_769) & (entries.count - 1)
  }

  /// Moves later entries of the probe sequence into a position that has become empty.
  private mutating func closeGap(at place: Int) {
    let mask = entries.count - 1
    var gap = place
    var next = (gap + 1) & mask
    while let stream = entries[next] {
      if (next - home(of: stream.id)) & mask >= (next - gap) & mask {
        entries.swapAt(gap, next)
        gap = next
      }
      next = (next + 1) & mask
    }
  }

  private mutating func resize(to size: Int) {
    let streams = entries.compactMap(\.self)
    entries = [HTTP2Stream?](repeating: nil, count: size)
    for stream in streams { entries[place(of: stream.id)] = stream }
  }
}
