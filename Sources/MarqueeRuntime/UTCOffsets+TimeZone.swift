import Foundation
import MarqueeModel

extension UTCOffsets {
  /// How long before what is known ends a device learns more.
  static let reserve = TimeSpan.days(180)

  /// The offsets of a zone by the machine's time zone database, from shortly before `start` until 2 years after `now`.
  ///
  /// UTC when the database has no such zone. A change that is taken back within a week is not seen.
  init(of zone: TimeZoneID, from start: Instant, around now: Instant) {
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
    do throws(Refusal) {
      try self.init(zone: zone, steps: steps.suffix(Self.stepCountMax), end: end)
    } catch {
      preconditionFailure("the offsets of \(zone): \(error)")
    }
  }

  /// The second at which the clocks are set between two instants, by the later one's offset.
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
