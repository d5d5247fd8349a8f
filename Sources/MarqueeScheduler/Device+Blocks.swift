import MarqueeModel

/// Suggestions that the user has blocked, until the block is lifted or for a time (rule R14).
extension Device {
  /// The maximum time for which suggestions can be snoozed.
  public static var snoozeMax: TimeSpan { .days(366) }

  /// The widgets and apps whose suggestions the user has blocked, followed by those that are snoozed.
  public var blockedSuggestions: [BlockedSuggestion] {
    var blocked = suggestionState.blockedWidgets.map { BlockedSuggestion(.widget($0)) }
    blocked += suggestionState.blockedApps.map { BlockedSuggestion(.app($0)) }
    blocked += suggestionState.snoozedWidgets.map { BlockedSuggestion(.widget($0.key), until: $0.value) }
    blocked += suggestionState.snoozedApps.map { BlockedSuggestion(.app($0.key), until: $0.value) }
    return blocked
  }

  /// Whether the user blocked or snoozed suggestions of the widget or its app.
  func isBlocked(_ widget: Widget) -> Bool { suggestionState.isBlocked(widget) || isBlocked(widget.kind.app) }

  /// Whether the user blocked or snoozed suggestions of the app.
  func isBlocked(_ app: AppID) -> Bool { suggestionState.isBlocked(app) }

  /// Returns the gate of the user's blocks. If only snoozes close it, it opens when the last of them ends.
  func blockedGate(_ widget: Widget) -> GateResult {
    let app = widget.kind.app
    if suggestionState.blockedWidgets.contains(widget) || suggestionState.blockedApps.contains(app) {
      return claimGate(.blocked, false)
    }
    let (widgetEnd, appEnd) = (suggestionState.snoozedWidgets[widget], suggestionState.snoozedApps[app])
    guard let end = widgetEnd ?? appEnd else { return claimGate(.blocked, true) }
    return GateResult(.blocked, isPassed: false, measured: 0, required: 1, clears: max(end, appEnd ?? end))
  }

  /// Removes the suggestions that the user has just blocked.
  mutating func dismissBlocked(_ actions: inout [Action]) {
    for position in stacks.indices {
      guard let slot = stacks[position].suggestion?.slot, isBlocked(widgets[slot].widget) else { continue }
      dismiss(position, .blocked, &actions)
    }
  }

  /// Removes the snoozes that have ended, so that suggestions are evaluated again.
  mutating func endSnoozes() {
    guard let end = suggestionState.nextSnoozeEnd, end <= now else { return }
    suggestionState.endSnoozes(at: now)
    suggestionEvaluationCache.invalidate()
  }
}

// MARK: Checks

extension Device {
  /// Validates the end of a snooze.
  func checkSnooze(until end: Instant) throws(RequestError) {
    let span = now.span(to: end)
    guard span > .zero else {
      throw RequestError(
        .invalidArgument, field: "until", "must be after the device's time (it is \(span.words) before it)")
    }
    guard span <= Self.snoozeMax else {
      throw RequestError(
        .invalidArgument, field: "until", "\(span.words) ahead of the device's time, more than \(Self.snoozeMax.words)")
    }
  }

  /// Validates the number of widgets with a block of the widget.
  func checkBlock(of widget: Widget, _ limits: Limits) throws(RequestError) {
    let count = suggestionState.blockedWidgetCount + (suggestionState.isBlocked(widget) ? 0 : 1)
    try Self.check(count, "block-count-max", limits.blockCountMax)
  }

  /// Validates the number of apps with a block of the app.
  func checkBlock(of app: AppID, _ limits: Limits) throws(RequestError) {
    let count = suggestionState.blockedAppCount + (suggestionState.isBlocked(app) ? 0 : 1)
    try Self.check(count, "block-count-max", limits.blockCountMax)
  }
}
