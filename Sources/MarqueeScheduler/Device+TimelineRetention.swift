import MarqueeModel

/// The lifetime of timelines (rule W2).
///
/// A widget is placed while it is a stack's member or suggestion, or on the Home Screen outside stacks. It is expected
/// while a relevant shortcut or intent names it, unless all of its windows are over. The timelines of placed and
/// expected widgets are retained. Of an app's other timelines, those published last are retained: an app can prepare
/// content for widgets that users may add, and a widget that moves from one stack to another keeps its content.
extension Device {
  /// The maximum number of an app's timelines for widgets that are neither placed nor expected.
  public static let unplacedTimelineCountMax = 64
  /// The maximum total size of an app's timelines for widgets that are neither placed nor expected, in bytes.
  public static let unplacedTimelineSizeMax = 33_554_432

  /// Removes the timelines that ``slotsToEvict(publishing:for:)`` returns.
  mutating func evictTimelines(publishing timeline: Timeline, for widget: Widget) {
    for slot in slotsToEvict(publishing: timeline, for: widget) {
      let kind = widgets[slot].kind
      remember(widgets[slot].removeTimeline(), kind: kind)
      recomputeScoreReferences { $0 == kind }
      removeUnreferenced(slot)
    }
  }

  /// Returns the widgets of the same app whose timelines make room for a new one: those published least recently.
  func slotsToEvict(publishing timeline: Timeline, for widget: Widget) -> [Int] {
    // Most devices have so few timelines that nobody needs to know which are placed.
    let slots = widgets.occupiedSlots
    let total = slots.reduce(timeline.storedSize) { $0 + widgets[$1].timelineSize }
    guard slots.count >= Self.unplacedTimelineCountMax || total > Self.unplacedTimelineSizeMax else { return [] }
    var unplaced = unplacedSlots { $0.kind.app == widget.kind.app && $0 != widget }
    let isNewRetained = widgets.slot(of: widget).map(isTimelineRetained) ?? false
    var count = unplaced.count + (isNewRetained ? 0 : 1)
    var size = unplaced.reduce(isNewRetained ? 0 : timeline.storedSize) { $0 + widgets[$1].timelineSize }
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

  /// The sizes of each app's timelines for widgets that are neither placed nor expected, in bytes.
  var unplacedTimelineSizes: [AppID: [Int]] {
    Dictionary(grouping: unplacedSlots { _ in true }) { widgets[$0].widget.kind.app }
      .mapValues { slots in slots.map { widgets[$0].timelineSize } }
  }

  /// Requests a timeline for a widget that is placed without one (rule T8). The request does not count against the
  /// budget.
  mutating func requestMissingTimeline(_ slot: Int, _ actions: inout [Action]) {
    guard widgets[slot].timeline == nil else { return }
    enqueueReload(.placed, slot, isCounted: false, &actions)
  }

  /// Removes the state of a widget to which nothing refers.
  mutating func removeUnreferenced(_ slot: Int) {
    if widgets[slot].isUnreferenced { widgets.remove(slot) }
  }

  private func unplacedSlots(where isIncluded: (Widget) -> Bool) -> [Int] {
    widgets.occupiedSlots.filter {
      isIncluded(widgets[$0].widget) && widgets[$0].timeline != nil && !isTimelineRetained($0)
    }
  }

  private func isTimelineRetained(_ slot: Int) -> Bool {
    widgets[slot].isExpected || isOnHomeScreen(slot) || isSuggested(slot)
  }
}
