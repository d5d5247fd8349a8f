import MarqueeModel

/// A 128-bit FNV-1a hash of a donation's identifier within its app; identifiers themselves are not stored.
///
/// The probability that two identifiers of an app collide by accident is about 2⁻¹²⁸. An app that constructs a
/// collision only replaces one of its own donations by another.
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

/// A donation in the log: 40 bytes, with everything of variable size in the log's tables.
struct DonationRecord: Equatable, Sendable {
  var date: Instant
  let identity: DonationIdentity
  /// The index of the content, which includes the app.
  var content: UInt32
  /// The index of the group plus 1, or 0 for none.
  var group: UInt32
  /// The index of the context.
  var context: UInt32
  /// The UTC offset, in minutes.
  let offset: Int16

  var wallTime: WallTime { WallTime(at: date, offset: Int(offset) * 60) }
}

/// Records ordered by date, and by arrival within a date.
///
/// Stored in chunks, so that a change copies or moves few records.
struct RecordSequence: Sendable {
  /// The position of a record.
  struct Position {
    fileprivate let chunk: Int
    fileprivate let index: Int
  }

  /// The number of records that a chunk receives by appending. Insertions split a chunk at twice this number.
  private static let chunkCountMax = 512

  private var chunks: [[DonationRecord]] = []
  private(set) var count = 0

  init() {}

  /// Creates a sequence of records that are already in order.
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

  /// The date of the newest record.
  var lastDate: Instant? { chunks.last?.last?.date }

  subscript(position: Position) -> DonationRecord { chunks[position.chunk][position.index] }

  /// Inserts a record after all that are no later.
  ///
  /// - Returns: Whether it is the last record.
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
      let tail = Array(chunks[chunk].suffix(Self.chunkCountMax))
      chunks[chunk].removeLast(tail.count)
      chunks.insert(tail, at: chunk + 1)
    }
    return false
  }

  /// Returns the position of the first record with this date that satisfies `matches`, or `nil`.
  func position(at date: Instant, where matches: (DonationRecord) -> Bool) -> Position? {
    var chunk = Self.partition(chunks.count) { chunks[$0][chunks[$0].count - 1].date < date }
    while chunk < chunks.count, chunks[chunk][0].date <= date {
      var index = Self.partition(chunks[chunk].count) { chunks[chunk][$0].date < date }
      while index < chunks[chunk].count, chunks[chunk][index].date == date {
        if matches(chunks[chunk][index]) { return Position(chunk: chunk, index: index) }
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

  /// Applies `body` to every record. It must not change the order of dates.
  mutating func update(_ body: (inout DonationRecord) -> Void) {
    for chunk in chunks.indices {
      for index in chunks[chunk].indices { body(&chunks[chunk][index]) }
    }
  }

  /// Returns the first of `count` indices for which `isBefore` is `false`; it must be monotonic.
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

/// The dates of an app's donations by identity, in partitions so that a change copies few entries.
struct IdentityIndex: Sendable {
  /// The maximum mean number of entries per partition.
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
    // The result does not depend on the iteration order.
    for (identity, instant) in old.joined() { parts[part(of: identity)][identity] = instant }
  }
}
