import MarqueeModel

/// The lifetime of timelines (rule W2).
///
/// An instance of a widget is placed while it is a stack's member or suggestion, or on the Home Screen outside stacks.
/// It is expected while a relevant shortcut or intent names it, unless all of its windows are over. The timelines of
/// placed and expected instances are retained. Of an app's other timelines, those published last are retained: an app
/// can prepare content for widgets that users may add, and a widget that moves from one stack to another keeps its
/// content.
extension Device {
  /// The maximum number of an app's timelines for instances of widgets that are neither placed nor expected.
  public static let unplacedTimelineCountMax = 64
  /// The maximum total size of an app's timelines for instances that are neither placed nor expected, in bytes.
  public static let unplacedTimelineSizeMax = 33_554_432

  /// The maximum number of instances of a widget.
  private static let instanceCountMax = WidgetFamily.allCases.count

  /// Removes the timelines that ``slotsToEvict(publishing:for:)`` returns.
  ///
  /// - Returns: The counted reload requests that a new instance of the widget takes over (rule T9): those of the
  ///   evicted instance with the most recent one.
  mutating func evictTimelines(publishing timeline: Timeline, for widget: Widget) -> [Instant] {
    let evicted = slotsToEvict(publishing: timeline, for: widget)
    var counted: [Instant] = []
    for slot in evicted {
      if let last = widgets[slot].reload.counted.last, last > counted.last ?? .min {
        counted = widgets[slot].reload.counted
      }
      let (kind, wasExpired) = (widgets[slot].kind, widgets[slot].isExpired)
      remember(widgets[slot].removeTimeline(), kind: kind)
      resumeEpisodes(slot, wasExpired: wasExpired)
      recomputeScoreReferences { $0 == kind }
    }
    removeUnreferenced(evicted)
    return counted
  }

  /// Returns the instances of the same app's widgets whose timelines make room for a new one: those published least
  /// recently.
  func slotsToEvict(publishing timeline: Timeline, for widget: Widget) -> [Int] {
    // Most devices have so few instances that it does not matter which are placed. This path does not allocate.
    guard
      widgets.count >= Self.unplacedTimelineCountMax
        || widgets.timelineSize + Self.instanceCountMax * timeline.storedSize > Self.unplacedTimelineSizeMax
    else { return [] }
    let targets = widgets.slots(of: widget).filter { timeline.family ?? widgets[$0].family == widgets[$0].family }
    let newCount = targets.isEmpty ? 1 : targets.count { !isTimelineRetained($0) }
    var unplaced = unplacedSlots { $0.kind.app == widget.kind.app }.filter { !targets.contains($0) }
    var count = unplaced.count + newCount
    var size = unplaced.reduce(newCount * timeline.storedSize) { $0 + widgets[$1].timelineSize }
    guard count > Self.unplacedTimelineCountMax || size > Self.unplacedTimelineSizeMax else { return [] }
    // The sort needs only the widget table; capturing the device would copy it.
    let states = widgets
    unplaced.sort { (states[$0].publishedAt ?? .min, $0) < (states[$1].publishedAt ?? .min, $1) }
    return Array(
      unplaced.prefix { slot in
        guard count > Self.unplacedTimelineCountMax || size > Self.unplacedTimelineSizeMax else { return false }
        count -= 1
        size -= widgets[slot].timelineSize
        return true
      })
  }

  /// The sizes of each app's timelines for instances that are neither placed nor expected, in bytes.
  var unplacedTimelineSizes: [AppID: [Int]] {
    Dictionary(grouping: unplacedSlots { _ in true }) { widgets[$0].widget.kind.app }
      .mapValues { slots in slots.map { widgets[$0].timelineSize } }
  }

  /// Requests a timeline for an instance that is placed without one (rule T8). The request does not count against the
  /// budget.
  mutating func requestMissingTimeline(_ slot: Int, _ actions: inout [Action]) {
    guard widgets[slot].timeline == nil else { return }
    enqueueReload(.placed, slot, isCounted: false, &actions)
  }

  private func unplacedSlots(where isIncluded: (Widget) -> Bool) -> [Int] {
    widgets.summaries.indices.filter {
      widgets.isOccupied($0) && widgets[$0].timeline != nil && isIncluded(widgets[$0].widget) && !isTimelineRetained($0)
    }
  }

  private func isTimelineRetained(_ slot: Int) -> Bool {
    widgets[slot].isExpected || isVisible(slot)
  }
}
