import Foundation
package import MarqueeModel

extension UTCOffsets {
  /// The time before the end of the known offsets from which a device learns new ones.
  package static let reserve = TimeSpan.days(180)

  /// Creates the offsets of a zone from Foundation's time zone database, from 400 days before `start` until 2 years
  /// after `now`.
  ///
  /// The offsets are 0 if the database does not contain the zone. A change that is reverted within a week is ignored.
  package init(of zone: TimeZoneID, from start: Instant, around now: Instant) {
    let clock = TimeZone(identifier: zone.text) ?? .gmt
    func offset(_ instant: Instant) -> Int {
      clock.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds / 1_000)))
    }
    let first = start.advanced(by: .days(-400))
    let end = now.advanced(by: .days(731))
    var steps = [Step(start: first, seconds: offset(first))]
    var known = first
    while known < end {
      let next = min(known.advanced(by: .days(7)), end)
      let seconds = offset(next)
      if seconds != steps[steps.count - 1].seconds {
        steps.append(Step(start: Self.change(after: known, to: next, offset), seconds: seconds))
      }
      known = next
    }
    do throws(RequestError) {
      try self.init(zone: zone, steps: steps.suffix(Self.stepCountMax), end: end)
    } catch {
      preconditionFailure("invalid UTC offsets of \(zone): \(error)")
    }
  }

  /// Returns the second between two instants at which the offset changes to that of the later one.
  private static func change(after early: Instant, to late: Instant, _ offset: (Instant) -> Int) -> Instant {
    let new = offset(late)
    var (before, after) = (early.milliseconds / 1_000, late.milliseconds / 1_000)
    while after - before > 1 {
      let middle = (before + after) / 2
      let instant = Instant.min.advanced(by: .seconds(middle))
      if offset(instant) == new { after = middle } else { before = middle }
    }
    return Instant.min.advanced(by: .seconds(after))
  }
}
