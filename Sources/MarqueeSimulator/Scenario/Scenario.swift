import MarqueeModel
import MarqueeScheduler

/// How a device begins and everything that happens to it: all that its decisions depend on.
///
/// Written by hand or recorded from a live device, as text or as a value: ``init(yaml:)`` and ``yaml`` lead from one to
/// the other and back without loss.
public struct Scenario: Hashable, Sendable {
  /// Occurrences in one scenario, at most.
  public static let occurrenceCountMax = 100_000

  /// An event and when it happens.
  public struct Occurrence: Sendable {
    /// When.
    public let at: Instant
    /// What.
    public let event: Event
    /// The line that it was read from, counted from 1; `nil` when it was not read. Takes no part in equality.
    public let line: Int?

    /// An event at an instant.
    public init(at: Instant, event: Event, line: Int? = nil) {
      self.at = at
      self.event = event
      self.line = line
    }
  }

  /// The device's name.
  public let device: DeviceID
  /// Where the device is at first. Times of day in a scenario's text are those of this zone, wherever it moves.
  public let timeZone: TimeZoneID
  /// When the device begins, without stacks or widgets. Times of day in a scenario's text are those of this local day.
  public let begin: Instant
  /// The numbers of the rules at first.
  public let policy: Policy
  /// What happens, in its order; instants never fall.
  public let occurrences: [Occurrence]

  /// A scenario, or a refusal of a time zone that this machine does not know, of a policy with a number outside its
  /// range, of times that fall, or of more than ``occurrenceCountMax`` occurrences.
  public init(
    device: DeviceID, timeZone: TimeZoneID, begin: Instant, policy: Policy = .standard, occurrences: [Occurrence]
  ) throws(Refusal) {
    do { _ = try DeviceClock(timeZone) } catch { throw error.within("time-zone") }
    do { try policy.check() } catch { throw error.within("policy") }
    guard occurrences.count <= Self.occurrenceCountMax else {
      throw .over(
        limit: "occurrenceCountMax", maximum: Self.occurrenceCountMax, count: occurrences.count, field: "events")
    }
    var last = begin
    for (index, occurrence) in occurrences.enumerated() {
      guard occurrence.at >= last else {
        throw Refusal(
          .invalidArgument, field: "events[\(index)]",
          "\(occurrence.at.span(to: last).milliseconds) ms before what is ahead of it")
      }
      last = occurrence.at
    }
    self.device = device
    self.timeZone = timeZone
    self.begin = begin
    self.policy = policy
    self.occurrences = occurrences
  }

  /// The scenario of a recorded device: how it was created, and each event that it accepted since, in order.
  public init(
    recordingOf device: DeviceID, timeZone: TimeZoneID, createdAt: Instant, policy: Policy,
    events: [(at: Instant, event: Event)]
  ) throws(Refusal) {
    try self.init(
      device: device, timeZone: timeZone, begin: createdAt, policy: policy,
      occurrences: events.map { Occurrence(at: $0.at, event: $0.event) })
  }

  /// The device before anything has happened.
  public var beginning: Device { Device(id: device, timeZone: timeZone, policy: policy, at: begin) }

  /// The clock that the scenario's times are told by.
  package var clock: DeviceClock {
    do { return try DeviceClock(timeZone) } catch { preconditionFailure("the zone was there: \(error)") }
  }
}

extension Scenario.Occurrence: Hashable {
  public static func == (left: Scenario.Occurrence, right: Scenario.Occurrence) -> Bool {
    left.at == right.at && left.event == right.event
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(at)
    hasher.combine(event)
  }
}
