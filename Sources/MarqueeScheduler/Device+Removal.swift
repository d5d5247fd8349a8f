import MarqueeModel
import OrderedCollections

/// The removal of kinds, intent types and apps, with everything that the device keeps of them (rule W6).
extension Device {
  /// Whether the device has anything of the app, including the user's settings for it.
  public func hasContent(of app: AppID) -> Bool {
    appsWithAnything.contains(app) || foregroundApp == app || suggestionState.hasUserState(of: app)
      || widgets.formerCounters.keys.contains { $0.widget.kind.app == app }
  }

  /// Returns the number of the app's registered kinds among the named ones.
  public func kindCount(of app: AppID, named names: [KindName]) -> Int { registeredKinds(of: app, names).count }

  /// Returns the number of the app's registered intent types among the named ones.
  public func intentTypeCount(of app: AppID, named types: [IntentType]) -> Int {
    registeredTypes(of: app, types).count
  }

  private func registeredKinds(of app: AppID, _ names: [KindName]) -> Set<WidgetKind> {
    Set(names.map { WidgetKind(app: app, name: $0) }.filter { kinds[$0] != nil })
  }

  private func registeredTypes(of app: AppID, _ types: [IntentType]) -> Set<IntentType> {
    Set(intentTypes(of: app).map(\.type)).intersection(types)
  }

  /// Removes kinds with their widgets. Names of kinds that are not registered are ignored.
  mutating func removeKinds(_ names: [KindName], of app: AppID, _ actions: inout [Action]) {
    let removed = registeredKinds(of: app, names)
    suggestionState.filterSettings(of: app) { kind, _ in
      kind.map { !removed.contains(WidgetKind(app: app, name: $0)) } ?? true
    }
    removeWidgets(&actions, ofKinds: removed.contains)
    removeOrphanedFeedback()
  }

  /// Removes intent types that no kind is configured by, with the donations, shortcuts and upcoming media of the types.
  /// Types that are not registered are ignored.
  mutating func removeIntentTypes(_ types: [IntentType], of app: AppID, _ actions: inout [Action]) {
    let types = registeredTypes(of: app, types)
    suggestionState.filterSettings(of: app) { _, intent in intent.map { !types.contains($0.type) } ?? true }
    surfaces.filterUpcoming(of: app) { !types.contains($0.type) }
    suggestionState.removeIntentTypes(types, of: app)
    removeUnregisteredFocusFilters(of: app, &actions)
    // The user can block a widget that does not exist, and a kind may have been configured by another type before.
    func isConfigured(_ widget: Widget) -> Bool {
      widget.kind.app == app && widget.configuration.map { types.contains($0.type) } ?? false
    }
    suggestionState.removeUserState(where: isConfigured)
    widgets.removeFormerCounts(where: isConfigured)
    let removed = donations.contents(of: app) { $0.interaction.map { types.contains($0.type) } ?? false }
    removeDonations { removed.contains($0.content) }
    setWindows(of: app, &actions)
    removeOrphanedFeedback()
  }

  mutating func removeApp(_ app: AppID, _ actions: inout [Action]) {
    suggestionState.filterSettings(of: app) { _, _ in false }
    surfaces.upcoming[app] = nil
    removeWidgets(&actions) { $0.app == app }
    suggestionState.removeEverything(of: app)
    removeUnregisteredFocusFilters(of: app, &actions)
    let log = donations
    removeDonations { log.app(of: $0) == app }
    if foregroundApp == app { foregroundApp = nil }
    removeOrphanedFeedback()
  }

  // MARK: Widgets

