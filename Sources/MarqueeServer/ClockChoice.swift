import Foundation
import MarqueeModel
import MarqueeRuntime
import MarqueeStore

/// The clock that a server goes by.
public enum ClockChoice: Hashable, Sendable {
  /// The machine's.
  case system
  /// One that stands still until an operator moves it, so that makers of displays and providers can try days in
  /// seconds. It begins at the latest instant that the data directory knows of, or at `from` if that is later; where
  /// there is neither, with the machine's time.
  case manual(from: Instant?)

  /// Reads `system`, `manual`, or `manual=` and a time such as `2026-03-04T08:00:00Z`.
  init(_ text: String) throws(ConfigurationError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    switch (parts[0], parts.dropFirst().first) {
    case ("system", nil): self = .system
    case ("manual", nil): self = .manual(from: nil)
    case ("manual", let time?): self = .manual(from: try Self.instant(time))
    default: throw ConfigurationError("clock", "'\(text)' is neither system, manual nor manual=TIME")
    }
  }

  private static func instant(_ text: Substring) throws(ConfigurationError) -> Instant {
    // What it throws says no more than that it is no such time.
    let date = try? Date(String(text), strategy: .iso8601)
    guard let date, let instant = Instant(milliseconds: Int64(date.timeIntervalSince1970) * 1_000) else {
      throw ConfigurationError("clock", "'\(text)' is not a time such as 2026-03-04T08:00:00Z, from 1970 to 9999")
    }
    return instant
  }

  /// The clock, for a server with that store.
  func clock(knowing store: Store) throws(StoreError) -> any WallClock {
    switch self {
    case .system: return SystemWallClock()
    case .manual(let from):
      let known = [from, try store.lastInstant()].compactMap(\.self).max()
      return ManualClock(at: known ?? SystemWallClock().now)
    }
  }
}
