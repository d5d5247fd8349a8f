internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for devices, ordered by identifier.
public struct ListDevicesRequest: Hashable, Sendable {
  /// The default of ``count``.
  public static let countStandard = 1_000
  /// The maximum of ``count``.
  public static let countMax = 10_000

  /// Returns only devices after this one; `nil` to start with the first.
  public var after: DeviceID?
  /// The maximum number of devices to return, in `1 ... countMax`.
  public let count: Int

  /// Creates a request. Clamps `count` to `1 ... countMax`.
  public init(after: DeviceID? = nil, count: Int = countStandard) {
    self.after = after
    self.count = min(max(count, 1), Self.countMax)
  }
}

/// A list of devices, ordered by identifier.
public struct ListDevicesResponse: Hashable, Sendable {
  /// The devices.
  public var devices: [DeviceSummary]
  /// Whether there are more devices after the last one.
  public var hasMore: Bool

  /// Creates a response.
  public init(devices: [DeviceSummary], hasMore: Bool) {
    self.devices = devices
    self.hasMore = hasMore
  }
}

/// A summary of a device.
public struct DeviceSummary: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The device's time zone.
  public var timeZone: TimeZoneID
  /// The number of stacks; not negative.
  public var stackCount: Int
  /// The number of timelines; not negative.
  public var timelineCount: Int
  /// The number of decisions since the device was registered.
  public var decisionCount: UInt64
  /// Whether developer mode is on: dwell, hold and budgets are lifted (rule R7).
  public var isDeveloperModeOn: Bool
  /// The next scheduled wake; `nil` if nothing is due.
  public var nextWake: Instant?
  /// How far the device's clock is ahead of the server's, in milliseconds; not negative.
  public var clockAheadMilliseconds: Int64
  /// The error that prevents reading the device; empty if there is none. With an error, only the name is valid.
  public var error: String

  /// Creates a summary.
  public init(
    device: DeviceID, timeZone: TimeZoneID, stackCount: Int, timelineCount: Int, decisionCount: UInt64,
    isDeveloperModeOn: Bool, nextWake: Instant?, clockAheadMilliseconds: Int64 = 0, error: String = ""
  ) {
    self.device = device
    self.timeZone = timeZone
    self.stackCount = stackCount
    self.timelineCount = timelineCount
    self.decisionCount = decisionCount
    self.isDeveloperModeOn = isDeveloperModeOn
    self.nextWake = nextWake
    self.clockAheadMilliseconds = clockAheadMilliseconds
    self.error = error
  }
}

extension ListDevicesRequest: WireValue {
  init(_ message: Marquee__V1__ListDevicesRequest) throws(RequestError) {
    self.init(
      after: try Field.identifierIfPresent(message.after, "after"),
      count: try Field.count(
        message.count_max, "count_max", standard: Self.countStandard, maximum: Self.countMax))
  }

  func fill(_ message: inout Marquee__V1__ListDevicesRequest, _ scratch: EncodeScratch) {
    message.after = scratch.text(after)
    message.count_max = UInt32(count)
  }
}

extension ListDevicesResponse: WireValue {
  init(_ message: Marquee__V1__ListDevicesResponse) throws(RequestError) {
    self.init(
      devices: try Field.array(message.n_devices, message.devices, "devices"), hasMore: message.has_more != 0)
  }

  func fill(_ message: inout Marquee__V1__ListDevicesResponse, _ scratch: EncodeScratch) {
    (message.n_devices, message.devices) = scratch.array(devices)
    message.has_more = hasMore ? 1 : 0
  }
}

extension DeviceSummary: WireValue {
  init(_ message: Marquee__V1__DeviceSummary) throws(RequestError) {
    let isDue = message.maybe_next_wake_case == MARQUEE__V1__DEVICE_SUMMARY__MAYBE_NEXT_WAKE_NEXT_WAKE_MS
    self.init(
      device: try Field.identifier(message.device, "device"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"),
      stackCount: Int(message.stack_count), timelineCount: Int(message.timeline_count),
      decisionCount: message.decision_count,
      isDeveloperModeOn: message.developer_mode != 0,
      nextWake: isDue ? try Field.instant(message.next_wake_ms, "next_wake_ms") : nil,
      clockAheadMilliseconds: message.clock_ahead_ms, error: try Field.text(message.error, "error"))
  }

  func fill(_ message: inout Marquee__V1__DeviceSummary, _ scratch: EncodeScratch) {
    message.clock_ahead_ms = clockAheadMilliseconds
    message.error = scratch.text(error)
    message.device = scratch.text(device)
    message.time_zone = scratch.text(timeZone)
    message.stack_count = UInt32(clamping: stackCount)
    message.timeline_count = UInt32(clamping: timelineCount)
    message.decision_count = decisionCount
    message.developer_mode = isDeveloperModeOn ? 1 : 0
    if let nextWake {
      message.maybe_next_wake_case = MARQUEE__V1__DEVICE_SUMMARY__MAYBE_NEXT_WAKE_NEXT_WAKE_MS
      message.next_wake_ms = nextWake.milliseconds
    }
  }
}
