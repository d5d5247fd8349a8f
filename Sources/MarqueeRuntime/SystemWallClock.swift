import Foundation
import MarqueeModel

/// The machine's clock. It follows when the clock is set, forwards or back, within ``stretchMax``.
public struct SystemWallClock: WallClock {
  /// The longest that it sleeps before it looks at the time again.
  public static let stretchMax = TimeSpan.seconds(5)

  /// The machine's clock.
  public init() {}

  /// The machine's time, held within the years that ``Instant`` knows.
  public var now: Instant {
    let milliseconds = Date.now.timeIntervalSince1970 * 1_000
    guard milliseconds > 0 else { return .min }
    guard milliseconds < Double(Instant.max.milliseconds) else { return .max }
    return Instant(milliseconds: Int64(milliseconds)) ?? .max
  }

  public func sleep(until instant: Instant) async throws {
    while true {
      let rest = now.span(to: instant)
      guard rest > .zero else { return }
      try await Task.sleep(for: .milliseconds(min(rest, Self.stretchMax).milliseconds))
    }
  }
}
