internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks what the server's clock shows.
public struct GetClockRequest: Hashable, Sendable {
  /// A request.
  public init() {}
}

/// What the server's clock shows.
public struct GetClockResponse: Hashable, Sendable {
  /// The clock.
  public var clock: ClockReading

  /// A response.
  public init(clock: ClockReading) {
    self.clock = clock
  }
}

/// Moves the time on, on a server whose clock stands still until it is moved.
public struct AdvanceClockRequest: Hashable, Sendable {
  /// What the clock is to show, not before what it shows.
  public var to: Instant

  /// A request.
  public init(to: Instant) {
    self.to = to
  }
}

/// Everything that was due has been decided and is durable.
public struct AdvanceClockResponse: Hashable, Sendable {
  /// The clock after it was moved.
  public var clock: ClockReading

  /// A response.
  public init(clock: ClockReading) {
    self.clock = clock
  }
}

/// What a server's clock shows.
public struct ClockReading: Hashable, Sendable {
  /// The time.
  public var now: Instant
  /// Whether the time stands still until an operator moves it.
  public var isManual: Bool
  /// The next instant at which anything can change on any device without an event; `nil` when nothing is due.
  public var nextChange: Instant?

  /// A reading.
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
  init(_ message: Marquee__V1__GetClockResponse) throws(Refusal) {
    self.init(clock: try Field.required(message.clock, "clock"))
  }

  func fill(_ message: inout Marquee__V1__GetClockResponse, _ scratch: EncodeScratch) {
    message.clock = scratch.message(clock)
  }
}

extension AdvanceClockRequest: WireValue {
  init(_ message: Marquee__V1__AdvanceClockRequest) throws(Refusal) {
    self.init(to: try Field.instant(message.to_ms, "to_ms"))
  }

  func fill(_ message: inout Marquee__V1__AdvanceClockRequest, _ scratch: EncodeScratch) {
    message.to_ms = to.milliseconds
  }
}

extension AdvanceClockResponse: WireValue {
  init(_ message: Marquee__V1__AdvanceClockResponse) throws(Refusal) {
    self.init(clock: try Field.required(message.clock, "clock"))
  }

  func fill(_ message: inout Marquee__V1__AdvanceClockResponse, _ scratch: EncodeScratch) {
    message.clock = scratch.message(clock)
  }
}

extension ClockReading: WireValue {
  init(_ message: Marquee__V1__ClockReading) throws(Refusal) {
    let isDue = message.maybe_next_change_case == MARQUEE__V1__CLOCK_READING__MAYBE_NEXT_CHANGE_NEXT_CHANGE_MS
    self.init(
      now: try Field.instant(message.now_ms, "now_ms"), isManual: message.manual != 0,
      nextChange: isDue ? try Field.instant(message.next_change_ms, "next_change_ms") : nil)
  }

  func fill(_ message: inout Marquee__V1__ClockReading, _ scratch: EncodeScratch) {
    message.now_ms = now.milliseconds
    message.manual = isManual ? 1 : 0
    if let nextChange {
      message.maybe_next_change_case = MARQUEE__V1__CLOCK_READING__MAYBE_NEXT_CHANGE_NEXT_CHANGE_MS
      message.next_change_ms = nextChange.milliseconds
    }
  }
}
