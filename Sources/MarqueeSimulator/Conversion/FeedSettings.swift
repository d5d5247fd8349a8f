import MarqueeFeeds
import MarqueeModel

/// How a calendar or table is read.
package struct FeedSettings: Sendable {
  /// The time zone of whole days and local times.
  package let timeZone: TimeZoneID
  /// The instant at which a calendar is published; `nil` for ``now``, or for the day of its first event if no event
  /// follows within ``dayCount``.
  package let from: Instant?
  /// The present instant.
  package let now: Instant
  /// The number of days of a calendar that are published.
  package let dayCount: Int
  /// Whether the limits of texts from clients apply.
  let isLimited: Bool
  let zone: CalendarZone
  let clock: DeviceClock

  /// The maximum number of lines of a calendar or table from a client: the limit `feed-line-count-max`.
  package static let lineCountMax = 65_536
  /// The maximum number of occurrences of a calendar from a client: the limit `feed-occurrence-count-max`.
  package static let occurrenceCountMax = 4_096
  /// The maximum number of steps of the recurrences of a calendar from a client, besides those of one rule: the limit
  /// `feed-step-count-max`.
  package static let stepCountMax = 1_000_000

  /// Creates settings.
  ///
  /// - Throws: ``RequestError`` for an unknown time zone.
  package init(
    timeZone: TimeZoneID, from: Instant?, now: Instant, dayCount: Int, isLimited: Bool = false
  ) throws(RequestError) {
    clock = try DeviceClock(timeZone)
    guard let zone = CalendarZone.named(timeZone.text) else {
      throw RequestError(.notFound, "no time zone is called \"\(timeZone)\"")
    }
    self.isLimited = isLimited
    (self.timeZone, self.from, self.now, self.dayCount, self.zone) = (timeZone, from, now, dayCount, zone)
  }
}
