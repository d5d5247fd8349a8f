import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

extension ReferenceScheduler {
  /// A window of a shortcut or a relevant intent, in seconds, with its group (S3, S7, R15).
  struct Span {
    let start: Int
    let end: Int
    let group: GroupName?
  }

  /// The windows of a widget's shortcuts and relevant intents.
  func spans(_ widget: Int) -> [Span] {
    let (kind, configuration) = (widgets[widget].kind, widgets[widget].configuration)
    var windows: [(DateWindow, GroupName?)] = []
    for shortcut in shortcuts[kind.app] ?? [] where shortcut.kind == kind.name && shortcut.intent == configuration {
      windows += shortcut.windows.map { ($0, shortcut.group) }
      if shortcut.providers.isEmpty, let found = useFound[kind.app] {
        windows.append((valid { try DateWindow(start: RandomDay.instant(found)) }, shortcut.group))
      }
    }
    for intent in intents[kind.app] ?? [] where intent.kind == kind.name && intent.intent == configuration {
      windows.append((intent.window, intent.group))
    }
    let point = Int(policy.pointLength.milliseconds / 1000)
    return windows.map { window, group in
      let start = Self.second(window.start)
      return Span(start: start, end: window.end.map(Self.second) ?? start + point, group: group)
    }
  }

  func isNamed(_ widget: Int) -> Bool {
    let (kind, configuration) = (widgets[widget].kind, widgets[widget].configuration)
    return (shortcuts[kind.app] ?? []).contains { $0.kind == kind.name && $0.intent == configuration }
      || (intents[kind.app] ?? []).contains { $0.kind == kind.name && $0.intent == configuration }
  }

  /// Closes ended windows, and opens started ones; windows with one start are one window.
  mutating func noteWindows() {
    for widget in widgets.indices {
      let open = Set(spans(widget).filter { $0.start <= now && now < $0.end }.map(\.start))
      openWindows[widget].removeAll { !open.contains($0.start) }
      for start in open.sorted() where !openWindows[widget].contains(where: { $0.start == start }) {
        episodeCount += 1
        openWindows[widget].append(OpenWindow(start: start, episode: episodeCount, episodeStart: now))
      }
    }
  }

  /// Withdraws suggestions without evidence (R5).
  mutating func withdraw() {
    for index in stacks.indices {
      guard let instance = stacks[index].suggested else { continue }
      if windows(of: instance).isEmpty && prediction(of: instance) == nil {
        withdraw(index, "evidence ended")
      } else if isOnHomeScreen(widget(instance)) {
        withdraw(index, "on the Home Screen")
      } else if !stacks[index].isWidgetSuggestionsOn {
        withdraw(index, "switched off")
      } else if pinned(stacks[index]) != nil {
        stacks[index].movedBy.subtract(episodes(instance).map(\.id))
        withdraw(index, "a member is pinned")
      }
    }
  }

  mutating func withdraw(_ index: Int, _ reason: String) {
    guard let instance = stacks[index].suggested else { return }
    (stacks[index].suggested, stacks[index].isSuggestionInFront) = (nil, false)
    happenings.append("\(stacks[index].id) withdraws \(widget(instance)): \(reason)")
  }

  func isOnHomeScreen(_ widget: Int) -> Bool { instances(of: widget).contains(where: isPlaced) }

  /// Suggests the best eligible instance, in the first stack of its family that accepts it (R2, R3, R6, R8, W1).
  ///
  /// - Returns: Whether a widget was suggested.
  mutating func suggest() -> Bool {
    var best: (instance: Int, stack: Int)?
    let order = stacks.indices.filter { stacks[$0].isVisible } + stacks.indices.filter { !stacks[$0].isVisible }
    for stack in order {
      for instance in instances where family(instance) == stacks[stack].family {
        guard !windows(of: instance).isEmpty || prediction(of: instance) != nil,
          !isOnHomeScreen(widget(instance)),
          !stacks.contains(where: { $0.suggested.map(widget) == widget(instance) }), takes(stacks[stack], instance)
        else { continue }
        if let best, !outranks(instance, best.instance) { continue }
        best = (instance, stack)
      }
    }
    guard let (instance, index) = best else { return false }
    if stacks[index].suggested != nil { withdraw(index, "replaced") }
    happenings.append("\(stacks[index].id) suggests \(widget(instance))")
    tallies[instance].count(\.suggestions, now)
    stacks[index].movedBy.formUnion(episodes(instance).map(\.id))
    stacks[index].insertions.append(now)
    appInsertions[widgets[widget(instance)].kind.app, default: []].append(now)
    (stacks[index].suggested, stacks[index].isSuggestionInFront) = (instance, true)
    stacks[index].brought = (instance, now)
    requestMissingTimeline(instance)
    rotate(index)
    return true
  }

