import MarqueeModel

/// Records which timelines the instance of a widget has while a device is replayed.
public struct TimelineRecorder: Sendable {
  /// The maximum number of spans.
  public static let spanCountMax = 1_000
  /// The maximum number of entries of all spans. The last span has all of its entries.
  public static let entryCountMax = 4_096

  /// The spans so far, oldest first. The oldest ones are dropped if there are too many spans or entries.
  public private(set) var spans: [TimelineSpan] = []
  private var entryCount = 0
  private let instance: WidgetInstance
  private var current: Publication

  /// Begins a recording.
  ///
  /// - Parameters:
  ///   - instance: The instance of a widget, which need not exist.
  ///   - device: The device at the beginning.
  public init(of instance: WidgetInstance, on device: Device) {
    self.instance = instance
    current = Publication(of: instance, on: device)
  }

  /// Records the state of the device after an event, which is not earlier than the previous one.
  public mutating func record(_ device: Device) {
    let next = Publication(of: instance, on: device)
    guard !next.isSame(as: current) else { return }
    if current.start < device.now { append(current.span(until: device.now)) }
    current = next
  }

  /// Ends the recording at the device's present time, with a span that can be empty.
  public mutating func end(_ device: Device) {
    record(device)
    append(current.span(until: device.now))
  }

  private mutating func append(_ span: TimelineSpan) {
    spans.append(span)
    entryCount += span.entries.count
    while spans.count > 1, spans.count > Self.spanCountMax || entryCount > Self.entryCountMax {
      entryCount -= spans.removeFirst().entries.count
    }
  }
}

extension TimelineRecorder {
  /// A timeline from an instant on.
  private struct Publication: Sendable {
    let start: Instant
    private let timeline: Timeline?
    private let publishedAt: Instant?
    private let sequence: UInt64?
    private let relevance: RelevanceStatus?

    init(of instance: WidgetInstance, on device: Device) {
      let state = device.slot(of: instance.widget, in: instance.family).map { device.widgets[$0] }
      start = device.now
      (timeline, publishedAt, sequence) = (state?.timeline, state?.publishedAt, state?.timelineSequence)
      relevance = state == nil ? nil : device.memberStatus(of: instance.widget, in: instance.family)?.relevance
    }

    /// Whether both are of one publication. Without the sequences of events, timelines of one instant are compared.
    func isSame(as other: Publication) -> Bool {
      publishedAt == other.publishedAt && sequence == other.sequence && (timeline == nil) == (other.timeline == nil)
        && (sequence != nil || timeline == other.timeline)
    }

    /// Returns the span that ends at an instant.
    func span(until end: Instant) -> TimelineSpan {
      var entries = timeline?.entries[...] ?? []
      entries = entries.dropFirst(max(0, (timeline?.reachedCount(at: start) ?? 0) - 1)).prefix { $0.date < end }
      return TimelineSpan(
        start: start, end: end, hasTimeline: timeline != nil, entries: entries.map(\.withoutContent),
        relevance: relevance)
    }
  }
}
