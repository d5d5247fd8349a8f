import MarqueeModel
import MarqueeRuntime

/// A server's adjustable system clock.
final class SimulatedClock: WallClock {
  private let world: World
  private let skew: Skew

  /// The clock's offset, shared by its copies.
  ///
  /// `@unchecked Sendable`: accessed only on the world's thread.
  final class Skew: @unchecked Sendable {
    var span = TimeSpan.zero
  }

  init(_ world: World, _ skew: Skew) {
    self.world = world
    self.skew = skew
  }

  var now: Instant {
    let passed = world.elapsed.components
    let milliseconds = passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
    return World.start.advanced(by: TimeSpan(milliseconds: milliseconds)).advanced(by: skew.span)
  }

  func sleep(until instant: Instant) async throws {
    while true {
      let rest = now.span(to: instant)
      guard rest > .zero else { return }
      try await world.sleep(.milliseconds(min(rest, .minutes(1)).milliseconds))
    }
  }
}