  private func takes(_ stack: Stack, _ instance: Int) -> Bool {
    let mine = evidence(instance)
    let isAhead = [stack.shownFront, stack.suggested].allSatisfy { rival in
      guard let rival else { return true }
      return mine - evidence(rival) > 0 && mine - evidence(rival) >= margin(instance, over: rival)
    }
    let app = widgets[widget(instance)].kind.app
    let sources = windows(of: instance).map(\.episode) + (prediction(of: instance).map { [$0.episode] } ?? [])
    let isFresh = sources.contains { episode in
      !spentEpisodes.contains(episode) && !stacks.contains { $0.movedBy.contains(episode) }
    }
    let isOpen = pinned(stack) == nil && stack.shownFront.map { !stack.neverAway.contains($0) } ?? true
    return stack.isWidgetSuggestionsOn && isOpen && !isBlocked(widget(instance)) && mine > 0 && mine >= policy.threshold
      && isAhead
      && mine >= (stack.shownFront == nil ? policy.margin : 0) && isFresh
      && isIdle(stack) && isWithin(stack.insertions, policy.suggestionCountMax)
      && isWithin(appInsertions[app] ?? [], policy.appSuggestionCountMax)
      && !isRepresented(instance, suggestedOn: stack)
  }

  func outranks(_ left: Int, _ right: Int) -> Bool {
    if evidence(left) != evidence(right) { return evidence(left) > evidence(right) }
    let starts = [left, right].map { episodes($0).map(\.start).max() ?? 0 }
    if starts[0] != starts[1] { return starts[0] > starts[1] }
    return widgets[widget(left)].description < widgets[widget(right)].description
  }

  // MARK: User actions

  /// Returns the index among the members for an index among the shown widgets.
  func base(_ shown: Int, _ index: Int) -> Int {
    stacks[index].suggested == nil ? shown : max(0, shown - 1)
  }

  /// Spends the windows and the prediction of the instance's widget, in all families.
  mutating func spendWindows(_ instance: Int) {
    let widget = widget(instance)
    spentEpisodes.formUnion(openWindows[widget].map(\.episode))
    if let prediction = predictions[widget] { spentEpisodes.insert(prediction.episode) }
  }

  mutating func dismiss(_ index: Int, _ reason: String) {
    guard let instance = stacks[index].suggested else { return }
    spendWindows(instance)
    outcomes[instance].bad += 1
    tallies[instance].count(\.dismissals, now)
    stacks[index].lastTouch = now
    withdraw(index, reason)
  }

  /// Blocks, snoozes or allows a widget or an app; the last report counts (R14).
  mutating func block(_ report: UserReport) {
    switch report {
    case .widgetSuggestionBlocked(let widget, let isBlocked):
      if isBlocked { blockedWidgets.insert(index(widget)) } else { blockedWidgets.remove(index(widget)) }
      snoozedWidgets[index(widget)] = nil
    case .appSuggestionBlocked(let app, let isBlocked):
      if isBlocked { blockedApps.insert(app) } else { blockedApps.remove(app) }
      snoozedApps[app] = nil
    case .widgetSuggestionSnoozed(let widget, let end):
      blockedWidgets.remove(index(widget))
      snoozedWidgets[index(widget)] = Self.second(end)
    case .appSuggestionSnoozed(let app, let end):
      blockedApps.remove(app)
      snoozedApps[app] = Self.second(end)
    default: break
    }
    for index in stacks.indices {
      guard let instance = stacks[index].suggested, isBlocked(widget(instance)) else { continue }
      dismiss(index, "blocked")
    }
  }

  /// Whether the widget or its app is blocked, or snoozed until a later second (R14).
  func isBlocked(_ widget: Int) -> Bool {
    let app = widgets[widget].kind.app
    let end = max(snoozedWidgets[widget] ?? 0, snoozedApps[app] ?? 0)
    return blockedWidgets.contains(widget) || blockedApps.contains(app) || now < end
  }

  /// The suggestion has become a member.
  mutating func keep(_ index: Int, isInFront: Bool) {
    guard let instance = stacks[index].suggested else { return }
    tallies[instance].count(\.kept, now)
    if isInFront {
      stacks[index].front = instance
      chooseFront(index)
    }
    stacks[index].lastTouch = now
    withdraw(index, "kept")
  }
}
