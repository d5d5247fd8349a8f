internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for the state of a stack.
public struct InspectStackRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The stack.
  public var stack: StackID

  /// Creates a request.
  public init(device: DeviceID, stack: StackID) {
    self.device = device
    self.stack = stack
  }
}

/// The state of a stack.
public struct InspectStackResponse: Hashable, Sendable {
  /// When the response was computed.
  public var at: Instant
  /// The stack.
  public var stack: Stack
  /// Its members, in their order.
  public var members: [MemberState]
  /// The next instant at which the device can change; `nil` if nothing is due.
  public var nextChange: Instant?
  /// Whether developer mode is on: dwell, hold and budgets are lifted (rule R7).
  public var isDeveloperModeOn: Bool

  /// Creates a response.
  public init(
    at: Instant, stack: Stack, members: [MemberState], nextChange: Instant?, isDeveloperModeOn: Bool
  ) {
    self.at = at
    self.stack = stack
    self.members = members
    self.nextChange = nextChange
    self.isDeveloperModeOn = isDeveloperModeOn
  }
}

/// The state of a stack's member, without content.
public struct MemberState: Hashable, Sendable {
  /// A summary of the current entry.
  public struct CurrentEntryInfo: Hashable, Sendable {
    /// Its date.
    public var date: Instant
    /// The media type of its content.
    public var mediaType: String
    /// The size of its content, in bytes; not negative.
    public var contentSize: Int

    /// Creates a summary.
    public init(date: Instant, mediaType: String, contentSize: Int) {
      self.date = date
      self.mediaType = mediaType
      self.contentSize = contentSize
    }
  }

  /// The widget.
  public var widget: Widget
  /// Its relevance; `nil` until an entry provides one.
  public var relevance: RelevanceStatus?
  /// The current entry; `nil` until one is reached.
  public var current: CurrentEntryInfo?
  /// The number of entries of its timeline; `nil` without a timeline.
  public var entryCount: Int?
  /// The number of entries whose date has been reached; not negative.
  public var reachedCount: Int
  /// The status of its reloads.
  public var reload: ReloadStatus

  /// Creates a state.
  public init(
    widget: Widget, relevance: RelevanceStatus?, current: CurrentEntryInfo?, entryCount: Int?, reachedCount: Int,
    reload: ReloadStatus
  ) {
    self.widget = widget
    self.relevance = relevance
    self.current = current
    self.entryCount = entryCount
    self.reachedCount = reachedCount
    self.reload = reload
  }

  /// Creates a state from a status, dropping the content.
  public init(_ status: MemberStatus) {
    self.init(
      widget: status.widget, relevance: status.relevance,
      current: status.current.map {
        CurrentEntryInfo(date: $0.date, mediaType: $0.content.mediaType, contentSize: $0.content.bytes.count)
      },
      entryCount: status.entryCount, reachedCount: status.reachedCount, reload: status.reload)
  }
}

extension InspectStackRequest: WireValue {
  init(_ message: Marquee__V1__InspectStackRequest) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"), stack: try Field.identifier(message.stack, "stack"))
  }

  func fill(_ message: inout Marquee__V1__InspectStackRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.stack = scratch.text(stack)
  }
}

extension InspectStackResponse: WireValue {
  init(_ message: Marquee__V1__InspectStackResponse) throws(RequestError) {
    let canChange =
      message.maybe_next_change_case == MARQUEE__V1__INSPECT_STACK_RESPONSE__MAYBE_NEXT_CHANGE_NEXT_CHANGE_MS
    self.init(
      at: try Field.instant(message.at_ms, "at_ms"),
      stack: try Field.required(message.stack, "stack"),
      members: try Field.array(message.n_members, message.members, "members"),
      nextChange: canChange ? try Field.instant(message.next_change_ms, "next_change_ms") : nil,
      isDeveloperModeOn: message.developer_mode != 0)
  }

  func fill(_ message: inout Marquee__V1__InspectStackResponse, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    message.stack = scratch.message(stack)
    (message.n_members, message.members) = scratch.array(members)
    if let nextChange {
      message.maybe_next_change_case = MARQUEE__V1__INSPECT_STACK_RESPONSE__MAYBE_NEXT_CHANGE_NEXT_CHANGE_MS
      message.next_change_ms = nextChange.milliseconds
    }
    message.developer_mode = isDeveloperModeOn ? 1 : 0
  }
}

extension MemberState: WireValue {
  init(_ message: Marquee__V1__MemberState) throws(RequestError) {
    let hasTimeline = message.maybe_entry_count_case == MARQUEE__V1__MEMBER_STATE__MAYBE_ENTRY_COUNT_ENTRY_COUNT
    self.init(
      widget: try Field.required(message.widget, "widget"),
      relevance: try Field.optional(message.relevance, "relevance"),
      current: try Field.optional(message.current, "current"),
      entryCount: hasTimeline ? Int(message.entry_count) : nil,
      reachedCount: Int(message.reached_count),
      reload: try Field.required(message.reload, "reload"))
  }

  func fill(_ message: inout Marquee__V1__MemberState, _ scratch: EncodeScratch) {
    message.widget = scratch.message(widget)
    message.relevance = scratch.message(relevance)
    message.current = scratch.message(current)
    message.reload = scratch.message(reload)
    if let entryCount {
      message.maybe_entry_count_case = MARQUEE__V1__MEMBER_STATE__MAYBE_ENTRY_COUNT_ENTRY_COUNT
      message.entry_count = UInt32(clamping: entryCount)
    }
    message.reached_count = UInt32(clamping: reachedCount)
  }
}

extension MemberState.CurrentEntryInfo: WireValue {
  init(_ message: Marquee__V1__CurrentEntryInfo) throws(RequestError) {
    self.init(
      date: try Field.instant(message.date_ms, "date_ms"),
      mediaType: try Field.text(message.media_type, "media_type"),
      contentSize: Int(message.content_size))
  }

  func fill(_ message: inout Marquee__V1__CurrentEntryInfo, _ scratch: EncodeScratch) {
    message.date_ms = date.milliseconds
    message.media_type = scratch.text(mediaType)
    message.content_size = UInt32(clamping: contentSize)
  }
}
