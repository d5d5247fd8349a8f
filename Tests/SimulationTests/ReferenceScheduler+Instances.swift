import MarqueeModel
import MarqueeScheduler

/// The instances of widgets (W1). An instance is a number: that of its widget, times the number of families, plus that
/// of its family.
extension ReferenceScheduler {
  static let families: [WidgetFamily] = [.systemSmall, .systemMedium, .systemLarge]

  var instances: Range<Int> { 0..<widgets.count * Self.families.count }

  func instances(of widget: Int) -> Range<Int> {
    widget * Self.families.count..<(widget + 1) * Self.families.count
  }

  func instance(_ widget: Int, _ family: WidgetFamily) -> Int {
    widget * Self.families.count + Self.families.firstIndex(of: family)!
  }

  func widget(_ instance: Int) -> Int { instance / Self.families.count }

  func family(_ instance: Int) -> WidgetFamily { Self.families[instance % Self.families.count] }

  func families(of widget: Int) -> [WidgetFamily] { RandomDay.families(of: widgets[widget].kind) }

  /// Whether shortcuts and predictions apply to the instance: in the families of stacks that the kind supports or, if
  /// there is none, in its first family.
  func hasEvidenceFamily(_ instance: Int) -> Bool {
    let supported = families(of: widget(instance))
    let shown = supported.filter { family in stacks.contains { $0.family == family } }
    return (shown.isEmpty ? [supported[0]] : shown).contains(family(instance))
  }

  /// The open windows of the instance's widget, if they apply to the instance and count for it (W4).
  func windows(of instance: Int) -> [OpenWindow] {
    hasEvidenceFamily(instance) && !isExpired(instance) ? openWindows[widget(instance)] : []
  }

  /// The prediction of the instance's widget, if it applies to the instance and counts for it (W4).
  func prediction(of instance: Int) -> Expectation? {
    isPredicted[instance] && !isExpired(instance) ? predictions[widget(instance)] : nil
  }

  func isPlaced(_ instance: Int) -> Bool {
    home.contains(instance) || stacks.contains { $0.members.contains(instance) }
  }

  /// Whether shortcuts, intents or predictions need the instance.
  func isEvidenceNeeded(_ instance: Int) -> Bool {
    hasEvidenceFamily(instance) && (isNamed(widget(instance)) || isPredicted[instance])
  }

  /// Whether the instance is placed, or needed for shortcuts, intents or predictions, as every suggestion is.
  func isUsed(_ instance: Int) -> Bool {
    isPlaced(instance) || isPredicted[instance] || isNamed(widget(instance)) && hasEvidenceFamily(instance)
  }

  /// Removes unused instances whose timeline has no family if another instance has such a timeline. The first one
  /// stays if all are unused; they have the same timeline, since a publication without a family reaches all.
  mutating func removeCopies(_ widget: Int) {
    let sharing = instances(of: widget).filter { exists[$0] && timelines[$0] != nil && timelines[$0]?.family == nil }
    let unused = sharing.filter { !isUsed($0) }
    for instance in unused.dropFirst(unused.count == sharing.count ? 1 : 0) { remove(instance) }
  }

  /// Creates an instance.
  ///
  /// An instance that no stack can show, that is not placed and has no content for its own family is no longer needed
  /// and becomes the new one, whose reload is requested again if it was requested for the old one. Otherwise the new
  /// one takes over a timeline without a family from another instance.
  mutating func make(_ instance: Int) {
    guard !exists[instance] else { return }
    let others = instances(of: widget(instance)).filter { exists[$0] }
    exists[instance] = true
    let superfluous = others.first { other in
      timelines[other]?.family == nil && !isPlaced(other) && !isEvidenceNeeded(other)
        && !stacks.contains { $0.family == family(other) || $0.suggested == other }
    }
    if let superfluous {
      move(superfluous, to: instance)
    } else if let source = others.first(where: { timelines[$0].map { $0.family == nil } ?? false }),
      let shared = timelines[source]
    {
      set(shared, instance)
      publications[instance] = publications[source]
    }
  }

  /// Creates the instances that shortcuts and relevant intents name.
  mutating func makeNamed() {
    for instance in instances where isNamed(widget(instance)) && hasEvidenceFamily(instance) { make(instance) }
  }

  private mutating func move(_ old: Int, to new: Int) {
    (timelines[new], publications[new], relevance[new]) = (timelines[old], publications[old], relevance[old])
    (reload[new], countedReloads[new], frontSeconds[new]) = (reload[old], countedReloads[old], frontSeconds[old])
    if case .asked(let reason, _) = reload[new] { reload[new] = .waiting(reason) }
    (isPredicted[new], wasExpired[new]) = (isPredicted[old], wasExpired[old])
    for index in pastScores.indices where pastScores[index].instance == old { pastScores[index].instance = new }
    remove(old)
  }

  mutating func remove(_ instance: Int) {
    (exists[instance], timelines[instance], relevance[instance]) = (false, nil, nil)
    wasExpired[instance] = false
    (reload[instance], countedReloads[instance], isPredicted[instance]) = (.none, [], false)
    frontSeconds[instance] = frontSeconds[instance].map { _ in 0 }
  }
}
