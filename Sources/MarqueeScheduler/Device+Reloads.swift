import MarqueeModel

extension Device {
  /// In developer mode, the time from a timeline's publication to a request by its reload policy (rule R7).
  private static let developerReloadSpacing = TimeSpan.seconds(1)

  /// Returns the reload requests that have not been answered with a timeline yet.
  ///
  /// A provider of `app` receives them when it connects. They are in the order of the widgets' first appearance.
  public func openReloadRequests(for app: AppID) -> [ReloadRequest] {
    widgets.occupiedSlots.compactMap { slot in
      guard widgets[slot].widget.kind.app == app,
        case .requested(let date, let reason) = widgets[slot].reload.phase
      else { return nil }
      return request(slot, reason, at: date)
    }
  }

  private func request(_ slot: Int, _ reason: ReloadRequest.Reason, at date: Instant) -> ReloadRequest {
    let family = widgets[slot].family
    return ReloadRequest(
      widget: widgets[slot].widget, family: family, reason: reason, at: date, size: widgetSizes[family])
  }

  /// Stores the size of the widgets of a family, and requests timelines for those that are placed or expected if it
  /// changed (rule W8). An open request, which names the old size, is replaced.
  ///
  /// Several displays can report different sizes in turn. Each widget's request is therefore counted (rule T9). It is
  /// sent at once, whatever the widget's own budget, unless a counted one was sent within the spacing or the largest
  /// budget is spent; all changes until it may be sent are answered by one.
  mutating func setWidgetSize(_ size: WidgetSize, of family: WidgetFamily, _ actions: inout [Action]) {
    guard widgetSizes.updateValue(size, forKey: family) != size else { return }
    for slot in widgets.occupiedSlots
    where widgets[slot].family == family
      && (widgets[slot].isPlaced || widgets[slot].isExpected || widgets[slot].isSuggestible)
    {
      widgets[slot].reload.enqueueResize()
      guard isDeveloperModeOn || isResizeRequestAllowed(slot) else { continue }
      request(.resized, slot, isCounted: !isDeveloperModeOn, &actions)
    }
  }

  private func isResizeRequestAllowed(_ slot: Int) -> Bool {
    widgets[slot].reload.clears(
      at: now, budget: policy.reloadCountMax, nextRise: nil, spacing: policy.reloadSpacing) <= now
  }

  /// Enqueues a reload request: sent at once if it is not counted, otherwise as soon as the budget allows (rule T9).
  mutating func enqueueReload(_ reason: ReloadRequest.Reason, _ slot: Int, isCounted: Bool, _ actions: inout [Action]) {
    widgets[slot].reload.enqueue(reason, at: now)
    guard !isCounted, case .waiting = widgets[slot].reload.phase else { return }
    request(reason, slot, isCounted: false, &actions)
  }

  mutating func requestReloadIfDue(_ slot: Int, _ actions: inout [Action]) {
    guard let reason = widgets[slot].reload.due(at: now), reloadClears(slot) <= now else { return }
    request(reason, slot, isCounted: !isDeveloperModeOn, &actions)
  }

  func nextReloadCheck(_ slot: Int) -> Instant? {
    switch widgets[slot].reload.phase {
    case .none, .requested: nil
    case .scheduled(let date, _): date
    case .waiting: reloadClears(slot)
    }
  }

  /// Returns the number of reloads that the instance may have in 24 hours, which depends on how long it was visible
  /// (rule T9). Outside stacks, it is always visible.
  func reloadBudget(_ slot: Int) -> Int {
    guard !widgets[slot].isOutsideStacks else { return policy.reloadCountMax }
    let range = Int64(policy.reloadCountMax - policy.reloadCountMin)
    return policy.reloadCountMin
      + Int(range * widgets[slot].visibleDuration.milliseconds(at: now) / VisibleDuration.windowLength)
  }

  private mutating func request(
    _ reason: ReloadRequest.Reason, _ slot: Int, isCounted: Bool, _ actions: inout [Action]
  ) {
    widgets[slot].reload.request(reason, at: now, isCounted: isCounted)
    actions.append(Action(at: now, .requestReload(request(slot, reason, at: now))))
  }

  private func reloadClears(_ slot: Int) -> Instant {
    if isDeveloperModeOn { return developerReloadClears(slot) }
    return widgets[slot].reload.clears(
      at: now, budget: reloadBudget(slot), nextRise: widgets[slot].visibleDuration.nextRise(after: now),
      spacing: policy.reloadSpacing)
  }

  /// Returns when developer mode allows the due request of an instance: at once or, by a reload policy, a second after
  /// the timeline was published (rule R7).
  ///
  /// Otherwise a timeline that has ended when it is published would be requested as fast as the provider answers.
  private func developerReloadClears(_ slot: Int) -> Instant {
    guard case .waiting(let reason) = widgets[slot].reload.phase, reason == .atEnd || reason == .after,
      let publishedAt = widgets[slot].publishedAt
    else { return now }
    return max(now, publishedAt.advanced(by: Self.developerReloadSpacing))
  }
}
