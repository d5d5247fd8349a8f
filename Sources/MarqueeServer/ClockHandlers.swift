import MarqueeModel
import MarqueeRuntime
import MarqueeTransport
import MarqueeWire

/// Handlers of the clock methods of `marquee.v1.Admin`.
struct ClockHandlers: Sendable {
  let runtime: Runtime
  let clock: any WallClock

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.getClock, for: .viewer) { _ in GetClockResponse(clock: try await status()) }
    router.unary(AdminService.advanceClock, for: .operator) { request in
      try advance(to: request.to)
      return AdvanceClockResponse(clock: try await status())
    }
  }

  private func advance(to instant: Instant) throws(RequestError) {
    guard let manual = clock as? ManualClock else {
      throw RequestError(.failedPrecondition, "the system clock cannot be advanced (clock: system)")
    }
    guard manual.advance(to: instant) else {
      let excess = instant.span(to: manual.now).words
      throw RequestError(.invalidArgument, field: "to_ms", "\(excess) before the server's current time")
    }
  }

  /// Returns the clock's status after all due work has been processed.
  private func status() async throws -> ClockStatus {
    let next = try await runtime.waitUntilIdle()
    return ClockStatus(now: clock.now, isManual: clock is ManualClock, nextChange: next)
  }
}
