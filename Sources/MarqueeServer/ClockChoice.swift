import Foundation
import MarqueeJournal
import MarqueeModel
import MarqueeRuntime

/// The clock that a server uses.
public enum ClockChoice: Hashable, Sendable {
  /// The system clock.
  case system
  /// A virtual clock that only an operator advances, so that developers of displays and providers can run through days
  /// in seconds.
  ///
  /// It starts at the latest instant in the data directory or at `from`, whichever is later, or at the system time if
  /// there is neither.
  case manual(from: Instant?)

  /// Parses `system`, `manual`, or `manual=TIME` with a time such as `2026-03-04T08:00:00Z`.
  init(_ text: String) throws(ConfigurationError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    switch (parts[0], parts.dropFirst().first) {
    case ("system", nil): self = .system
    case ("manual", nil): self = .manual(from: nil)
    case ("manual", let time?): self = .manual(from: try Self.instant(time))
    default: throw ConfigurationError("clock", "'\(text)' is not one of system, manual, manual=TIME")
    }
  }

  private static func instant(_ text: Substring) throws(ConfigurationError) -> Instant {
    // The error adds no detail: the text is not a valid time.
    let date = try? Date(String(text), strategy: .iso8601)
    let span = date.map { TimeSpan.seconds(Int64(saturating: $0.timeIntervalSince1970)) }
    guard let span, let instant = Instant(milliseconds: span.milliseconds) else {
      throw ConfigurationError("clock", "'\(text)' is not a time such as 2026-03-04T08:00:00Z, from 1970 to 9999")
    }
    return instant
  }

  /// Whether the clock advances only on request.
  var isManual: Bool { if case .manual = self { true } else { false } }

  /// Returns the clock of a server.
  ///
  /// - Parameter last: The latest instant of any record, for a manual clock.
  func clock(after last: Instant?) -> any WallClock {
    switch self {
    case .system: return SystemWallClock()
    case .manual(let from):
      let start = [from, last].compactMap(\.self).max()
      return ManualClock(at: start ?? SystemWallClock().now)
    }
  }
}
