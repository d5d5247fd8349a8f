import MarqueeModel
import OrderedCollections

/// The instances of widgets (rule W1).
///
/// A slot holds an instance: a widget in one family. Relevant shortcuts, relevant intents and predictions name widgets.
/// They apply to the widget's instances in the families that both the kind and a stack have, or in the kind's first
/// family if there is none. These instances share the episodes of their windows and predictions.
extension Device {
  /// The families of the device's stacks.
  var stackFamilies: FamilySet {
    var families = FamilySet()
    for position in stacks.indices { families.insert(stacks[position].family) }
    return families
  }

  /// Returns the families in which shortcuts, intents and predictions apply to widgets of a kind.
  ///
  /// - Parameters:
  ///   - kind: The index of the kind.
  ///   - stackFamilies: The families of the stacks.
  func evidenceFamilies(of kind: Int, _ stackFamilies: FamilySet) -> [WidgetFamily] {
    let families = kinds.values[kind].families
    if families.count == 1 { return families }
    let shown = families.filter(stackFamilies.contains)
    return shown.isEmpty ? [families[0]] : shown
  }

  /// Whether shortcuts, intents and predictions apply to the instance.
  func hasEvidenceFamily(_ slot: Int, _ stackFamilies: FamilySet) -> Bool {
    evidenceFamilies(of: widgets[slot].kind, stackFamilies).contains(widgets[slot].family)
  }

  /// Applies shortcuts and intents to instances again, after the families of stacks changed.
  mutating func renewEvidenceFamilies(_ actions: inout [Action]) {
    // An app whose kinds all have one family is not affected.
    let apps = Set(kinds.values.lazy.filter { $0.families.count > 1 }.map(\.kind.app))
    var spans: OrderedDictionary<AppID, NamedSpans> = [:]
    for app in appsNamingWidgets where apps.contains(app) {
      let named = suggestionState.spans(of: app, pointLength: policy.pointLength)
      guard named.keys.contains(where: { kinds[$0.kind].map { $0.families.count > 1 } ?? false }) else { continue }
      spans[app] = named
    }
    if !spans.isEmpty { setWindows(spans, &actions) }
  }

  // MARK: Creation

  /// Returns the slot of an instance whose kind is registered, creating the instance if it does not exist.
  ///
  /// A new instance takes over a timeline without a family from another instance of the widget. An instance that no
  /// stack can show, and that is not placed, is not copied but changes its family.
  mutating func slot(making instance: WidgetInstance) -> Int {
    guard let first = widgets.firstSlot(of: instance.widget) else { return insert(instance) }
    if let slot = widgets.slot(of: instance.family, inRingOf: first) { return slot }
    if let slot = movableSlot(inRingOf: first) {
      move(slot, to: instance.family)
      return slot
    }
    return insert(instance, adoptingFrom: sharedTimelineSlot(inRingOf: first))
  }

  /// Inserts an instance whose kind is registered and that does not exist, and returns its slot.
  ///
  /// - Parameters:
  ///   - instance: The instance.
  ///   - source: The slot of the instance whose timeline it takes over, if any.
  mutating func insert(_ instance: WidgetInstance, adoptingFrom source: Int? = nil) -> Int {
    guard let kind = kinds.index(forKey: instance.widget.kind) else {
      preconditionFailure("the kind was not validated")
    }
    var state = WidgetState(instance, kind: kind)
    state.engagementFactor = suggestionState.engagements[instance]?.factor(policy) ?? 1
    guard let source else { return widgets.insert(state) }
    state.adoptTimeline(of: widgets[source], at: now)
    let slot = widgets.insert(state)
    recomputeEvidence(slot)
    return slot
  }

  /// Changes the family of an instance. An open reload request is sent again for the new family.
  mutating func move(_ slot: Int, to family: WidgetFamily) {
    widgets.move(slot, to: family)
    widgets[slot].reload.renew()
    recomputeEngagementFactor(slot)
    recomputeEvidence(slot)
  }

  /// Returns the number of instances that ``slot(making:)`` inserts when it is called for each family of a widget.
  func insertionCount(of widget: Widget, in families: [WidgetFamily]) -> Int {
    guard let first = widgets.firstSlot(of: widget) else { return families.count }
    let count = families.count { widgets.slot(of: $0, inRingOf: first) == nil }
    // One instance at most can change its family instead.
    return count > 0 && movableSlot(inRingOf: first) != nil ? count - 1 : count
  }

