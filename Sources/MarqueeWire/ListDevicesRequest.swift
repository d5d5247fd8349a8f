internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks for devices, in the order of their names.
public struct ListDevicesRequest: Hashable, Sendable {
  /// Devices in one answer when nothing else is asked for.
  public static let countStandard = 1_000
  /// Devices in one answer, at most.
  public static let countMax = 10_000

  /// Only devices after this one; `nil`: from the first.
  public var after: DeviceID?
  /// At most so many, in `1 ... countMax`.
  public let count: Int

  /// A request; `count` is held within `1 ... countMax`.
  public init(after: DeviceID? = nil, count: Int = countStandard) {
    self.after = after
    self.count = min(max(count, 1), Self.countMax)
  }
}

/// Devices, in the order of their names.
public struct ListDevicesResponse: Hashable, Sendable {
  /// The devices.
  public var devices: [DeviceSummary]
  /// Whether there are further devices after the last one.
  public var hasMore: Bool

  /// A response.
  public init(devices: [DeviceSummary], hasMore: Bool) {
    self.devices = devices
    self.hasMore = hasMore
  }
}

/// A device in numbers.
public struct DeviceSummary: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// Where it is.
  public var timeZone: TimeZoneID
  /// Its stacks; not negative.
  public var stackCount: Int
  /// Its timelines; not negative.
  public var timelineCount: Int
  /// Decisions taken since it was registered.
  public var decisionCount: UInt64
  /// Whether dwell, hold and budgets are lifted (rule R7).
  public var isDeveloperModeOn: Bool
  /// When anything is due next; `nil` when nothing is.
  public var nextWake: Instant?

  /// A summary.
  public init(
    device: DeviceID, timeZone: TimeZoneID, stackCount: Int, timelineCount: Int, decisionCount: UInt64,
    isDeveloperModeOn: Bool, nextWake: Instant?
  ) {
    self.device = device
    self.timeZone = timeZone
    self.stackCount = stackCount
    self.timelineCount = timelineCount
    self.decisionCount = decisionCount
    self.isDeveloperModeOn = isDeveloperModeOn
    self.nextWake = nextWake
  }
}

extension ListDevicesRequest: WireValue {
  init(_ message: Marquee__V1__ListDevicesRequest) throws(Refusal) {
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
  init(_ message: Marquee__V1__ListDevicesResponse) throws(Refusal) {
    self.init(
      devices: try Field.array(message.n_devices, message.devices, "devices"), hasMore: message.has_more != 0)
  }

  func fill(_ message: inout Marquee__V1__ListDevicesResponse, _ scratch: EncodeScratch) {
    (message.n_devices, message.devices) = scratch.array(devices)
    message.has_more = hasMore ? 1 : 0
  }
}

extension DeviceSummary: WireValue {
  init(_ message: Marquee__V1__DeviceSummary) throws(Refusal) {
    let isDue = message.maybe_next_wake_case == MARQUEE__V1__DEVICE_SUMMARY__MAYBE_NEXT_WAKE_NEXT_WAKE_MS
    self.init(
      device: try Field.identifier(message.device, "device"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"),
      stackCount: Int(message.stack_count), timelineCount: Int(message.timeline_count),
      decisionCount: message.decision_count,
      isDeveloperModeOn: message.developer_mode != 0,
      nextWake: isDue ? try Field.instant(message.next_wake_ms, "next_wake_ms") : nil)
  }

  func fill(_ message: inout Marquee__V1__DeviceSummary, _ scratch: EncodeScratch) {
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
