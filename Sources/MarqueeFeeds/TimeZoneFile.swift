import Foundation

/// A zone of the system's time zone database: a compiled TZif file (RFC 9636), with the rule in its footer for the
/// years after its last transition.
struct TimeZoneFile: Sendable {
  static let directory = "/usr/share/zoneinfo"
  static let fileSizeMax = 1 << 20
  static let nameSizeMax = 255

  /// The instants at which the offset changes, ascending, in seconds since 1970-01-01T00:00:00Z.
  private let transitions: [Int64]
  /// The offsets in seconds east of UTC: `offsets[i]` applies from `transitions[i]` on.
  private let offsets: [Int64]
  private let offsetBeforeFirst: Int64
  private let footer: PosixZoneRule?
  /// Whether this is Coordinated Universal Time under any of its names.
  let isUTC: Bool

  /// Loads the zone with that name. Returns `nil` if the database has none.
  init?(name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard name.utf8.count <= Self.nameSizeMax, !name.utf8.contains(0),
      parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }),
      let data = FileManager.default.contents(atPath: Self.directory + "/" + name),
      data.count <= Self.fileSizeMax
    else { return nil }
    self.init(bytes: [UInt8](data))
  }

  init?(bytes: [UInt8]) {
    guard var block = Block(bytes, at: 0, timeSize: 4) else { return nil }
    if block.version >= 2 {
      guard let second = Block(bytes, at: block.end, timeSize: 8) else { return nil }
      block = second
    }
    guard block.typeCount > 0 else { return nil }
    var (times, offsets): ([Int64], [Int64]) = ([], [])
    for index in 0..<block.timeCount {
      guard let offset = block.offset(ofType: block.typeIndex(index)) else { return nil }
      times.append(block.time(index))
      offsets.append(offset)
    }
    self.transitions = times
    self.offsets = offsets
    offsetBeforeFirst = block.offset(ofType: 0) ?? 0
    footer = block.version >= 2 ? PosixZoneRule(footerAt: block.end, of: bytes) : nil
    isUTC = times.isEmpty && block.typeCount == 1 && block.designations == Array("UTC\0".utf8)
  }

  /// Returns the offset east of UTC, in seconds, at an instant.
  func offset(atInstant instant: Int64) -> Int64 {
    if transitions.isEmpty || instant >= transitions[transitions.count - 1], let footer {
      return footer.offset(atInstant: instant)
    }
    let index = transitions.partitionPoint { $0 <= instant }
    return index == 0 ? offsetBeforeFirst : offsets[index - 1]
  }

  /// Returns the offset east of UTC, in seconds, at a local time.
  ///
  /// A local time in a gap uses the offset before it. Of an ambiguous local time, `isSecond` selects the second
  /// occurrence.
  func offset(atWall wall: Int64, isSecond: Bool) -> Int64 {
    let before = offset(atInstant: wall - CivilDate.secondsPerDay)
    let after = offset(atInstant: wall + CivilDate.secondsPerDay)
    if before == after && offset(atInstant: wall - before) == before { return before }
    // The offset before a change applies if its instant precedes the change. In a gap neither offset does, and in an
    // overlap both do.
    let (byBefore, byAfter) = (wall - before, wall - after)
    let (beforeFits, afterFits) = (offset(atInstant: byBefore) == before, offset(atInstant: byAfter) == after)
    switch (beforeFits, afterFits) {
    case (true, true): return isSecond ? after : before
    case (true, false): return before
    case (false, true): return after
    case (false, false): return isSecond ? after : before
    }
  }
}

extension TimeZoneFile {
  /// One data block of a TZif file, validated to lie within it.
  private struct Block {
    let bytes: [UInt8]
    let version: Int
    let timeCount: Int
    let typeCount: Int
    let end: Int
    private let timeSize: Int
    private let timesAt: Int
    private let indicesAt: Int
    private let typesAt: Int
    private let designationsAt: Int
    private let designationSize: Int

    init?(_ bytes: [UInt8], at start: Int, timeSize: Int) {
      guard bytes.count >= start + 44, bytes[start..<start + 4].elementsEqual("TZif".utf8) else { return nil }
      let counts = (0..<6).map { Int(Self.integer(bytes, at: start + 20 + 4 * $0, size: 4)) }
      guard counts.allSatisfy({ (0...bytes.count).contains($0) }) else { return nil }
      version = bytes[start + 4] == 0 ? 1 : Int(bytes[start + 4]) - 48
      (timeCount, typeCount, designationSize) = (counts[3], counts[4], counts[5])
      timesAt = start + 44
      indicesAt = timesAt + timeCount * timeSize
      typesAt = indicesAt + timeCount
      designationsAt = typesAt + 6 * typeCount
      end = designationsAt + designationSize + counts[2] * (timeSize + 4) + counts[1] + counts[0]
      self.timeSize = timeSize
      self.bytes = bytes
      guard end <= bytes.count else { return nil }
    }

    var designations: [UInt8] { Array(bytes[designationsAt..<designationsAt + designationSize]) }

    func time(_ index: Int) -> Int64 { Self.integer(bytes, at: timesAt + index * timeSize, size: timeSize) }

    func typeIndex(_ index: Int) -> Int { Int(bytes[indicesAt + index]) }

    func offset(ofType index: Int) -> Int64? {
      index < typeCount ? Self.integer(bytes, at: typesAt + 6 * index, size: 4) : nil
    }

    private static func integer(_ bytes: [UInt8], at start: Int, size: Int) -> Int64 {
      let value = bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
  }
}

extension Array {
  /// Returns the first index at which `holds` is false, in an array partitioned by it.
  func partitionPoint(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