  /// Returns the slot whose timeline a new instance of the widget takes over, or `nil`.
  func sharedTimelineSlot(of widget: Widget) -> Int? {
    widgets.firstSlot(of: widget).flatMap(sharedTimelineSlot)
  }

  /// Returns the slot of the instance with the timeline without a family that was published last, or `nil`.
  private func sharedTimelineSlot(inRingOf first: Int) -> Int? {
    var (best, slot) = (Int?.none, first)
    repeat {
      if let timeline = widgets[slot].timeline, timeline.family == nil {
        let date = widgets[slot].publishedAt ?? .min
        if best.map({ date > widgets[$0].publishedAt ?? .min }) ?? true { best = slot }
      }
      slot = widgets.nextSlot(after: slot)
    } while slot != first
    return best
  }

  /// Returns the slot of the first instance that no stack can show, and that is neither placed nor has content for its
  /// family, nor is needed for shortcuts, intents and predictions, or `nil`.
  private func movableSlot(inRingOf first: Int) -> Int? {
    let stackFamilies = stackFamilies
    var slot = first
    repeat {
      let family = widgets[slot].family
      if !stackFamilies.contains(family), !widgets[slot].isPlaced, !isSuggestion(slot),
        widgets[slot].timeline?.family == nil,
        !(widgets[slot].isNamed || widgets[slot].prediction != nil) || !hasEvidenceFamily(slot, stackFamilies)
      {
        return slot
      }
      slot = widgets.nextSlot(after: slot)
    } while slot != first
    return nil
  }

  // MARK: Removal

  /// Removes the state of the instance if nothing refers to it, or of instances of its widget that only hold a copy.
  mutating func removeUnreferenced(_ slot: Int) { removeUnreferenced([slot]) }

  /// Removes the states of those instances to which nothing refers, and of instances of their widgets that only hold a
  /// copy of a timeline.
  mutating func removeUnreferenced(_ slots: [Int]) {
    var kinds: Set<Int> = []
    for slot in slots where widgets.isOccupied(slot) {
      if widgets[slot].isUnreferenced, !isSuggestion(slot) {
        widgets.remove(slot)
        continue
      }
      let copies = copies(inRingOf: slot)
      if !copies.isEmpty { kinds.insert(widgets[slot].kind) }
      for copy in copies {
        remember(widgets[copy].removeTimeline(), kind: widgets[copy].kind)
        widgets.remove(copy)
      }
    }
    if !kinds.isEmpty { recomputeScoreReferences(kinds.contains) }
  }

  /// Returns the slots of the widget's instances that only hold a timeline without a family that another instance has.
  ///
  /// If no other instance has it, one of them is not included: the one published last, or the first family.
  private func copies(inRingOf slot: Int) -> [Int] {
    guard widgets.nextSlot(after: slot) != slot else { return [] }
    let sharing = widgets.slots(of: widgets[slot].widget).filter { slot in
      widgets[slot].timeline.map { $0.family == nil } ?? false
    }
    guard sharing.count > 1 else { return [] }
    let idle = sharing.filter { !widgets[$0].isPlaced && !widgets[$0].isNeededUnplaced && !isSuggestion($0) }
    guard idle.count == sharing.count else { return idle }
    let last = idle.compactMap { widgets[$0].publishedAt }.max()
    let kept = idle.first { widgets[$0].publishedAt == last }
    return idle.filter { $0 != kept }
  }

  // MARK: Lookup

  /// Returns the slot of the widget in a family, or in the preferred one if `family` is `nil`.
  ///
  /// Placed instances are preferred to others, then those whose timeline was published last, then the first family.
  func slot(of widget: Widget, in family: WidgetFamily?) -> Int? {
    if let family { return widgets.slot(of: widget, in: family) }
    var best: Int?
    for slot in widgets.slots(of: widget) {
      guard let other = best else {
        best = slot
        continue
      }
      let (isPlaced, wasPlaced) = (isVisible(slot), isVisible(other))
      let (date, earlier) = (widgets[slot].publishedAt ?? .min, widgets[other].publishedAt ?? .min)
      if isPlaced != wasPlaced ? isPlaced : date > earlier { best = slot }
    }
    return best
  }

