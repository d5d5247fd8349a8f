import MarqueeModel
import MarqueeScheduler

extension ReferenceScheduler {
  func index(_ widget: Widget) -> Int { widgets.firstIndex(of: widget)! }

  func index(_ stack: StackID) -> Int { stacks.firstIndex { $0.id == stack }! }

  mutating func apply(_ event: Event) {
    switch event {
    case .utcOffsetsLearned(let offsets): self.offsets = offsets
    case .timeZoneChanged, .languageChanged, .donationsDeleted, .donationsRedacted, .donationsTrimmed,
      .upcomingMediaSet, .focusFilterSet, .focusFilterRemoved, .contentRemoved:
      break
    case .kindsRegistered(_, let descriptors): registered.formUnion(descriptors.map(\.kind))
    case .intentTypesRegistered(let app, let descriptors):
      registeredTypes[app, default: []].formUnion(descriptors.map(\.type))
    case .kindsRemoved(let app, let kinds): remove(kinds, of: app)
    case .intentTypesRemoved(let app, let types): remove(types, of: app)
    case .appRemoved(let app): remove(app)
    case .donated(let app, let batch): for donation in batch { noteDone(donation, app) }
    case .relevantShortcutsSet(let app, let shortcuts):
      self.shortcuts[app] = shortcuts
      useFound[app] = nil
      makeNamed()
      removeUnknown()
    case .relevantIntentsSet(let app, let intents):
      self.intents[app] = intents
      makeNamed()
      removeUnknown()
    case .timelinePublished(let widget, let timeline): publish(timeline, index(widget))
    case .reloadRequested(let app, let kind):
      for instance in instances where exists[instance] && widgets[widget(instance)].kind.app == app {
        guard kind == nil || kind == widgets[widget(instance)].kind.name else { continue }
        ask(instance, isCounted: foregroundApp != app, "app")
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
    if let seconds = own["resting_front"] { policy.restingFront = .seconds(Int64(seconds)) }
    if let count = own["suggestion_count_max"] { policy.suggestionCountMax = Int(count) }
  }

  /// Publishes a timeline for one family, or for every instance (W1).
  private mutating func publish(_ timeline: Timeline, _ widget: Int) {
    var targets = instances(of: widget).filter { exists[$0] }
    if let family = timeline.family { targets = [instance(widget, family)] }
    if targets.isEmpty { targets = [instance(widget, families(of: widget)[0])] }
    for target in targets {
      exists[target] = true
      set(timeline, target)
    }
    removeCopies(widget)
  }

  /// Sets a new timeline (T1, T4): entries dated up to now are reached immediately, in order.
  mutating func set(_ timeline: Timeline, _ instance: Int) {
    timelines[instance] = timeline
    publications[instance] = now
    let reached = timeline.entries.filter { Self.second($0.date) <= now }
    let episode = effectiveScore(instance) > 0 ? relevance[instance]?.episode : nil
    let isRejected = episode.map(spentEpisodes.contains) ?? false
    var providesRelevance = false
    for (index, entry) in reached.enumerated() {
      provide(entry, instance)
      providesRelevance = providesRelevance || entry.relevance != nil
      // The new timeline's own relevance has ended if one of its entries expired before the next one was current.
      let next = index + 1 < timeline.entries.count ? Self.second(timeline.entries[index + 1].date) : nil
      guard providesRelevance, let expiry = entry.expiry.map(Self.second), expiry <= now, expiry < next ?? .max else {
        continue
      }
      endRelevance(instance, at: expiry)
    }
    // What the user rejected stays rejected while the evidence continues (R4).
    if isRejected, let episode = relevance[instance]?.episode { spentEpisodes.insert(episode) }
    noteExpiry(instance)
    switch timeline.policy {
    case .atEnd: reload[instance] = .due(timeline.entries.last.map { Self.second($0.date) } ?? now, "atEnd")
    case .after(let date): reload[instance] = .due(Self.second(date), "after")
    case .never: reload[instance] = .none
    }
  }

  private mutating func apply(_ edit: StackEdit, _ id: StackID) {
    if case .create(let family) = edit {
      stacks.append(Stack(id: id, family: family))
      makeNamed()
      removeUnknown()
      return
    }
    let at = index(id)
    let family = stacks[at].family
    func member(_ widget: Widget) -> Int { instance(index(widget), family) }
    switch edit {
    case .create: break
    case .removeStack:
      stacks.remove(at: at)
      makeNamed()
    case .add(let widget, let target):
      let count = stacks[at].members.count
      let isInFront = stacks[at].isSuggestionInFront
      let isKept = stacks[at].suggested == member(widget)
      make(member(widget))
      let position = target.map { base($0, at) } ?? count
      if position == 0 { stacks[at].scrolledTo = nil }
      stacks[at].members.insert(member(widget), at: position)
      if stacks[at].front == nil { stacks[at].front = member(widget) }
      if isKept { keep(at, isInFront: isInFront) } else { requestMissingTimeline(member(widget)) }
    case .remove(let widget) where stacks[at].suggested == member(widget): dismiss(at, "dismissed")
    case .remove(let widget):
      spendWindows(member(widget))
      let position = stacks[at].members.firstIndex(of: member(widget))!
      stacks[at].members.remove(at: position)
      endSettings(of: member(widget), at)
      if stacks[at].members.isEmpty, stacks[at].suggested != nil { stacks[at].isSuggestionInFront = true }
      // A front that is removed is replaced by the next member, or the last.
      if stacks[at].front == member(widget) {
        chooseFront(at)
        let members = stacks[at].members
        stacks[at].front = position < members.count ? members[position] : members.last
      }
    case .move(let widget, let target):
      let moving = member(widget)
      stacks[at].members.removeAll { $0 == moving }
      stacks[at].members.insert(moving, at: base(target, at))
      if stacks[at].members[0] == moving { stacks[at].scrolledTo = nil }
    case .replace(let widget, let replacement) where widget == replacement: break
    case .replace(let widget, let replacement):
      make(member(replacement))
      spendWindows(member(widget))
      let position = stacks[at].members.firstIndex(of: member(widget))!
      stacks[at].members[position] = member(replacement)
      endSettings(of: member(widget), replacedBy: member(replacement), at)
      if stacks[at].front == member(widget) {
        stacks[at].front = member(replacement)
        stacks[at].replaced = []
      }
      requestMissingTimeline(member(replacement))
    case .setSmartRotate(let isOn): stacks[at].isSmartRotateOn = isOn
    case .setWidgetSuggestions(let isOn): stacks[at].isWidgetSuggestionsOn = isOn
    case .setPin(let widget, let pin):
      stacks[at].pins[member(widget)] = pin
      if pinned(stacks[at]) == nil { stacks[at].beforePin = nil }
      if pin != nil, pinned(stacks[at]) == member(widget) { stacks[at].lastTouch = nil }
    case .setRotationRule(let widget, let rule): set(rule, of: member(widget), at)
    }
    removeUnknown()
  }

  mutating func removeUnknown() {
    for instance in instances where exists[instance] && !isKnown(instance) { remove(instance) }
    for widget in widgets.indices { removeCopies(widget) }
  }

  private mutating func apply(_ report: UserReport) {
    switch report {
    case .shown(let stack):
      let at = index(stack)
      if !stacks[at].isVisible { stacks[at].brought?.since = now }
      stacks[at].isVisible = true
    case .hidden(let stack): stacks[index(stack)].isVisible = false
    case .scrolled(let stack, let widget): scroll(index(stack), to: index(widget))
    case .tapped(let stack, let widget):
      let at = index(stack)
      stacks[at].lastTouch = now
      let target = instance(index(widget), stacks[at].family)
      tallies[target].count(\.taps, now)
      guard stacks[at].brought?.instance == target else { return }
      outcomes[target].good += 1
      stacks[at].brought = nil
    case .appOpened(let app):
      foregroundApp = app
      for at in stacks.indices {
        guard let brought = stacks[at].brought, widgets[widget(brought.instance)].kind.app == app,
          now - brought.since <= 30
        else { continue }
        outcomes[brought.instance].good += 1
        stacks[at].brought = nil
      }
    case .reload(let widget):
      for instance in instances(of: index(widget)) where exists[instance] { ask(instance, isCounted: false, "user") }
    case .appClosed(let app): if foregroundApp == app { foregroundApp = nil }
    case .surfaceSuggestion: break
    // Random days report no sizes.
    case .widgetSizeChanged: break
    case .suggestionDismissed(let stack): dismiss(index(stack), "dismissed")
    case .suggestionKept(let stack):
      let at = index(stack)
      guard let instance = stacks[at].suggested else { return }
      stacks[at].members.insert(instance, at: 0)
      stacks[at].scrolledTo = nil
      if stacks[at].front == nil { stacks[at].front = instance }
      keep(at, isInFront: stacks[at].isSuggestionInFront)
    case .widgetSuggestionBlocked, .appSuggestionBlocked, .widgetSuggestionSnoozed, .appSuggestionSnoozed: block(report)
    case .homeWidgetAdded(let widget, let family):
      let placed = instance(index(widget), family ?? families(of: index(widget))[0])
      make(placed)
      home.insert(placed)
      removeCopies(index(widget))
      requestMissingTimeline(placed)
    case .homeWidgetRemoved(let widget, let family):
      home.subtract(instances(of: index(widget)).filter { family == nil || family == self.family($0) })
      spendWindows(instance(index(widget), .systemSmall))
      removeUnknown()
    case .contextChanged(.place(let place)): self.place = place
    case .contextChanged(.focus(let focus)): self.focus = focus
    case .contextChanged(.routine): break
    }
  }

  private mutating func scroll(_ at: Int, to widget: Int) {
    let isPassing =
      stacks[at].scrolledTo != nil && stacks[at].scrolledTo == stacks[at].shownFront
      && stacks[at].lastTouch.map { now - $0 <= 10 } ?? false
    stacks[at].lastTouch = now
    let target = instance(widget, stacks[at].family)
    if stacks[at].suggested != target { stacks[at].scrolledTo = target }
    guard let front = stacks[at].shownFront, front != target else { return }
    tallies[front].count(\.scrollsAway, now)
    // Scrolling away from a widget ends its episodes, and passing it only those that brought it (R4); if soon after
    // they did, it counts against the widget (R11).
    spentEpisodes.formUnion(episodes(front).map(\.id).filter { !isPassing || stacks[at].movedBy.contains($0) })
    if let brought = stacks[at].brought, now - brought.since <= 10 { outcomes[front].bad += 1 }
    stacks[at].brought = nil
    chooseFront(at)
    show(target, at)
  }

  /// A device drops an instance that has no timeline, is not placed, has no shortcut and is not predicted.
  private func isKnown(_ instance: Int) -> Bool {
    timelines[instance] != nil || isUsed(instance)
  }
}

extension ReferenceScheduler {
  /// Requests a timeline for an instance that is placed without one (T8).
  mutating func requestMissingTimeline(_ instance: Int) {
    if timelines[instance] == nil { ask(instance, isCounted: false, "placed") }
  }

  private mutating func ask(_ instance: Int, isCounted: Bool, _ reason: String) {
    switch reload[instance] {
    case .asked(_, let second) where reason == "placed" || now - second < 60: return
    case .waiting where isCounted: return
    case .none, .due, .waiting, .asked: break
    }
    reload[instance] = .waiting(reason)
    if !isCounted { request(instance, reason) }
  }

  private mutating func request(_ instance: Int, _ reason: String) {
    reload[instance] = .asked(reason, now)
    happenings.append("\(widget(instance)) \(family(instance)) is to be reloaded: \(reason)")
  }

  /// Requests a due reload, if developer mode (R7) or budget and spacing allow it (T8, T9).
  mutating func requestReload(_ instance: Int) {
    if case .due(let second, let reason) = reload[instance], second <= now { reload[instance] = .waiting(reason) }
    guard case .waiting(let reason) = reload[instance] else { return }
    if isDeveloperModeOn {
      if ["atEnd", "after"].contains(reason), now < publications[instance] + 1 { return }
    } else {
      let counted = countedReloads[instance]
      if let last = counted.last, .seconds(Int64(now - last)) < policy.reloadSpacing { return }
      if counted.count(where: { now - $0 < 86_400 }) >= budget(instance) { return }
      countedReloads[instance].append(now)
    }
    request(instance, reason)
  }

  /// The reload budget, by the share of time in front in the 24 hours before the last full hour of the clock. Outside
  /// stacks, it is the highest (T9).
  func budget(_ instance: Int) -> Int {
    if home.contains(instance) { return policy.reloadCountMax }
    let epoch = Int(RandomDay.start.milliseconds / 1000)
    let hour = (epoch + now) / 3600 * 3600 - epoch
    let seconds = frontSeconds[instance][max(0, hour)] - frontSeconds[instance][max(0, hour - 86_400)]
    return policy.reloadCountMin + (policy.reloadCountMax - policy.reloadCountMin) * seconds / 86_400
  }
}
