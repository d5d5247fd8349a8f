import MarqueeModel
import MarqueeScheduler

extension ReferenceScheduler {
  func index(_ widget: Widget) -> Int { widgets.firstIndex(of: widget)! }

  func index(_ stack: StackID) -> Int { stacks.firstIndex { $0.id == stack }! }

  mutating func apply(_ event: Event) {
    switch event {
    case .kindsRegistered, .intentTypesRegistered, .timeZoneChanged, .utcOffsetsLearned, .donationsDeleted,
      .donationsRedacted, .donationsTrimmed, .upcomingMediaSet:
      break
    case .donated(let app, let batch): for donation in batch { noteDone(donation, app) }
    case .relevantShortcutsSet(let app, let shortcuts):
      self.shortcuts[app] = shortcuts
      useFound[app] = nil
      removeUnknown()
    case .relevantIntentsSet(let app, let intents):
      self.intents[app] = intents
      removeUnknown()
    case .timelinePublished(let widget, let timeline): publish(timeline, index(widget))
    case .reloadRequested(let app, let kind):
      for widget in widgets.indices where widgets[widget].kind.app == app {
        guard kind == nil || kind == widgets[widget].kind.name, isKnown(widget) else { continue }
        ask(widget, isCounted: foregroundApp != app, "app")
      }
    case .stackEdited(let stack, let edit): apply(edit, stack)
    case .reported(let report): apply(report)
    case .policyChanged(let policy):
      configured = policy
      choosePolicy()
    case .policyOverridden(let change):
      for field in change.reset { own[field.name] = nil }
      for (field, value) in change.set { own[field.name] = value }
      choosePolicy()
    case .developerModeChanged(let isOn): isDeveloperModeOn = isOn
    }
  }

  /// The policy with the device's overrides.
  private mutating func choosePolicy() {
    policy = configured
    if let seconds = own["dwell"] { policy.dwell = .seconds(Int64(seconds)) }
    if let seconds = own["hold"] { policy.hold = .seconds(Int64(seconds)) }
    if let seconds = own["point_length"] { policy.pointLength = .seconds(Int64(seconds)) }
    if let evidence = own["threshold"] { policy.threshold = evidence }
    if let weight = own["shortcut_weight"] { policy.shortcutWeight = weight }
    if let count = own["suggestion_count_max"] { policy.suggestionCountMax = Int(count) }
  }