  /// Whether the instance is in a stack, suggested, or on the Home Screen outside stacks.
  func isVisible(_ slot: Int) -> Bool { widgets[slot].isPlaced || isSuggestion(slot) }

  /// Returns the slot with which the widget competes for a stack: its instance in the stack's family or, if the kind
  /// does not support the family, the first suggestible instance or the first one; `nil` if there is none.
  func slot(of widget: Widget, competingAt position: Int) -> Int? {
    let family = stacks[position].family
    guard let first = widgets.firstSlot(of: widget) else { return nil }
    let own = widgets.slot(of: family, inRingOf: first)
    if supports(family, first) { return own }
    if let own, isVisible(own) || widgets.summaries[own].isSuggestible { return own }
    return widgets.slots(of: widget).first { widgets.summaries[$0].isSuggestible } ?? own ?? first
  }

  /// Whether the kind of the instance supports a family.
  func supports(_ family: WidgetFamily, _ slot: Int) -> Bool {
    kinds.values[widgets[slot].kind].families.contains(family)
  }

  // MARK: Episodes

  /// Applies `body` to every episode that contributes evidence for the instance now, and to those that other instances
  /// of the widget share with it.
  mutating func changeEpisodes(_ slot: Int, _ body: (inout Episode) -> Void) {
    guard !widgets[slot].isExpired else { return }
    widgets[slot].changeEpisodes(body)
    changeSharedEpisodes(exceptOf: slot, body)
  }

  /// Records that the current episodes moved the stack (rule R4).
  mutating func noteMove(_ slot: Int, of stack: StackID) {
    changeEpisodes(slot) { if !$0.movedStacks.contains(stack) { $0.movedStacks.append(stack) } }
  }

  /// Lets the current episodes move the stack again, because a pin has taken the widget's place (rule R12).
  mutating func returnMove(_ slot: Int, of stack: StackID) {
    changeEpisodes(slot) { $0.movedStacks.removeAll { $0 == stack } }
  }

  /// Spends the current episodes of the widget, because the user scrolled away from it (rule R4); if the user passes it
  /// on the way to another one, only those that brought it to the front of the stack.
  mutating func spendEpisodes(_ slot: Int, of stack: StackID, isPassing: Bool) {
    changeEpisodes(slot) { if !isPassing || $0.movedStacks.contains(stack) { $0.isSpent = true } }
  }

  /// Spends the episodes for which the widget may be suggested, because the user removed it (rule R4).
  mutating func spendSuggestionEpisodes(_ slot: Int) {
    widgets[slot].changeSuggestionEpisodes { $0.isSpent = true }
    changeSharedEpisodes(exceptOf: slot) { $0.isSpent = true }
  }

  /// Begins new episodes of the widget's open windows and prediction if the instance's entry had expired, which
  /// interrupted its evidence, and another entry is current now (rules R4, W4). What the user rejected stays rejected.
  mutating func resumeEpisodes(_ slot: Int, wasExpired: Bool) {
    guard wasExpired, !widgets[slot].isExpired else { return }
    let start = now
    func resume(_ episode: inout Episode) { episode = Episode(start: start, isSpent: episode.isSpent) }
    widgets[slot].changeSuggestionEpisodes(resume)
    changeSharedEpisodes(exceptOf: slot, resume)
  }

  private mutating func changeSharedEpisodes(exceptOf slot: Int, _ body: (inout Episode) -> Void) {
    var other = widgets.nextSlot(after: slot)
    while other != slot {
      widgets[other].changeSuggestionEpisodes(body)
      other = widgets.nextSlot(after: other)
    }
  }

  /// Gives a newly named instance the windows of another named instance of the widget, with their episodes.
  mutating func adoptWindows(_ slot: Int) {
    var other = widgets.nextSlot(after: slot)
    while other != slot {
      if widgets[other].isNamed {
        let state = widgets[other]
        widgets[slot].adoptWindows(of: state)
        return
      }
      other = widgets.nextSlot(after: other)
    }
  }

  /// Returns the episode of another instance's prediction with the same combination, or `nil`.
  func sharedEpisode(_ slot: Int, _ combination: UInt64) -> Episode? {
    var other = widgets.nextSlot(after: slot)
    while other != slot {
      if let prediction = widgets[other].prediction, prediction.combination == combination { return prediction.episode }
      other = widgets.nextSlot(after: other)
    }
    return nil
  }
}
