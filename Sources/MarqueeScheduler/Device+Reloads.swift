import MarqueeModel

extension Device {
  /// Requests that have been made and not been answered with a timeline, in the order of the widgets' first
  /// appearance: what a provider of `app` is told when it connects (rule T8).
  public func openReloadRequests(for app: AppID) -> [ReloadRequest] {
    widgets.taken.compactMap { slot in
      guard widgets[slot].widget.kind.app == app,
        case .requested(let date, let reason) = widgets[slot].reload.phase
      else { return nil }
      return ReloadRequest(widget: widgets[slot].widget, reason: reason, at: date)
    }
  }

  /// Asks for a reload: at once if it is not counted, else as soon as the budget allows (rule T9).
  mutating func ask(_ reason: ReloadRequest.Reason, _ slot: Int, isCounted: Bool, _ actions: inout [Action]) {
    widgets[slot].reload.ask(reason)
    guard !isCounted, case .waiting = widgets[slot].reload.phase else { return }
    request(reason, slot, isCounted: false, &actions)
  }

  mutating func requestReloadIfDue(_ slot: Int, _ actions: inout [Action]) {
    guard let reason = widgets[slot].reload.due(at: now) else { return }
    if isDeveloperModeOn {
      request(reason, slot, isCounted: false, &actions)
    } else if reloadClears(slot) <= now {
      request(reason, slot, isCounted: true, &actions)
    }
  }

  func nextReloadCheck(_ slot: Int) -> Instant? {
    switch widgets[slot].reload.phase {
    case .none, .requested: nil
    case .scheduled(let date, _): date
    case .waiting: reloadClears(slot)
    }
  }

  /// Reloads that the widget may have in 24 hours, by how often it was in front (rule T9).
  func reloadBudget(_ slot: Int) -> Int {
    let range = Int64(policy.reloadCountMax - policy.reloadCountMin)
    return policy.reloadCountMin + Int(range * widgets[slot].frontTime.milliseconds(at: now) / FrontTime.windowLength)
  }

  private mutating func request(
    _ reason: ReloadRequest.Reason, _ slot: Int, isCounted: Bool, _ actions: inout [Action]
  ) {
    widgets[slot].reload.request(reason, at: now, isCounted: isCounted)
    let request = ReloadRequest(widget: widgets[slot].widget, reason: reason, at: now)
    actions.append(Action(at: now, .requestReload(request)))
  }

  private func reloadClears(_ slot: Int) -> Instant {
    widgets[slot].reload.clears(
      at: now, budget: reloadBudget(slot), nextRise: widgets[slot].frontTime.nextRise(after: now),
      spacing: policy.reloadSpacing)
  }
}
