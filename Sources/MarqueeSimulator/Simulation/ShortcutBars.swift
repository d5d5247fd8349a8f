import MarqueeModel
import MarqueeScheduler

/// The windows set by apps, each clipped to the lifetime of the set that contains it (rules S1, S3, S7).
struct ShortcutBars {
  /// A window of a widget.
  struct Bar {
    let widget: Widget
    let window: WidgetTrack.Window
  }

  private enum Source: Hashable {
    case shortcuts(AppID)
    case intents(AppID)
  }

  private struct ShortcutSet {
    let since: Instant
    let windows: [(widget: Widget, window: DateWindow)]
  }

  private var pointLength: TimeSpan
  private var current: [Source: ShortcutSet] = [:]
  private var closed: [Bar] = []

  init(policy: Policy) {
    pointLength = policy.pointLength
  }

  /// Records an event that the device has accepted, with the policy in force after it.
  mutating func note(_ occurrence: Scenario.Occurrence, policy: Policy) {
    switch occurrence.event {
    case .relevantShortcutsSet(let app, let shortcuts):
      let windows = shortcuts.flatMap { shortcut -> [(widget: Widget, window: DateWindow)] in
        guard let kind = shortcut.kind else { return [] }
        let widget = Widget(kind: WidgetKind(app: app, name: kind), configuration: shortcut.intent)
        return shortcut.windows.map { (widget, $0) }
      }
      replace(.shortcuts(app), windows, at: occurrence.at)
    case .relevantIntentsSet(let app, let intents):
      replace(
        .intents(app),
        intents.map { (Widget(kind: WidgetKind(app: app, name: $0.kind), configuration: $0.intent), $0.window) },
        at: occurrence.at)
    case .policyChanged, .policyOverridden:
      guard policy.pointLength != pointLength else { return }
      for (source, set) in current { replace(source, set.windows, at: occurrence.at) }
      pointLength = policy.pointLength
    default: break
    }
  }

  /// Returns every bar up to `end`, ordered by start.
  func bars(until end: Instant) -> [Bar] {
    var bars = closed
    for set in current.values { bars += self.bars(of: set, until: end) }
    return bars.sorted { left, right in
      let (mine, other) = (left.window, right.window)
      if mine.start != other.start { return mine.start < other.start }
      if mine.end != other.end { return mine.end < other.end }
      return left.widget.encoded.lexicographicallyPrecedes(right.widget.encoded)
    }
  }

  private mutating func replace(
    _ source: Source, _ windows: [(widget: Widget, window: DateWindow)], at instant: Instant
  ) {
    if let old = current[source] { closed += bars(of: old, until: instant) }
    current[source] = ShortcutSet(since: instant, windows: windows)
  }

  private func bars(of set: ShortcutSet, until end: Instant) -> [Bar] {
    set.windows.compactMap { widget, window in
      let start = max(window.start, set.since)
      let end = min(window.end(pointLength: pointLength), end)
      return start < end ? Bar(widget: widget, window: WidgetTrack.Window(start: start, end: end)) : nil
    }
  }
}
