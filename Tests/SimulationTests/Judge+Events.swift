import MarqueeModel
import MarqueeScheduler

extension Judge {
  func index(_ widget: Widget) -> Int { widgets.firstIndex(of: widget)! }

  func index(_ stack: StackID) -> Int { stacks.firstIndex { $0.id == stack }! }

  mutating func apply(_ event: Event) {
    switch event {
    case .kindsRegistered, .timeZoneChanged: break
    case .timelinePublished(let widget, let timeline): publish(timeline, index(widget))
    case .reloadAsked(let app, let kind):
      for widget in widgets.indices where widgets[widget].kind.app == app {
        guard kind == nil || kind == widgets[widget].kind.name, isKnown(widget) else { continue }
        ask(widget, isCounted: foregroundApp != app, "app")
      }
    case .stackEdited(let stack, let edit): apply(edit, stack)
    case .reported(let report): apply(report)
    case .policyChanged(let policy): self.policy = policy
    case .developerModeChanged(let isOn): isDeveloperModeOn = isOn
    }
  }

  /// Takes a new timeline (T1, T4): entries dated until now are reached at once, in their order.
  private mutating func publish(_ timeline: Timeline, _ widget: Int) {
    entries[widget] = timeline.entries
    for entry in timeline.entries where Self.second(entry.date) <= now { provide(entry, widget) }
    switch timeline.policy {
    case .atEnd: reload[widget] = .due(timeline.entries.last.map { Self.second($0.date) } ?? now, "atEnd")
    case .after(let date): reload[widget] = .due(Self.second(date), "after")
    case .never: reload[widget] = .none
    }
  }

  private mutating func apply(_ edit: StackEdit, _ id: StackID) {
    if case .create = edit {
      stacks.append(Stack(id: id))
      return
    }
    let at = index(id)
    switch edit {
    case .create: break
    case .removeStack: stacks.remove(at: at)
    case .add(let widget, let target):
      let count = stacks[at].members.count
      stacks[at].members.insert(index(widget), at: target ?? count)
      if stacks[at].front == nil { stacks[at].front = index(widget) }
    case .remove(let widget):
      let position = stacks[at].members.firstIndex(of: index(widget))!
      stacks[at].members.remove(at: position)
      // The next one takes the place of a front that leaves, or the last.
      guard stacks[at].front == index(widget) else { break }
      let members = stacks[at].members
      stacks[at].front = position < members.count ? members[position] : members.last
    case .move(let widget, let target):
      let moving = index(widget)
      stacks[at].members.removeAll { $0 == moving }
      stacks[at].members.insert(moving, at: target)
    case .setSmartRotate(let isOn): stacks[at].isSmartRotateOn = isOn
    case .setWidgetSuggestions: break
    }
    for widget in widgets.indices where !isKnown(widget) {
      (reload[widget], countedReloads[widget]) = (.none, [])
      frontSeconds[widget] = frontSeconds[widget].map { _ in 0 }
    }
  }

  private mutating func apply(_ report: PersonReport) {
    switch report {
    case .shown(let stack): stacks[index(stack)].isVisible = true
    case .hidden(let stack): stacks[index(stack)].isVisible = false
    case .scrolled(let stack, let widget):
      let at = index(stack)
      stacks[at].lastTouch = now
      guard let front = stacks[at].front, front != index(widget) else { return }
      // Scrolling away from what an episode brought spends it (R4).
      if let episode = relevance[front]?.episode, stacks[at].movedBy.contains(episode) {
        spentEpisodes.insert(episode)
      }
      stacks[at].front = index(widget)
    case .tapped(let stack, _): stacks[index(stack)].lastTouch = now
    case .reload(let widget): ask(index(widget), isCounted: false, "person")
    case .appOpened(let app): foregroundApp = app
    case .appClosed(let app): if foregroundApp == app { foregroundApp = nil }
    }
  }

  /// A device forgets a widget that has no timeline and is in no stack.
  private func isKnown(_ widget: Int) -> Bool {
    entries[widget] != nil || stacks.contains { $0.members.contains(widget) }
  }
}

extension Judge {
  private mutating func ask(_ widget: Int, isCounted: Bool, _ reason: String) {
    switch reload[widget] {
    case .asked: return
    case .waiting where isCounted: return
    case .none, .due, .waiting: break
    }
    reload[widget] = .waiting(reason)
    if !isCounted { request(widget, reason) }
  }

  private mutating func request(_ widget: Int, _ reason: String) {
    reload[widget] = .asked
    happenings.append("\(widget) is to be reloaded: \(reason)")
  }

  /// Requests a reload that is due, if developer mode or budget and spacing let it (T8, T9).
  mutating func requestReload(_ widget: Int) {
    if case .due(let second, let reason) = reload[widget], second <= now { reload[widget] = .waiting(reason) }
    guard case .waiting(let reason) = reload[widget] else { return }
    if !isDeveloperModeOn {
      let counted = countedReloads[widget]
      if let last = counted.last, .seconds(Int64(now - last)) < policy.reloadSpacing { return }
      if counted.count(where: { now - $0 < 86_400 }) >= budget(widget) { return }
      countedReloads[widget].append(now)
    }
    request(widget, reason)
  }

  /// The reload budget: by the share of the 24 hours before the last full hour of the clock in front (T9).
  func budget(_ widget: Int) -> Int {
    let epoch = Int(RandomDay.start.milliseconds / 1000)
    let hour = (epoch + now) / 3600 * 3600 - epoch
    let seconds = frontSeconds[widget][max(0, hour)] - frontSeconds[widget][max(0, hour - 86_400)]
    return policy.reloadCountMin + (policy.reloadCountMax - policy.reloadCountMin) * seconds / 86_400
  }
}
