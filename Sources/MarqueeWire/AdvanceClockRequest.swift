internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for the server's clock.
public struct GetClockRequest: Hashable, Sendable {
  /// Creates a request.
  public init() {}
}

/// The server's clock.
public struct GetClockResponse: Hashable, Sendable {
  /// The clock's status.
  public var clock: ClockStatus

  /// Creates a response.
  public init(clock: ClockStatus) {
    self.clock = clock
  }
}

/// A request to advance the clock of a server with a manual clock.
public struct AdvanceClockRequest: Hashable, Sendable {
  /// The new time, not before the current one.
  public var to: Instant

  /// Creates a request.
  public init(to: Instant) {
    self.to = to
  }
}

/// A confirmation that everything due until the new time has been decided and is durable.
public struct AdvanceClockResponse: Hashable, Sendable {
  /// The status after the clock was advanced.
  public var clock: ClockStatus

  /// Creates a response.
  public init(clock: ClockStatus) {
    self.clock = clock
  }
}

/// The status of a server's clock.
public struct ClockStatus: Hashable, Sendable {
  /// The current time.
  public var now: Instant
  /// Whether the clock is manual: it only advances when an operator advances it.
  public var isManual: Bool
  /// The next instant at which any device can change without an event; `nil` if nothing is due.
  public var nextChange: Instant?

  /// Creates a status.
  public init(now: Instant, isManual: Bool, nextChange: Instant?) {
    self.now = now
    self.isManual = isManual
    self.nextChange = nextChange
  }
}

extension GetClockRequest: WireValue {
  init(_ message: Marquee__V1__GetClockRequest) {}

  func fill(_ message: inout Marquee__V1__GetClockRequest, _ scratch: EncodeScratch) {}
}

extension GetClockResponse: WireValue {
  init(_ message: Marquee__V1__GetClockResponse) throws(RequestError) {
    self.init(clock: try Field.required(message.clock, "clock"))
  }

  func fill(_ message: inout Marquee__V1__GetClockResponse, _ scratch: EncodeScratch) {
    message.clock = scratch.message(clock)
  }
}

extension AdvanceClockRequest: WireValue {
  init(_ message: Marquee__V1__AdvanceClockRequest) throws(RequestError) {
    self.init(to: try Field.instant(message.to_ms, "to_ms"))
  }

  func fill(_ message: inout Marquee__V1__AdvanceClockRequest, _ scratch: EncodeScratch) {
    message.to_ms = to.milliseconds
  }
}

extension AdvanceClockResponse: WireValue {
  init(_ message: Marquee__V1__AdvanceClockResponse) throws(RequestError) {
    self.init(clock: try Field.required(message.clock, "clock"))
  }

  func fill(_ message: inout Marquee__V1__AdvanceClockResponse, _ scratch: EncodeScratch) {
    message.clock = scratch.message(clock)
  }
}

extension ClockStatus: WireValue {
  init(_ message: Marquee__V1__ClockStatus) throws(RequestError) {
    let isDue = message.maybe_next_change_case == MARQUEE__V1__CLOCK_STATUS__MAYBE_NEXT_CHANGE_NEXT_CHANGE_MS
    self.init(
      now: try Field.instant(message.now_ms, "now_ms"), isManual: message.manual != 0,
      nextChange: isDue ? try Field.instant(message.next_change_ms, "next_change_ms") : nil)
  }

  func fill(_ message: inout Marquee__V1__ClockStatus, _ scratch: EncodeScratch) {
    message.now_ms = now.milliseconds
    message.manual = isManual ? 1 : 0
    if let nextChange {
      message.maybe_next_change_case = MARQUEE__V1__CLOCK_STATUS__MAYBE_NEXT_CHANGE_NEXT_CHANGE_MS
      message.next_change_ms = nextChange.milliseconds
    }
  }
}
