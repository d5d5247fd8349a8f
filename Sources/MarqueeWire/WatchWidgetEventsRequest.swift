internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to watch the events of an app's widgets on a device (rule W7).
public struct WatchWidgetEventsRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The app.
  public let app: AppID
  /// The distinct names of the kinds whose widgets are watched, at most `kind-count-max`; empty for all kinds.
  public let kinds: [KindName]
  /// The time without messages after which the server sends a heartbeat.
  public let heartbeat: HeartbeatInterval

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if a name is duplicated.
  public init(
    device: DeviceID, app: AppID, kinds: [KindName] = [], heartbeat: HeartbeatInterval = .none
  ) throws(RequestError) {
    try Field.unique(kinds, "kinds") { $0 }
    self.device = device
    self.app = app
    self.kinds = kinds
    self.heartbeat = heartbeat
  }
}

/// A message from the server on a stream of widget events.
public enum WatchWidgetEventsResponse: Hashable, Sendable {
  /// The stream is attached. The app has registered this number of kinds on the device.
  case attached(kindCount: Int)
  /// An event of a widget on a device.
  case event(WidgetEvent, on: DeviceID)
  /// Nothing was sent for the time that the app requested.
  case heartbeat
}

extension WatchWidgetEventsResponse: WireValue {
  init(_ message: Marquee__V1__WatchWidgetEventsResponse) throws(RequestError) {
    switch message.message_case {
    case MARQUEE__V1__WATCH_WIDGET_EVENTS_RESPONSE__MESSAGE_ATTACHED:
      self = .attached(kindCount: Int(message.attached.pointee.kind_count))
    case MARQUEE__V1__WATCH_WIDGET_EVENTS_RESPONSE__MESSAGE_EVENT:
      let event = message.event.pointee
      self = .event(
        try Field.within("event", WidgetEvent(event)),
        on: try Field.within("event", Field.identifier(event.device, "device")))
    case MARQUEE__V1__WATCH_WIDGET_EVENTS_RESPONSE__MESSAGE_HEARTBEAT:
      try Field.selector(message.heartbeat, "heartbeat")
      self = .heartbeat
    default: throw Field.absent("message")
    }
  }

  func fill(_ message: inout Marquee__V1__WatchWidgetEventsResponse, _ scratch: EncodeScratch) {
    switch self {
    case .attached(let kindCount):
      message.message_case = MARQUEE__V1__WATCH_WIDGET_EVENTS_RESPONSE__MESSAGE_ATTACHED
      message.attached = scratch.build { $0.kind_count = UInt32(clamping: kindCount) }
    case .event(let event, let device):
      message.message_case = MARQUEE__V1__WATCH_WIDGET_EVENTS_RESPONSE__MESSAGE_EVENT
      message.event = scratch.build {
        $0.device = scratch.text(device)
        event.fill(&$0, scratch)
      }
    case .heartbeat:
      message.message_case = MARQUEE__V1__WATCH_WIDGET_EVENTS_RESPONSE__MESSAGE_HEARTBEAT
      message.heartbeat = 1
    }
  }
}

extension WidgetEvent {
  fileprivate init(_ message: Marquee__V1__WidgetEvent) throws(RequestError) {
    let instance = WidgetInstance(
      try Field.required(message.widget, "widget"), in: try WidgetFamily(message.family, "family"))
    let stack: StackID? = try Field.identifierIfPresent(message.stack, "stack")
    let change = try Change(message)
    switch change {
    case .suggested, .visible, .hidden, .impressions:
      guard stack != nil else { throw RequestError(.invalidArgument, field: "stack", "required for this event") }
    case .resized(let family):
      guard stack == nil else {
        throw RequestError(.invalidArgument, field: "resized_from", "a stack does not resize its widgets")
      }
      guard family != instance.family else {
        throw RequestError(.invalidArgument, field: "resized_from", "must differ from family")
      }
    case .placed, .removed, .tapped: break
    }
    self.init(
      at: try Field.instant(message.at_ms, "at_ms"), WidgetPlacement(instance, in: stack), change,
      isInitial: message.initial != 0)
  }

