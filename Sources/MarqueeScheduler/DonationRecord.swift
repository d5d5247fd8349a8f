import MarqueeModel

/// A donation's name in its app as 128 bits (FNV-1a, Fowler, Noll and Vo), so that no name is kept.
///
/// Two names of one app that an honest app made up meet with a chance of about 2⁻¹²⁸; one that seeks such a pair
/// replaces its own donation by another of its own.
struct DonationIdentity: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  init(_ id: Donation.ID) {
    let sum = UInt128(hashing: id.text.utf8)
    high = UInt64(truncatingIfNeeded: sum >> 64)
    low = UInt64(truncatingIfNeeded: sum)
  }
}

/// One donation in the log: 40 bytes, the rest is in the log's tables.
///
/// The previous action is that of the record before; everything else that was so at the time is here.
struct DonationRecord: Equatable, Sendable {
  let date: Instant
  let identity: DonationIdentity
  /// The index of what was done, and of whose app it was.
  var content: UInt32
  /// The index of the group plus 1; 0 for none.
  var group: UInt32
  /// The index of what surrounded the person.
  var context: UInt32
  /// Minutes that the device's clocks were ahead of UTC.
  let offset: Int16

  var wallTime: WallTime { WallTime(at: date, offset: Int(offset) * 60) }
}

/// Records in the order of their dates, those of one date in the order of their arrival.
///
/// They lie in chunks, so that a change copies or moves few of them.
struct RecordSequence: Sendable {
  /// Where a record is.
  struct Position {
    fileprivate let chunk: Int
    fileprivate let index: Int
  }

  /// Records that a chunk gets one after another; when some are put in between it is split at twice as many.
  private static let chunkCountMax = 512

  private var chunks: [[DonationRecord]] = []
  private(set) var count = 0

  init() {}

  /// Records that are in order.
  init(ordered records: [DonationRecord]) {
    count = records.count
    chunks = stride(from: 0, to: count, by: Self.chunkCountMax).map {
      Array(records[$0..<min($0 + Self.chunkCountMax, records.count)])
    }
  }

  /// All records, oldest first.
  var all: some Sequence<DonationRecord> { chunks.joined() }

  /// All records, newest first.
  var newestFirst: some Sequence<DonationRecord> { chunks.reversed().lazy.flatMap { $0.reversed() } }

  subscript(position: Position) -> DonationRecord { chunks[position.chunk][position.index] }

  /// Puts the record behind all that are no later; says whether it is the last.
  @discardableResult
  mutating func insert(_ record: DonationRecord) -> Bool {
    count += 1
    let isLast = chunks.last.map { $0[$0.count - 1].date <= record.date } ?? true
    guard !isLast else {
      if (chunks.last?.count ?? Self.chunkCountMax) >= Self.chunkCountMax { chunks.append([]) }
      chunks[chunks.count - 1].append(record)
      return true
    }
    let chunk = max(0, Self.partition(chunks.count) { chunks[$0][0].date <= record.date } - 1)
    let index = Self.partition(chunks[chunk].count) { chunks[chunk][$0].date <= record.date }
    chunks[chunk].insert(record, at: index)
    if chunks[chunk].count >= 2 * Self.chunkCountMax {
      let rest = Array(chunks[chunk].suffix(Self.chunkCountMax))
      chunks[chunk].removeLast(rest.count)
      chunks.insert(rest, at: chunk + 1)
    }
    return false
  }

  /// The first record of that date that `isMeant`.
  func position(at date: Instant, where isMeant: (DonationRecord) -> Bool) -> Position? {
    var chunk = Self.partition(chunks.count) { chunks[$0][chunks[$0].count - 1].date < date }
    while chunk < chunks.count, chunks[chunk][0].date <= date {
      var index = Self.partition(chunks[chunk].count) { chunks[chunk][$0].date < date }
      while index < chunks[chunk].count, chunks[chunk][index].date == date {
        if isMeant(chunks[chunk][index]) { return Position(chunk: chunk, index: index) }
        index += 1
      }
      chunk += 1
    }
    return nil
  }

  mutating func remove(at position: Position) {
    count -= 1
    chunks[position.chunk].remove(at: position.index)
    if chunks[position.chunk].isEmpty { chunks.remove(at: position.chunk) }
  }

  /// Changes every record; its date stays.
  mutating func update(_ body: (inout DonationRecord) -> Void) {
    for chunk in chunks.indices {
      for index in chunks[chunk].indices { body(&chunks[chunk][index]) }
    }
  }

  /// The first of `count` indices for which `isBefore`, which holds for none after one for which it does not, fails.
  private static func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension RecordSequence: Equatable {
  static func == (left: RecordSequence, right: RecordSequence) -> Bool {
    left.count == right.count && left.all.elementsEqual(right.all)
  }
}

/// When each donation of an app was done, by its name; in parts, so that a change copies few of them.
struct IdentityIndex: Sendable {
  /// Names in one part, on average.
  private static let partCountMax = 256

  private var parts: [[DonationIdentity: Instant]] = [[:]]
  private(set) var count = 0

  init() {}

  subscript(identity: DonationIdentity) -> Instant? {
    get { parts[part(of: identity)][identity] }
    set {
      let part = part(of: identity)
      let old = parts[part][identity]
      parts[part][identity] = newValue
      count += (newValue == nil ? 0 : 1) - (old == nil ? 0 : 1)
      if count > parts.count * Self.partCountMax { split() }
    }
  }

  private func part(of identity: DonationIdentity) -> Int {
    Int(truncatingIfNeeded: identity.low) & (parts.count - 1)
  }

  private mutating func split() {
    let old = parts
    parts = Array(repeating: [:], count: 2 * old.count)
    // The order does not matter: each goes to its own place.
    for (identity, instant) in old.joined() { parts[part(of: identity)][identity] = instant }
  }
}
