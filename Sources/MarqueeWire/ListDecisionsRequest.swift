internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for a device's decisions, newest first.
public struct ListDecisionsRequest: Hashable, Sendable {
  /// The default of ``count``.
  public static let countStandard = 100
  /// The maximum of ``count``.
  public static let countMax = 1_000

  /// The device.
  public var device: DeviceID
  /// The stack; `nil` for all stacks.
  public var stack: StackID?
  /// Returns only decisions with a lower number; `nil` to start with the newest.
  public var before: UInt64?
  /// The maximum number of decisions to return, in `1 ... countMax`.
  public let count: Int

  /// Creates a request. Clamps `count` to `1 ... countMax`.
  public init(device: DeviceID, stack: StackID? = nil, before: UInt64? = nil, count: Int = countStandard) {
    self.device = device
    self.stack = stack
    self.before = before
    self.count = min(max(count, 1), Self.countMax)
  }
}

/// A device's decisions, newest first.
public struct ListDecisionsResponse: Hashable, Sendable {
  /// The decisions.
  public var decisions: [Decision]
  /// The device's time zone.
  public var timeZone: TimeZoneID

  /// Creates a response.
  public init(decisions: [Decision], timeZone: TimeZoneID) {
    self.decisions = decisions
    self.timeZone = timeZone
  }
}

extension ListDecisionsRequest: WireValue {
  init(_ message: Marquee__V1__ListDecisionsRequest) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"),
      stack: try Field.identifierIfPresent(message.stack, "stack"),
      before: message.before == 0 ? nil : message.before,
      count: try Field.count(
        message.count_max, "count_max", standard: Self.countStandard, maximum: Self.countMax))
  }

  func fill(_ message: inout Marquee__V1__ListDecisionsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.stack = scratch.text(stack)
    message.before = before ?? 0
    message.count_max = UInt32(count)
  }
}

extension ListDecisionsResponse: WireValue {
  init(_ message: Marquee__V1__ListDecisionsResponse) throws(RequestError) {
    self.init(
      decisions: try Field.array(message.n_decisions, message.decisions, "decisions"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"))
  }

  func fill(_ message: inout Marquee__V1__ListDecisionsResponse, _ scratch: EncodeScratch) {
    (message.n_decisions, message.decisions) = scratch.array(decisions)
    message.time_zone = scratch.text(timeZone)
  }
}