  fileprivate func fill(_ message: inout Marquee__V1__WidgetEvent, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    message.widget = scratch.message(placement.instance.widget)
    message.family = Marquee__V1__WidgetFamily(placement.instance.family)
    message.stack = scratch.text(placement.stack)
    message.initial = isInitial ? 1 : 0
    change.fill(&message, scratch)
  }
}

extension WidgetEvent.Change {
  fileprivate init(_ message: Marquee__V1__WidgetEvent) throws(RequestError) {
    switch message.event_case {
    case MARQUEE__V1__WIDGET_EVENT__EVENT_PLACED:
      try Field.selector(message.placed, "placed")
      self = .placed
    case MARQUEE__V1__WIDGET_EVENT__EVENT_SUGGESTED:
      try Field.selector(message.suggested, "suggested")
      self = .suggested
    case MARQUEE__V1__WIDGET_EVENT__EVENT_REMOVED:
      try Field.selector(message.removed, "removed")
      self = .removed
    case MARQUEE__V1__WIDGET_EVENT__EVENT_RESIZED_FROM:
      self = .resized(from: try WidgetFamily(message.resized_from, "resized_from"))
    case MARQUEE__V1__WIDGET_EVENT__EVENT_VISIBLE:
      try Field.selector(message.visible, "visible")
      self = .visible
    case MARQUEE__V1__WIDGET_EVENT__EVENT_HIDDEN:
      try Field.selector(message.hidden, "hidden")
      self = .hidden
    case MARQUEE__V1__WIDGET_EVENT__EVENT_IMPRESSIONS:
      self = try Field.within("impressions", Self(message.impressions.pointee))
    case MARQUEE__V1__WIDGET_EVENT__EVENT_TAPPED:
      self = try Field.within("tapped", Self(message.tapped.pointee))
    default: throw Field.absent("event")
    }
  }

  private init(_ message: Marquee__V1__WidgetImpressions) throws(RequestError) {
    self = .impressions(
      count: try Field.count(message.count, "count"),
      visibleTime: TimeSpan(milliseconds: try Field.natural(message.visible_time_ms, "visible_time_ms")))
  }

  private init(_ message: Marquee__V1__TappedEntry) throws(RequestError) {
    let hasEntry = message.maybe_entry_case == MARQUEE__V1__TAPPED_ENTRY__MAYBE_ENTRY_ENTRY_MS
    self = .tapped(
      entry: hasEntry ? try Field.instant(message.entry_ms, "entry_ms") : nil,
      link: try EntryLink(ifPresent: message.link, "link"))
  }

  fileprivate func fill(_ message: inout Marquee__V1__WidgetEvent, _ scratch: EncodeScratch) {
    switch self {
    case .placed:
      message.event_case = MARQUEE__V1__WIDGET_EVENT__EVENT_PLACED
      message.placed = 1
    case .suggested:
      message.event_case = MARQUEE__V1__WIDGET_EVENT__EVENT_SUGGESTED
      message.suggested = 1
    case .removed:
      message.event_case = MARQUEE__V1__WIDGET_EVENT__EVENT_REMOVED
      message.removed = 1
    case .resized(let family):
      message.event_case = MARQUEE__V1__WIDGET_EVENT__EVENT_RESIZED_FROM
      message.resized_from = Marquee__V1__WidgetFamily(family)
    case .visible:
      message.event_case = MARQUEE__V1__WIDGET_EVENT__EVENT_VISIBLE
      message.visible = 1
    case .hidden:
      message.event_case = MARQUEE__V1__WIDGET_EVENT__EVENT_HIDDEN
      message.hidden = 1
    case .impressions(let count, let visibleTime):
      message.event_case = MARQUEE__V1__WIDGET_EVENT__EVENT_IMPRESSIONS
      message.impressions = scratch.build {
        $0.count = UInt64(count)
        $0.visible_time_ms = visibleTime.milliseconds
      }
    case .tapped(let entry, let link):
      message.event_case = MARQUEE__V1__WIDGET_EVENT__EVENT_TAPPED
      message.tapped = scratch.build {
        if let entry {
          $0.maybe_entry_case = MARQUEE__V1__TAPPED_ENTRY__MAYBE_ENTRY_ENTRY_MS
          $0.entry_ms = entry.milliseconds
        }
        $0.link = scratch.text(link?.text ?? "")
      }
    }
  }
}