  /// Sets a new timeline (T1, T4): entries dated up to now are reached immediately, in order.
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
      let isInFront = stacks[at].isSuggestionInFront
      let isKept = stacks[at].suggested == index(widget)
      stacks[at].members.insert(index(widget), at: target.map { base($0, at) } ?? count)
      if stacks[at].front == nil { stacks[at].front = index(widget) }
      if isKept { keep(at, isInFront: isInFront) } else { requestMissingTimeline(index(widget)) }
    case .remove(let widget) where stacks[at].suggested == index(widget): dismiss(at, "dismissed")
    case .remove(let widget):
      spendWindows(index(widget))
      let position = stacks[at].members.firstIndex(of: index(widget))!
      stacks[at].members.remove(at: position)
      if stacks[at].members.isEmpty, stacks[at].suggested != nil { stacks[at].isSuggestionInFront = true }
      // A front that is removed is replaced by the next member, or the last.
      if stacks[at].front == index(widget) {
        let members = stacks[at].members
        stacks[at].front = position < members.count ? members[position] : members.last
      }
    case .move(let widget, let target):
      let moving = index(widget)
      stacks[at].members.removeAll { $0 == moving }
      stacks[at].members.insert(moving, at: base(target, at))
    case .replace(let widget, let replacement) where widget == replacement: break
    case .replace(let widget, let replacement):
      spendWindows(index(widget))
      let position = stacks[at].members.firstIndex(of: index(widget))!
      stacks[at].members[position] = index(replacement)
      if stacks[at].front == index(widget) { stacks[at].front = index(replacement) }
      requestMissingTimeline(index(replacement))
    case .setSmartRotate(let isOn): stacks[at].isSmartRotateOn = isOn
    case .setWidgetSuggestions(let isOn): stacks[at].isWidgetSuggestionsOn = isOn
    }
    removeUnknown()
  }

  mutating func removeUnknown() {
    for widget in widgets.indices where !isKnown(widget) {
      (reload[widget], countedReloads[widget]) = (.none, [])
      frontSeconds[widget] = frontSeconds[widget].map { _ in 0 }
    }
  }

  private mutating func apply(_ report: UserReport) {
    switch report {
    case .shown(let stack):
      let at = index(stack)
      if !stacks[at].isVisible { stacks[at].brought?.since = now }
      stacks[at].isVisible = true
    case .hidden(let stack): stacks[index(stack)].isVisible = false
    case .scrolled(let stack, let widget):
      let at = index(stack)
      stacks[at].lastTouch = now
      guard let front = stacks[at].shownFront, front != index(widget) else { return }
      // Scrolling away from a widget that an episode brought ends the episode (R4); if soon, it counts against the
      // widget (R11).
      spentEpisodes.formUnion(episodes(front).map(\.id).filter(stacks[at].movedBy.contains))
      if let brought = stacks[at].brought, now - brought.since <= 10 { outcomes[front].bad += 1 }
      stacks[at].brought = nil
      show(index(widget), at)
    case .tapped(let stack, let widget):
      let at = index(stack)
      stacks[at].lastTouch = now
      guard stacks[at].brought?.widget == index(widget) else { return }
      outcomes[index(widget)].good += 1
      stacks[at].brought = nil
    case .appOpened(let app):
      foregroundApp = app
      for at in stacks.indices {
        guard let brought = stacks[at].brought, widgets[brought.widget].kind.app == app, now - brought.since <= 30
        else { continue }
        outcomes[brought.widget].good += 1
        stacks[at].brought = nil
      }
    case .reload(let widget): ask(index(widget), isCounted: false, "user")
    case .appClosed(let app): if foregroundApp == app { foregroundApp = nil }
    case .surfaceSuggestion: break
    case .suggestionDismissed(let stack): dismiss(index(stack), "dismissed")
    case .suggestionKept(let stack):
      let at = index(stack)
      guard let widget = stacks[at].suggested else { return }
      stacks[at].members.insert(widget, at: 0)
      if stacks[at].front == nil { stacks[at].front = widget }
      keep(at, isInFront: stacks[at].isSuggestionInFront)
    case .widgetSuggestionBlocked, .appSuggestionBlocked, .widgetSuggestionSnoozed, .appSuggestionSnoozed: block(report)
    case .homeWidgetAdded(let widget):
      home.insert(index(widget))
      requestMissingTimeline(index(widget))
    case .homeWidgetRemoved(let widget):
      home.remove(index(widget))
      spendWindows(index(widget))
      removeUnknown()
    case .contextChanged: break
    }
  }

  /// A device drops a widget that has no timeline, is not placed, has no shortcut and is not predicted.
  private func isKnown(_ widget: Int) -> Bool {
    entries[widget] != nil || isOnHomeScreen(widget) || isNamed(widget) || predictions[widget] != nil
  }
}

extension ReferenceScheduler {
  /// Requests a timeline for a widget that is placed without one (T8).
  mutating func requestMissingTimeline(_ widget: Int) {
    if entries[widget] == nil { ask(widget, isCounted: false, "placed") }
  }

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

  /// Requests a due reload, if developer mode or budget and spacing allow it (T8, T9).
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

  /// The reload budget, by the share of time in front in the 24 hours before the last full hour of the clock. Outside
  /// stacks, it is the highest (T9).
  func budget(_ widget: Int) -> Int {
    if home.contains(widget) { return policy.reloadCountMax }
    let epoch = Int(RandomDay.start.milliseconds / 1000)
    let hour = (epoch + now) / 3600 * 3600 - epoch
    let seconds = frontSeconds[widget][max(0, hour)] - frontSeconds[widget][max(0, hour - 86_400)]
    return policy.reloadCountMin + (policy.reloadCountMax - policy.reloadCountMin) * seconds / 86_400
  }
}
