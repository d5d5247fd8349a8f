internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// What a display wants to watch.
public struct WatchRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// Only these stacks, none twice; empty for all, those to come among them.
  public let stacks: [StackID]

  /// A request, or a refusal of a stack that is named twice.
  public init(device: DeviceID, stacks: [StackID] = []) throws(Refusal) {
    try Field.unique(stacks, "stacks") { $0 }
    self.device = device
    self.stacks = stacks
  }
}

/// A step in what a display shows.
public struct DisplayUpdate: Hashable, Sendable {
  /// What is new.
  public enum Change: Hashable, Sendable {
    /// Everything; the first update of a stream.
    case state(DeviceState)
    /// Another widget faces the person.
    case front(FrontChange)
    /// Members, order or toggles changed, or a stack is new: the stack as it stands.
    case stack(Stack)
    /// The stack is gone.
    case removed(StackID)
    /// A widget's current entry changed.
    case entry(CurrentEntry)
  }

  /// When it happened.
  public var at: Instant
  /// What is new.
  public var change: Change
  /// With a stack, the suggestion that came or went.
  public var suggestion: SuggestionChange?

  /// An update.
  public init(at: Instant, _ change: Change, suggestion: SuggestionChange? = nil) {
    self.at = at
    self.change = change
    self.suggestion = suggestion
  }
}

/// A suggestion came on top of a stack, or went.
public struct SuggestionChange: Hashable, Sendable {
  /// The suggested widget.
  public var widget: Widget
  /// The number of the decision that put it there; `nil` when it went.
  public var decision: UInt64?
  /// Why, in words.
  public var reason: String

  /// A change.
  public init(widget: Widget, decision: UInt64? = nil, reason: String) {
    self.widget = widget
    self.decision = decision
    self.reason = reason
  }
}

/// All that a display of a device shows.
public struct DeviceState: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// Where it is.
  public var timeZone: TimeZoneID
  /// Its stacks, or those watched.
  public var stacks: [Stack]
  /// The current entry of every widget in these stacks that has one.
  public var entries: [CurrentEntry]

  /// A state.
  public init(device: DeviceID, timeZone: TimeZoneID, stacks: [Stack], entries: [CurrentEntry]) {
    self.device = device
    self.timeZone = timeZone
    self.stacks = stacks
    self.entries = entries
  }
}

/// What a widget shows now.
public struct CurrentEntry: Hashable, Sendable {
  /// The widget.
  public var widget: Widget
  /// Its current entry; `nil` when it has nothing to show.
  public var entry: TimelineEntry?

  /// A widget and its current entry.
  public init(widget: Widget, entry: TimelineEntry?) {
    self.widget = widget
    self.entry = entry
  }
}

/// Another widget of a stack faces the person.
public struct FrontChange: Hashable, Sendable {
  /// The stack.
  public var stack: StackID
  /// The widget.
  public var widget: Widget
  /// Its index among the stack's members, not negative.
  public var front: Int
  /// The number of the decision that rotated the stack; `nil` when the person scrolled.
  public var decision: UInt64?
  /// Why, in words; empty when the person scrolled.
  public var reason: String

  /// A change.
  public init(stack: StackID, widget: Widget, front: Int, decision: UInt64? = nil, reason: String = "") {
    self.stack = stack
    self.widget = widget
    self.front = front
    self.decision = decision
    self.reason = reason
  }
}

extension WatchRequest: WireValue {
  init(_ message: Marquee__V1__WatchRequest) throws(Refusal) {
    try self.init(
      device: Field.identifier(message.device, "device"),
      stacks: Field.array(message.n_stacks, message.stacks, "stacks") { (stack) throws(Refusal) in
        try Field.identifier(stack, "")
      })
  }

  func fill(_ message: inout Marquee__V1__WatchRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    (message.n_stacks, message.stacks) = scratch.elements(stacks) { scratch.text($0) }
  }
}

extension DisplayUpdate: WireValue {
  init(_ message: Marquee__V1__DisplayUpdate) throws(Refusal) {
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
  fileprivate init(_ message: Marquee__V1__DisplayUpdate) throws(Refusal) {
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
  init(_ message: Marquee__V1__DeviceState) throws(Refusal) {
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
  init(_ message: Marquee__V1__CurrentEntry) throws(Refusal) {
    self.init(
      widget: try Field.required(message.widget, "widget"), entry: try Field.optional(message.entry, "entry"))
  }

  func fill(_ message: inout Marquee__V1__CurrentEntry, _ scratch: EncodeScratch) {
    message.widget = scratch.message(widget)
    message.entry = scratch.message(entry)
  }
}

extension FrontChange: WireValue {
  init(_ message: Marquee__V1__FrontChanged) throws(Refusal) {
    guard message.front >= 0 else { throw Refusal(.invalidArgument, field: "front", "\(message.front) is negative") }
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
  init(_ message: Marquee__V1__SuggestionChange) throws(Refusal) {
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
