internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for the changes of devices as they occur.
public struct WatchActivityRequest: Hashable, Sendable {
  /// The maximum number of devices.
  public static let deviceCountMax = 1_000
  /// The maximum size of a request, in bytes.
  static let sizeMax = 262_144

  /// The distinct devices; empty for all devices.
  public let devices: [DeviceID]
  /// The time without messages after which the server sends a heartbeat.
  public let heartbeat: HeartbeatInterval

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if a device is duplicated, or there are more than ``deviceCountMax``.
  public init(devices: [DeviceID] = [], heartbeat: HeartbeatInterval = .none) throws(RequestError) {
    guard devices.count <= Self.deviceCountMax else {
      throw .over(
        limit: "activity-device-count-max", maximum: Self.deviceCountMax, count: devices.count, field: "devices")
    }
    try Field.unique(devices, "devices") { $0 }
    self.devices = devices
    self.heartbeat = heartbeat
  }
}

/// A message of a stream of changes.
public enum WatchActivityResponse: Hashable, Sendable {
  /// The stream has begun.
  case started
  /// A change of a device.
  case activity(Activity)
  /// The number of changes before the next one that were not sent, because the client did not read fast enough.
  case missed(UInt64)
  /// Nothing was sent for the time that the client requested.
  case heartbeat
}

/// A change of a device.
public struct Activity: Hashable, Sendable {
  /// The kinds of changes.
  public enum Change: Hashable, Sendable {
    /// The engine decided.
    case decision(DecisionActivity)
    /// A user scrolled to a widget.
    case scroll(ScrollActivity)
    /// A stack was created, or it or its members have changed. This is its new state.
    case stack(Stack)
    /// A stack was removed.
    case removedStack(StackID)
    /// An app published a timeline.
    case timeline(TimelineActivity)
    /// An app attached a stream of its provider.
    case attached(AppID)
    /// A stream of an app's provider ended.
    case detached(AppID)
  }

  /// The device.
  public var device: DeviceID
  /// When it occurred.
  public var at: Instant
  /// The change.
  public var change: Change

  /// Creates an activity.
  public init(device: DeviceID, at: Instant, _ change: Change) {
    self.device = device
    self.at = at
    self.change = change
  }
}

extension WatchActivityResponse: WireValue {
  init(_ message: Marquee__V1__WatchActivityResponse) throws(RequestError) {
    switch message.message_case {
    case MARQUEE__V1__WATCH_ACTIVITY_RESPONSE__MESSAGE_STARTED:
      try Field.selector(message.started, "started")
      self = .started
    case MARQUEE__V1__WATCH_ACTIVITY_RESPONSE__MESSAGE_ACTIVITY:
      self = .activity(try Field.required(message.activity, "activity"))
    case MARQUEE__V1__WATCH_ACTIVITY_RESPONSE__MESSAGE_MISSED_COUNT: self = .missed(message.missed_count)
    case MARQUEE__V1__WATCH_ACTIVITY_RESPONSE__MESSAGE_HEARTBEAT:
      try Field.selector(message.heartbeat, "heartbeat")
      self = .heartbeat
    default: throw Field.absent("message")
    }
  }

  func fill(_ message: inout Marquee__V1__WatchActivityResponse, _ scratch: EncodeScratch) {
    switch self {
    case .started:
      message.message_case = MARQUEE__V1__WATCH_ACTIVITY_RESPONSE__MESSAGE_STARTED
      message.started = 1
    case .activity(let activity):
      message.message_case = MARQUEE__V1__WATCH_ACTIVITY_RESPONSE__MESSAGE_ACTIVITY
      message.activity = scratch.message(activity)
    case .missed(let count):
      message.message_case = MARQUEE__V1__WATCH_ACTIVITY_RESPONSE__MESSAGE_MISSED_COUNT
      message.missed_count = count
    case .heartbeat:
      message.message_case = MARQUEE__V1__WATCH_ACTIVITY_RESPONSE__MESSAGE_HEARTBEAT
      message.heartbeat = 1
    }
  }
}

extension Activity: WireValue {
  init(_ message: Marquee__V1__Activity) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"), at: try Field.instant(message.at_ms, "at_ms"),
      try Change(message))
  }

  func fill(_ message: inout Marquee__V1__Activity, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.at_ms = at.milliseconds
    switch change {
    case .decision(let decision):
      message.change_case = MARQUEE__V1__ACTIVITY__CHANGE_DECISION
      message.decision = scratch.message(decision)
    case .scroll(let scroll):
      message.change_case = MARQUEE__V1__ACTIVITY__CHANGE_SCROLL
      message.scroll = scratch.message(scroll)
    case .stack(let stack):
      message.change_case = MARQUEE__V1__ACTIVITY__CHANGE_STACK
      message.stack = scratch.message(stack)
    case .removedStack(let stack):
      message.change_case = MARQUEE__V1__ACTIVITY__CHANGE_REMOVED_STACK
      message.removed_stack = scratch.text(stack)
    case .timeline(let timeline):
      message.change_case = MARQUEE__V1__ACTIVITY__CHANGE_TIMELINE
      message.timeline = scratch.message(timeline)
    case .attached(let app):
      message.change_case = MARQUEE__V1__ACTIVITY__CHANGE_ATTACHED_APP
      message.attached_app = scratch.text(app)
    case .detached(let app):
      message.change_case = MARQUEE__V1__ACTIVITY__CHANGE_DETACHED_APP
      message.detached_app = scratch.text(app)
    }
  }
}

extension Activity.Change {
  fileprivate init(_ message: Marquee__V1__Activity) throws(RequestError) {
    switch message.change_case {
    case MARQUEE__V1__ACTIVITY__CHANGE_DECISION:
      self = .decision(try Field.required(message.decision, "decision"))
    case MARQUEE__V1__ACTIVITY__CHANGE_SCROLL: self = .scroll(try Field.required(message.scroll, "scroll"))
    case MARQUEE__V1__ACTIVITY__CHANGE_STACK: self = .stack(try Field.required(message.stack, "stack"))
    case MARQUEE__V1__ACTIVITY__CHANGE_REMOVED_STACK:
      self = .removedStack(try Field.identifier(message.removed_stack, "removed_stack"))
    case MARQUEE__V1__ACTIVITY__CHANGE_TIMELINE:
      self = .timeline(try Field.required(message.timeline, "timeline"))
    case MARQUEE__V1__ACTIVITY__CHANGE_ATTACHED_APP:
      self = .attached(try Field.identifier(message.attached_app, "attached_app"))
    case MARQUEE__V1__ACTIVITY__CHANGE_DETACHED_APP:
      self = .detached(try Field.identifier(message.detached_app, "detached_app"))
    default: throw Field.absent("change")
    }
  }
}
