import Foundation

extension TimeZone {
  /// Returns the offset east of UTC, in seconds, at an instant in seconds since 1970-01-01T00:00:00Z.
  func offset(atInstant instant: Int64) -> Int64 {
    let date = Date(timeIntervalSince1970: Double(instant))
    return Int64(secondsFromGMT(for: date))
  }

  /// Returns the offset east of UTC, in seconds, at a local time in seconds from 1970-01-01T00:00:00.
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