  /// Removes kinds with their widgets, wherever they are.
  private mutating func removeWidgets(_ actions: inout [Action], ofKinds isRemoved: (WidgetKind) -> Bool) {
    let slots = Set(widgets.occupiedSlots.filter { isRemoved(widgets[$0].widget.kind) })
    for position in stacks.indices { remove(slots, from: position, &actions) }
    for instance in suggestionState.homeWidgets where isRemoved(instance.widget.kind) {
      suggestionState.homeWidgets.remove(instance)
      actions.append(Action(at: now, .removeHomeWidget(instance)))
    }
    suggestionState.removeUserState { isRemoved($0.kind) }
    outcomes.removeUses { isRemoved($0.kind) }
    for slot in slots.sorted() { widgets.remove(slot) }
    widgets.removeFormerCounts { isRemoved($0.kind) }
    removeKinds(isRemoved)
  }

  /// Removes members and a suggestion from a stack. Its front changes as if the user had removed the members.
  private mutating func remove(_ slots: Set<Int>, from position: Int, _ actions: inout [Action]) {
    if let slot = stacks[position].suggestion?.slot, slots.contains(slot) {
      withdraw(position, .evidenceEnded, &actions)
    }
    let indices = stacks[position].members.indices.filter { slots.contains(stacks[position].members[$0]) }
    guard !indices.isEmpty else { return }
    for index in indices.reversed() { change(position) { $0.removeMember(at: index) } }
    actions.append(Action(at: now, .updateStack(snapshot(stacks[position]))))
  }

  /// Removes kinds without widgets. The remaining kinds get other indices.
  private mutating func removeKinds(_ isRemoved: (WidgetKind) -> Bool) {
    let kept = kinds.keys.indices.filter { !isRemoved(kinds.keys[$0]) }
    guard kept.count < kinds.count else { return }
    let indices = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($0.element, $0.offset) })
    widgets.renumberKinds { old in
      guard let new = indices[old] else { preconditionFailure("a widget of a removed kind remains") }
      return new
    }
    scores = kept.map { scores[$0] }
    kinds = OrderedDictionary(uniqueKeysWithValues: kept.map { (kinds.keys[$0], kinds.values[$0]) })
    // The gates that were counted last refer to slots, which other widgets may have from now on.
    for position in stacks.indices { stacks[position].blockingGate = BlockingGate() }
    suggestionBlockingGate = BlockingGate()
  }
}

// MARK: Checks

extension Device {
  func check(removing types: [IntentType], of app: AppID) throws(RequestError) {
    for descriptor in kinds.values where descriptor.kind.app == app {
      guard case .intent(let type) = descriptor.configuration, let index = types.firstIndex(of: type) else { continue }
      throw RequestError(
        .failedPrecondition, field: "intent_types[\(index)]",
        "the type configures kind \(descriptor.kind.name); remove the kind first")
    }
  }
}

// MARK: Parts of the state

extension SuggestionState {
  /// Removes the app's shortcuts and relevant intents for which `isKept` returns `false`.
  fileprivate mutating func filterSettings(of app: AppID, isKept: (_ kind: KindName?, _ intent: Intent?) -> Bool) {
    shortcuts[app]?.removeAll { !isKept($0.kind, $0.intent) }
    if shortcuts[app]?.isEmpty ?? true { (shortcuts[app], useFound[app]) = (nil, nil) }
    intents[app]?.removeAll { !isKept($0.kind, $0.intent) }
    if intents[app]?.isEmpty ?? true { intents[app] = nil }
  }

  fileprivate mutating func removeIntentTypes(_ types: Set<IntentType>, of app: AppID) {
    intentTypes[app]?.removeAll { types.contains($0.type) }
    if intentTypes[app]?.isEmpty ?? true { intentTypes[app] = nil }
  }
}

extension SurfaceState {
  /// Removes the app's upcoming media for which `isKept` returns `false`.
  fileprivate mutating func filterUpcoming(of app: AppID, isKept: (Intent) -> Bool) {
    guard let media = upcoming[app] else { return }
    do throws(RequestError) {
      let kept = try UpcomingMedia(intents: media.intents.filter(isKept), mode: media.mode)
      upcoming[app] = kept.isDefault ? nil : kept
    } catch {
      preconditionFailure("a part of valid upcoming media is invalid: \(error)")
    }
  }
}
