internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to watch the stacks of a device.
public struct WatchRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The distinct stacks to watch; empty for all, including future ones.
  public let stacks: [StackID]

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if a stack is duplicated.
  public init(device: DeviceID, stacks: [StackID] = []) throws(RequestError) {
    try Field.unique(stacks, "stacks") { $0 }
    self.device = device
    self.stacks = stacks
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
    /// A widget's current entry changed.
    case entry(CurrentEntry)
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

/// A suggestion that was added to a stack or removed from it.
public struct SuggestionChange: Hashable, Sendable {
  /// The suggested widget.
  public var widget: Widget
  /// The number of the decision that added it; `nil` if it was removed.
  public var decision: UInt64?
  /// The reason, in words.
  public var reason: String

  /// Creates a change.
  public init(widget: Widget, decision: UInt64? = nil, reason: String) {
    self.widget = widget
    self.decision = decision
    self.reason = reason
  }
}

/// The complete state that displays of a device show.
public struct DeviceState: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The device's time zone.
  public var timeZone: TimeZoneID
  /// The device's stacks, or the watched ones.
  public var stacks: [Stack]
  /// The current entries of the widgets in these stacks.
  public var entries: [CurrentEntry]

  /// Creates a state.
  public init(device: DeviceID, timeZone: TimeZoneID, stacks: [Stack], entries: [CurrentEntry]) {
    self.device = device
    self.timeZone = timeZone
    self.stacks = stacks
    self.entries = entries
  }
}

/// The current entry of a widget.
public struct CurrentEntry: Hashable, Sendable {
  /// The widget.
  public var widget: Widget
  /// The current entry; `nil` if the widget has no content.
  public var entry: TimelineEntry?

  /// Creates a current entry.
  public init(widget: Widget, entry: TimelineEntry?) {
    self.widget = widget
    self.entry = entry
  }
}

/// A change of a stack's front.
public struct FrontChange: Hashable, Sendable {
  /// The stack.
  public var stack: StackID
  /// The widget.
  public var widget: Widget
  /// Its index among the stack's members; not negative.
  public var front: Int
  /// The number of the decision that rotated the stack; `nil` if the user scrolled.
  public var decision: UInt64?
  /// The reason, in words; empty if the user scrolled.
  public var reason: String

  /// Creates a change.
  public init(stack: StackID, widget: Widget, front: Int, decision: UInt64? = nil, reason: String = "") {
    self.stack = stack
    self.widget = widget
    self.front = front
    self.decision = decision
    self.reason = reason
  }
}

extension WatchRequest: WireValue {
  init(_ message: Marquee__V1__WatchRequest) throws(RequestError) {
    try self.init(
      device: Field.identifier(message.device, "device"),
      stacks: Field.array(message.n_stacks, message.stacks, "stacks") { (stack) throws(RequestError) in
        try Field.identifier(stack, "")
      })
  }

  func fill(_ message: inout Marquee__V1__WatchRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    (message.n_stacks, message.stacks) = scratch.elements(stacks) { scratch.text($0) }
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
    default: throw Field.absent("update")
    }
  }
}

extension DeviceState: WireValue {
  init(_ message: Marquee__V1__DeviceState) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"),
      stacks: try Field.array(message.n_stacks, message.stacks, "stacks"),
      entries: try Field.array(message.n_entries, message.entries, "entries"))
  }

  func fill(_ message: inout Marquee__V1__DeviceState, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.time_zone = scratch.text(timeZone)
    (message.n_stacks, message.stacks) = scratch.array(stacks)
    (message.n_entries, message.entries) = scratch.array(entries)
  }
}

extension CurrentEntry: WireValue {
  init(_ message: Marquee__V1__CurrentEntry) throws(RequestError) {
    self.init(
      widget: try Field.required(message.widget, "widget"), entry: try Field.optional(message.entry, "entry"))
  }

  func fill(_ message: inout Marquee__V1__CurrentEntry, _ scratch: EncodeScratch) {
    message.widget = scratch.message(widget)
    message.entry = scratch.message(entry)
  }
}

extension FrontChange: WireValue {
  init(_ message: Marquee__V1__FrontChanged) throws(RequestError) {
    guard message.front >= 0 else {
      throw RequestError(.invalidArgument, field: "front", "\(message.front) is negative")
    }
    self.init(
      stack: try Field.identifier(message.stack, "stack"),
      widget: try Field.required(message.widget, "widget"),
      front: Int(message.front),
      decision: message.decision == 0 ? nil : message.decision,
      reason: try Field.text(message.reason, "reason"))
  }

  func fill(_ message: inout Marquee__V1__FrontChanged, _ scratch: EncodeScratch) {
    message.stack = scratch.text(stack)
    message.widget = scratch.message(widget)
    message.front = Int32(clamping: front)
    message.decision = decision ?? 0
    message.reason = scratch.text(reason)
  }
}

extension SuggestionChange: WireValue {
  init(_ message: Marquee__V1__SuggestionChange) throws(RequestError) {
    self.init(
      widget: try Field.required(message.widget, "widget"), decision: message.decision == 0 ? nil : message.decision,
      reason: try Field.text(message.reason, "reason"))
  }

  func fill(_ message: inout Marquee__V1__SuggestionChange, _ scratch: EncodeScratch) {
    message.widget = scratch.message(widget)
    message.decision = decision ?? 0
    message.reason = scratch.text(reason)
  }
}
