import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// The uncommitted timelines of a provider's stream, which arrive in parts (rule T1).
struct TimelineAssembly {
  /// A committed timeline.
  struct CompleteTimeline {
    let widget: Widget
    /// The family that the content is made for; `nil` for every family of the kind.
    let family: WidgetFamily?
    /// The entries in the order sent.
    let entries: [TimelineEntry]
    let policy: TimelineReloadPolicy
    /// The content that replaces that of an expired entry; `nil` if there is none (rule W4).
    let fallback: EntryContent?
    /// The group that the widget is in while it has the timeline; `nil` for none (rule R15).
    let group: GroupName?
  }

  private struct Partial {
    let widget: Widget
    let family: WidgetFamily?
    let policy: TimelineReloadPolicy
    let fallback: EntryContent?
    let group: GroupName?
    var entries: [TimelineEntry] = []
    var size = 0
    /// The bytes reserved for it.
    var memorySize = 0
  }

  /// The maximum number of open timelines on one stream.
  static let openTimelineCountMax = 16
  /// The maximum number of rejected timelines on one stream that are neither committed nor abandoned. A stream that
  /// exceeds it must be ended.
  static let rejectedTimelineCountMax = 1_024

  private let limits: Limits
  /// The memory reservation of the open timelines.
  private let memory: ByteReservation
  private var open: [PublishID: Partial] = [:]
  /// The rejected timelines, whose further parts are dropped.
  private var rejected: Set<PublishID> = []

  init(limits: Limits, memory: ByteReservation) {
    self.limits = limits
    self.memory = memory
  }

  /// Returns the timeline of a request, within the limits of one on a stream.
  static func completeTimeline(
    _ request: PublishTimelineRequest, limits: Limits
  ) throws(RequestError) -> CompleteTimeline {
    guard let publish = PublishID(1) else { preconditionFailure("1 is not 0") }
    // Nothing is reserved for a timeline in one part.
    var assembly = TimelineAssembly(limits: limits, memory: ByteReservation([]))
    let part = TimelinePart(
      publish: publish, widget: request.widget, family: request.family, policy: request.policy,
      entries: request.entries, fallback: request.fallback, group: request.group, isCommit: true)
    guard let timeline = try assembly.append(part) else { preconditionFailure("a committed timeline is incomplete") }
    return timeline
  }

  /// Whether the number of rejected timelines exceeds the limit, so that the stream must be ended.
  var isOverwhelmed: Bool { rejected.count > Self.rejectedTimelineCountMax }

  /// Appends a part, and returns the timeline if the part commits it.
  ///
  /// An error is thrown once per timeline; its later parts are dropped silently.
  mutating func append(_ part: TimelinePart) throws(RequestError) -> CompleteTimeline? {
    if rejected.contains(part.publish) {
      if part.isCommit { rejected.remove(part.publish) }
      return nil
    }
    do throws(RequestError) {
      if open[part.publish] == nil { open[part.publish] = try begin(part) }
      return try extend(part.publish, with: part)
    } catch {
      _ = reject(part.publish, isCommit: part.isCommit)
      throw error
    }
  }

  /// Discards an uncommitted timeline.
  mutating func abandon(_ publish: PublishID) {
    discard(publish)
    rejected.remove(publish)
  }

  /// Marks a timeline as rejected, because a part is invalid, so that its further parts are dropped.
  ///
  /// - Returns: Whether the timeline was not rejected before.
  mutating func reject(_ publish: PublishID, isCommit: Bool) -> Bool {
    discard(publish)
    let isNew = !rejected.contains(publish)
    if isCommit { rejected.remove(publish) } else { rejected.insert(publish) }
    return isNew
  }

  /// Discards all timelines and releases their memory at the end of the stream.
  mutating func discardAll() {
    open = [:]
    rejected = []
    memory.releaseAll()
  }

