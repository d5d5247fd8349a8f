import MarqueeModel

/// The 128 bits by which a device finds a donation of an app again: the value of a UUID, or a hash of another text.
///
/// The probability that two identifiers of an app coincide by accident is about 2⁻¹²⁸. An app that constructs such
/// identifiers only replaces one of its own donations by another.
struct DonationIdentity: Hashable, Sendable {
  /// How the identity represents the identifier's text.
  enum Form: UInt8 {
    /// A 128-bit FNV-1a hash. The text was not stored, because an earlier release added the donation.
    case hash
    /// The value of a UUID in the usual form with upper-case digits, which needs no other storage.
    case uppercaseUUID
    /// The value of a UUID in the usual form with lower-case digits.
    case lowercaseUUID
    /// A 128-bit FNV-1a hash, with the text in ``DonationIdentifiers``.
    case text
  }

  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  private init(_ bits: UInt128) {
    self.init(high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits))
  }

  /// Creates the hash of an identifier.
  init(hashing id: Donation.ID) { self.init(UInt128(hashing: id.text.utf8)) }

  /// Returns the identity of an identifier, and its form.
  static func make(_ id: Donation.ID) -> (identity: DonationIdentity, form: Form) {
    guard let (bits, isLowercase) = uuid(id.text) else { return (DonationIdentity(hashing: id), .text) }
    return isLowercase
      ? (DonationIdentity(bits ^ lowercaseMask), .lowercaseUUID) : (DonationIdentity(bits), .uppercaseUUID)
  }

  /// Returns the identifier that has this identity in a form that needs no text, and `nil` in others.
  func identifier(in form: Form) -> Donation.ID? {
    let bits = UInt128(high) << 64 | UInt128(low)
    let text =
      switch form {
      case .hash, .text: ""
      case .uppercaseUUID: Self.text(bits, digits: "0123456789ABCDEF")
      case .lowercaseUUID: Self.text(bits ^ Self.lowercaseMask, digits: "0123456789abcdef")
      }
    // Only the empty text is not a name.
    return try? Donation.ID(text)
  }

  /// Distinguishes a UUID in lower case from the same in upper case, which is another identifier.
  private static let lowercaseMask: UInt128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834

  /// The positions of the hyphens in a UUID's text.
  private static let hyphens = [8, 13, 18, 23]

  /// Returns the value of a UUID in the usual form, and `nil` for any other text.
  ///
  /// A text with digits of both cases is not in the usual form; one without letters counts as upper-case.
  private static func uuid(_ text: String) -> (bits: UInt128, isLowercase: Bool)? {
    guard text.utf8.count == 36 else { return nil }
    var (bits, isLowercase, isUppercase) = (UInt128(0), false, false)
    for (position, byte) in text.utf8.enumerated() {
      guard !hyphens.contains(position) else {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "A")...UInt8(ascii: "F"): (digit, isUppercase) = (byte - UInt8(ascii: "A") + 10, true)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): (digit, isLowercase) = (byte - UInt8(ascii: "a") + 10, true)
      default: return nil
      }
      bits = bits << 4 | UInt128(digit)
    }
    return isLowercase && isUppercase ? nil : (bits, isLowercase)
  }

  private static func text(_ bits: UInt128, digits: String) -> String {
    let digits = Array(digits.utf8)
    var bytes: [UInt8] = []
    for position in 0..<32 {
      if hyphens.contains(bytes.count) { bytes.append(UInt8(ascii: "-")) }
      bytes.append(digits[Int(truncatingIfNeeded: bits >> UInt128(4 * (31 - position))) & 15])
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A donation in the log: 40 bytes, with everything of variable size in the log's tables.
struct DonationRecord: Equatable, Sendable {
  var date: Instant
  var identity: DonationIdentity
  /// The index of the content, which includes the app.
  var content: UInt32
  /// The index of the group plus 1, or 0 for none.
  var group: UInt32
  /// The index of the context.
  var context: UInt32
  /// The UTC offset, in minutes.
  let offset: Int16
  /// The form of the identity.
  var form = DonationIdentity.Form.hash

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
