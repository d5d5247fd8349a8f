import MarqueeModel
import MarqueeScheduler

/// The initial state of a device and all of its events: everything on which its decisions depend.
///
/// A scenario is written by hand or exported from a live device. ``init(yaml:)`` and ``yaml`` convert between text and
/// value without loss.
public struct Scenario: Hashable, Sendable {
  /// The maximum number of occurrences in one scenario.
  public static let occurrenceCountMax = 100_000

  /// An event with its instant.
  public struct Occurrence: Sendable {
    /// The instant of the event.
    public let at: Instant
    /// The event.
    public let event: Event
    /// The line in the source text, counted from 1, or `nil` if there is no text. Ignored by equality.
    public let line: Int?

    /// Creates an occurrence.
    public init(at: Instant, event: Event, line: Int? = nil) {
      self.at = at
      self.event = event
      self.line = line
    }
  }

  /// The device's name.
  public let device: DeviceID
  /// The device's initial time zone. Times of day in a scenario's text use this zone, even after the device changes
  /// zones.
  public let timeZone: TimeZoneID
  /// The instant at which the device is created, without stacks or widgets. Times of day in a scenario's text refer to
  /// this local day.
  public let begin: Instant
  /// The initial policy.
  public let policy: Policy
  /// The end of a simulation that has no other one; `nil` for the end of the local day of the last event.
  public let until: Instant?
  /// The occurrences in order; instants never decrease.
  public let occurrences: [Occurrence]

  /// Creates a scenario.
  ///
  /// - Throws: ``RequestError`` for an unknown time zone, an out-of-range policy number, decreasing instants, an end
  ///   that is not after the beginning, or more than ``occurrenceCountMax`` occurrences.
  public init(
    device: DeviceID, timeZone: TimeZoneID, begin: Instant, policy: Policy = .default, until: Instant? = nil,
    occurrences: [Occurrence]
  ) throws(RequestError) {
    do { _ = try DeviceClock(timeZone) } catch { throw error.within("time-zone") }
    do { try policy.check() } catch { throw error.within("policy") }
    guard occurrences.count <= Self.occurrenceCountMax else {
      throw .over(
        limit: "occurrenceCountMax", maximum: Self.occurrenceCountMax, count: occurrences.count, field: "events")
    }
    guard until.map({ $0 > begin }) ?? true else {
      throw RequestError(.invalidArgument, field: "until", "must be after the beginning")
    }
    var last = begin
    for (index, occurrence) in occurrences.enumerated() {
      guard occurrence.at >= last else {
        throw RequestError(
          .invalidArgument, field: "events[\(index)]",
          "\(occurrence.at.span(to: last).words) before the previous occurrence")
      }
      last = occurrence.at
    }
    self.device = device
    self.timeZone = timeZone
    self.begin = begin
    self.policy = policy
    self.until = until
    self.occurrences = occurrences
  }

  /// Creates the scenario of a recorded device from its creation and the events that it accepted, in order.
  public init(
    recordingOf device: DeviceID, timeZone: TimeZoneID, createdAt: Instant, policy: Policy,
    events: [(at: Instant, event: Event)]
  ) throws(RequestError) {
    try self.init(
      device: device, timeZone: timeZone, begin: createdAt, policy: policy,
      occurrences: events.map { Occurrence(at: $0.at, event: $0.event) })
  }

  /// The device before any events.
  public var beginning: Device { Device(id: device, timeZone: timeZone, policy: policy, at: begin) }

  /// The clock for times in the scenario's text.
  package var clock: DeviceClock {
    do { return try DeviceClock(timeZone) } catch {
      preconditionFailure("the validated time zone is missing: \(error)")
    }
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