  @discardableResult
  private mutating func discard(_ publish: PublishID) -> Partial? {
    guard let partial = open.removeValue(forKey: publish) else { return nil }
    memory.release(partial.memorySize)
    return partial
  }

  private func begin(_ part: TimelinePart) throws(RequestError) -> Partial {
    guard let widget = part.widget else {
      throw RequestError(.invalidArgument, field: "timeline.widget", "required in the first part of a timeline")
    }
    guard open.count < Self.openTimelineCountMax else {
      throw .over(limit: "open-timeline-count-max", maximum: Self.openTimelineCountMax, count: open.count + 1)
    }
    try Self.check(widget.configuration?.encoded.count ?? 0, "configuration-size-max", limits.configurationSizeMax)
    try Self.check(part.fallback?.bytes.count ?? 0, "content-size-max", limits.contentSizeMax, field: "fallback")
    return Partial(
      widget: widget, family: part.family, policy: part.policy ?? .atEnd, fallback: part.fallback, group: part.group,
      size: part.fallback?.storedSize ?? 0)
  }

  private mutating func extend(
    _ publish: PublishID, with part: TimelinePart
  ) throws(RequestError) -> CompleteTimeline? {
    let firstIndex = open[publish]?.entries.count ?? 0
    let count = firstIndex + part.entries.count
    let size = part.entries.reduce(open[publish]?.size ?? 0) { $0 + $1.storedContentSize }
    try Self.check(count, "entry-count-max", limits.entryCountMax, field: "entries")
    for (index, entry) in part.entries.enumerated() where entry.contentSize > limits.contentSizeMax {
      let field = "entries[\(firstIndex + index)].content"
      try Self.check(entry.contentSize, "content-size-max", limits.contentSizeMax, field: field)
    }
    try Self.check(size, "timeline-size-max", limits.timelineSizeMax, field: "entries")
    guard part.isCommit else {
      // The first part also reserves the memory of its widget and fallback, which may be larger than the entries.
      let widgetSize =
        open[publish].map { $0.memorySize == 0 ? $0.widget.memorySize + ($0.fallback?.storedSize ?? 0) : 0 } ?? 0
      let memorySize = part.entries.reduce(widgetSize) { $0 + $1.memorySize }
      do throws(RPCStatus) { try memory.reserve(memorySize) } catch {
        throw RequestError(.resourceExhausted, error.message)
      }
      open[publish]?.entries += part.entries
      open[publish]?.size = size
      open[publish]?.memorySize += memorySize
      return nil
    }
    guard var partial = discard(publish) else { preconditionFailure("timeline is not open") }
    partial.entries += part.entries
    return CompleteTimeline(
      widget: partial.widget, family: partial.family, entries: partial.entries, policy: partial.policy,
      fallback: partial.fallback, group: partial.group)
  }

  private static func check(
    _ count: Int, _ limit: String, _ maximum: Int, field: String = ""
  ) throws(RequestError) {
    guard count <= maximum else { throw .over(limit: limit, maximum: maximum, count: count, field: field) }
  }
}

extension Widget {
  /// The approximate memory overhead of an open timeline, without its entries and configuration, in bytes.
  private static let overheadSize = 256
  /// The approximate memory overhead of a parameter value in bytes.
  private static let valueSize = 64

  /// The approximate memory size in bytes.
  fileprivate var memorySize: Int {
    guard let configuration else { return Self.overheadSize }
    let valueCount = configuration.parameters.reduce(0) { sum, parameter in
      if case .array(let values) = parameter.value { sum + 1 + values.count } else { sum + 1 }
    }
    return Self.overheadSize + configuration.encoded.count + valueCount * Self.valueSize
  }
}

extension TimelineEntry {
  /// The approximate memory overhead of an entry in bytes.
  private static let overheadSize = 256

  /// The approximate memory size in bytes.
  fileprivate var memorySize: Int { storedContentSize + Self.overheadSize }
}
