import MarqueeModel
import MarqueeScheduler

/// The widgets that a display shows, each in its family (rule W1), with the labels that it has (rule X1), and the
/// labels and entries that are still to be sent.
struct WatchedWidgets {
  /// The label of a shown widget.
  private struct Label {
    /// The widget's rank in the order in which the widgets were first shown.
    let rank: Int
    /// The hash value of the label that the display has; `nil` for none.
    var sent: Int?
    var isPending = false
  }

  private var members: [StackID: Set<WidgetInstance>] = [:]
  /// The widgets outside stacks.
  private var homeWidgets: Set<WidgetInstance> = []
  private var labels: [Widget: Label] = [:]
  private var nextRank = 0
  /// The widgets whose labels are still to be compared and sent, in reverse order; possibly also widgets that are not
  /// shown any more. A label that changes several times is sent once.
  private var pendingLabels: [Widget] = []
  /// The widgets whose entries of the initial state are still to be sent, in reverse order. Each is sent with the entry
  /// that is current by then.
  private var pendingEntries: [WidgetInstance] = []

  func contains(_ widget: WidgetInstance) -> Bool {
    homeWidgets.contains(widget) || members.values.contains { $0.contains(widget) }
  }

  // MARK: Shown widgets

  /// Sets the widgets of the initial state.
  ///
  /// - Returns: The widgets, which have no labels; the visible ones first.
  mutating func begin(_ stacks: [Stack], _ homeWidgets: [WidgetInstance], _ visible: [WidgetInstance]) -> [Widget] {
    members = Dictionary(uniqueKeysWithValues: stacks.map { ($0.id, Set($0.instances)) })
    self.homeWidgets = Set(homeWidgets)
    return show(visible + stacks.flatMap(\.instances))
  }

  /// Replaces the members of a stack.
  ///
  /// - Returns: The members without labels.
  mutating func replace(_ stack: Stack) -> [Widget] {
    let new = Set(stack.instances)
    // A new stack may have no members.
    let old = members.updateValue(new, forKey: stack.id) ?? []
    guard old != new else { return [] }
    hide(old.subtracting(new))
    return show(stack.instances)
  }

  /// Removes a stack.
  ///
  /// - Returns: Whether the display shows it.
  mutating func remove(_ stack: StackID) -> Bool {
    guard let old = members.removeValue(forKey: stack) else { return false }
    hide(old)
    return true
  }

  /// Adds a widget outside stacks.
  ///
  /// - Returns: The widget if it has no label; `nil` if it is already shown outside stacks.
  mutating func addHomeWidget(_ widget: WidgetInstance) -> [Widget]? {
    homeWidgets.insert(widget).inserted ? show([widget]) : nil
  }

  /// Removes a widget outside stacks.
  ///
  /// - Returns: Whether the display shows it.
  mutating func removeHomeWidget(_ widget: WidgetInstance) -> Bool {
    guard homeWidgets.remove(widget) != nil else { return false }
    hide([widget])
    return true
  }

  private mutating func show(_ widgets: [WidgetInstance]) -> [Widget] {
    var unlabeled: [Widget] = []
    for shown in widgets where labels[shown.widget] == nil {
      labels[shown.widget] = Label(rank: nextRank)
      nextRank += 1
      unlabeled.append(shown.widget)
    }
    return unlabeled
  }

  /// Forgets the labels of the widgets that are not shown any more in any family.
  private mutating func hide(_ widgets: Set<WidgetInstance>) {
    for hidden in widgets {
      let isShown = WidgetFamily.allCases.contains { contains(WidgetInstance(hidden.widget, in: $0)) }
      if !isShown { labels[hidden.widget] = nil }
    }
  }

  // MARK: Pending labels and entries

  var hasPendingUpdates: Bool { !pendingLabels.isEmpty || !pendingEntries.isEmpty }

  /// Schedules labels and entries of the initial state.
  mutating func schedule(entries: [WidgetInstance], labels: ArraySlice<Widget>) {
    pendingEntries = entries.reversed()
    schedule(labels: Array(labels))
  }

  /// Schedules the labels that a change can affect.
  mutating func schedule(_ change: LabelChange) {
    let affected = labels.filter { change.includes($0.key) }.sorted { $0.value.rank < $1.value.rank }
    schedule(labels: affected.map(\.key))
  }

  private mutating func schedule(labels widgets: [Widget]) {
    for widget in widgets.reversed() where labels[widget]?.isPending == false {
      labels[widget]?.isPending = true
      pendingLabels.append(widget)
    }
  }

  /// Returns the next shown widget whose label is to be compared and sent.
  mutating func dequeueLabel() -> Widget? {
    while let widget = pendingLabels.popLast() {
      guard labels[widget]?.isPending == true else { continue }
      labels[widget]?.isPending = false
      return widget
    }
    return nil
  }

  /// Returns the next shown widget whose entry of the initial state is to be sent.
  mutating func dequeueEntry() -> WidgetInstance? {
    while let widget = pendingEntries.popLast() {
      if contains(widget) { return widget }
    }
    return nil
  }

  /// Notes that the display gets a label.
  ///
  /// - Returns: Whether it must be sent: the widget is shown, and the display has no label or another one.
  mutating func noteLabel(_ label: WidgetLabel) -> Bool {
    let hash = label.hashValue
    guard let old = labels[label.widget], old.sent != hash else { return false }
    labels[label.widget]?.sent = hash
    return true
  }
}
