import MarqueeModel
import MarqueeRuntime
import MarqueeTransport
import MarqueeWire

/// The calls of `marquee.v1.Admin` that show and move the server's clock.
struct ClockHandlers: Sendable {
  let runtime: Runtime
  let clock: any WallClock

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.getClock, for: .viewer) { _ in GetClockResponse(clock: try await reading()) }
    router.unary(AdminService.advanceClock, for: .operator) { request in
      try advance(to: request.to)
      return AdvanceClockResponse(clock: try await reading())
    }
  }

  private func advance(to instant: Instant) throws(Refusal) {
    guard let manual = clock as? ManualClock else {
      throw Refusal(.failedPrecondition, "the server goes by the machine's clock, which nobody moves here")
    }
    guard manual.advance(to: instant) else {
      let excess = instant.span(to: manual.now).milliseconds
      throw Refusal(.invalidArgument, field: "to_ms", "\(excess) ms before what the clock shows")
    }
  }

  /// What the clock shows once everything that is due by then has been done.
  private func reading() async throws -> ClockReading {
    let next = try await runtime.settle()
    return ClockReading(now: clock.now, isManual: clock is ManualClock, nextChange: next)
  }
}
