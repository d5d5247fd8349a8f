internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to watch the stacks of a device.
public struct WatchRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The distinct stacks to watch; empty for all, including future ones, and for the widgets on the Home Screen outside
  /// stacks.
  public let stacks: [StackID]
  /// The state of the screen during the watch: if others can read it, private entries are redacted (rule W5).
  public let screen: ScreenState
  /// The time without updates after which the server sends a heartbeat.
  public let heartbeat: HeartbeatInterval

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if a stack is duplicated.
  public init(
    device: DeviceID, stacks: [StackID] = [], screen: ScreenState = .unlocked, heartbeat: HeartbeatInterval = .none
  ) throws(RequestError) {
    try Field.unique(stacks, "stacks") { $0 }
    self.device = device
    self.stacks = stacks
    self.screen = screen
    self.heartbeat = heartbeat
  }

  private init(_ request: WatchRequest, screen: ScreenState) {
    device = request.device
    stacks = request.stacks
    self.screen = screen
    heartbeat = request.heartbeat
  }

  /// Returns the request for a screen that others see: an unlocked one counts as shared.
  public var forScreenOfOthers: WatchRequest {
    screen.isReadableByOthers ? self : WatchRequest(self, screen: .shared)
  }
}

/// An update of a display's state.
public struct DisplayUpdate: Hashable, Sendable {
  /// The change.
  public enum Change: Hashable, Sendable {
    /// The complete state; the first update of a stream.
    case state(DeviceState)
    /// A stack's front changed.
    case front(FrontChange)
    /// A stack was created, or its members, order or settings changed.
    case stack(Stack)
    /// A stack was deleted.
    case removed(StackID)
    /// The current entry of a widget in a family changed.
    case entry(CurrentEntry)
    /// A widget was placed on the Home Screen outside stacks. Sent only if all stacks are watched.
    case homeWidgetAdded(WidgetInstance)
    /// A widget outside stacks was removed from the Home Screen. Sent only if all stacks are watched.
    case homeWidgetRemoved(WidgetInstance)
    /// Nothing changed for the time that the display requested.
    case heartbeat
    /// The label of a widget that one of the following updates shows, or that changed (rule X1).
    case label(WidgetLabel)
    /// The device's time zone changed.
    case timeZone(TimeZoneID)
  }

  /// When it happened.
  public var at: Instant
  /// The change.
  public var change: Change
  /// The suggestion that was added or removed, if that is why the stack changed.
  public var suggestion: SuggestionChange?

  /// Creates an update.
  public init(at: Instant, _ change: Change, suggestion: SuggestionChange? = nil) {
    self.at = at
    self.change = change
    self.suggestion = suggestion
  }
}

extension CurrentEntry {
  /// The widget in its family.
  public var instance: WidgetInstance { WidgetInstance(widget, in: family) }

  /// Creates an entry of a widget in its family.
  public init(_ instance: WidgetInstance, _ entry: TimelineEntry?, isStale: Bool = false) {
    self.init(widget: instance.widget, family: instance.family, entry: entry, isStale: isStale)
  }

  /// Creates the entry that a widget shows in its family.
  public init(_ instance: WidgetInstance, showing shown: ShownEntry?) {
    self.init(instance, shown?.entry, isStale: shown?.isStale ?? false)
  }

  /// Returns the entry as a screen shows it (rule W5).
  public func on(_ screen: ScreenState) -> CurrentEntry {
    CurrentEntry(instance, showing: entry.map { ShownEntry($0, isStale: isStale).on(screen) })
  }
}

extension DisplayUpdate: WireValue {
  init(_ message: Marquee__V1__DisplayUpdate) throws(RequestError) {
    self.init(
      at: try Field.instant(message.at_ms, "at_ms"), try Change(message),
      suggestion: try Field.optional(message.suggestion, "suggestion"))
  }

  func fill(_ message: inout Marquee__V1__DisplayUpdate, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    message.suggestion = scratch.message(suggestion)
    switch change {
    case .state(let state):
      message.update_case = MARQUEE__V1__DISPLAY_UPDATE__UPDATE_STATE
      message.state = scratch.message(state)
    case .front(let front):
      message.update_case = MARQUEE__V1__DISPLAY_UPDATE__UPDATE_FRONT
      message.front = scratch.message(front)
    case .stack(let stack):
      message.update_case = MARQUEE__V1__DISPLAY_UPDATE__UPDATE_STACK
      message.stack = scratch.message(stack)
    case .removed(let stack):
      message.update_case = MARQUEE__V1__DISPLAY_UPDATE__UPDATE_REMOVED
      message.removed = scratch.text(stack)
    case .entry(let entry):
      message.update_case = MARQUEE__V1__DISPLAY_UPDATE__UPDATE_ENTRY
      message.entry = scratch.message(entry)
    case .homeWidgetAdded(let widget):
      message.update_case = MARQUEE__V1__DISPLAY_UPDATE__UPDATE_HOME_WIDGET_ADDED
      message.home_widget_added = scratch.message(widget)
    case .homeWidgetRemoved(let widget):
      message.update_case = MARQUEE__V1__DISPLAY_UPDATE__UPDATE_HOME_WIDGET_REMOVED
      message.home_widget_removed = scratch.message(widget)
    case .heartbeat:
      message.update_case = MARQUEE__V1__DISPLAY_UPDATE__UPDATE_HEARTBEAT
      message.heartbeat = 1
    case .label(let label):
      message.update_case = MARQUEE__V1__DISPLAY_UPDATE__UPDATE_LABEL
      message.label = scratch.message(label)
    case .timeZone(let zone):
      message.update_case = MARQUEE__V1__DISPLAY_UPDATE__UPDATE_TIME_ZONE
      message.time_zone = scratch.text(zone)
    }
  }
}

extension DisplayUpdate.Change {
  fileprivate init(_ message: Marquee__V1__DisplayUpdate) throws(RequestError) {
    switch message.update_case {
    case MARQUEE__V1__DISPLAY_UPDATE__UPDATE_STATE: self = .state(try Field.required(message.state, "state"))
    case MARQUEE__V1__DISPLAY_UPDATE__UPDATE_FRONT: self = .front(try Field.required(message.front, "front"))
    case MARQUEE__V1__DISPLAY_UPDATE__UPDATE_STACK: self = .stack(try Field.required(message.stack, "stack"))
    case MARQUEE__V1__DISPLAY_UPDATE__UPDATE_REMOVED:
      self = .removed(try Field.identifier(message.removed, "removed"))
    case MARQUEE__V1__DISPLAY_UPDATE__UPDATE_ENTRY: self = .entry(try Field.required(message.entry, "entry"))
    case MARQUEE__V1__DISPLAY_UPDATE__UPDATE_HOME_WIDGET_ADDED:
      self = .homeWidgetAdded(try Field.required(message.home_widget_added, "home_widget_added"))
    case MARQUEE__V1__DISPLAY_UPDATE__UPDATE_HOME_WIDGET_REMOVED:
      self = .homeWidgetRemoved(try Field.required(message.home_widget_removed, "home_widget_removed"))
    case MARQUEE__V1__DISPLAY_UPDATE__UPDATE_HEARTBEAT:
      try Field.selector(message.heartbeat, "heartbeat")
      self = .heartbeat
    case MARQUEE__V1__DISPLAY_UPDATE__UPDATE_LABEL: self = .label(try Field.required(message.label, "label"))
    case MARQUEE__V1__DISPLAY_UPDATE__UPDATE_TIME_ZONE:
      self = .timeZone(try Field.identifier(message.time_zone, "time_zone"))
    default: throw Field.absent("update")
    }
  }
}
