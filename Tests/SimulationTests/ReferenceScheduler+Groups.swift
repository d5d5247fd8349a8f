import MarqueeModel

/// Groups of widgets (R15).
extension ReferenceScheduler {
  /// The groups that an instance is in now: that of its timeline, and those of its open windows.
  private func groups(_ instance: Int) -> Set<GroupName> {
    let open = windows(of: instance).map(\.start)
    // Windows with one start are one window, which ends with the last of them.
    let spans = spans(widget(instance)).filter { $0.start < $0.end && open.contains($0.start) }
    return Set((spans.map(\.group) + [timelines[instance]?.group]).compactMap(\.self))
  }

  /// Whether another instance has evidence and is in a group of the instance; an app's groups are its own.
  private func sharesGroup(_ other: Int, with instance: Int) -> Bool {
    let apps = [other, instance].map { widgets[widget($0)].kind.app }
    return other != instance && apps[0] == apps[1] && evidence(other) > 0
      && !groups(other).isDisjoint(with: groups(instance))
  }

  /// Whether a more relevant widget that the stack shows stands for a group of another one that it shows. Ties go by
  /// the order of the stack.
  func isRepresented(_ instance: Int, on stack: Stack) -> Bool {
    func rank(_ instance: Int) -> (Double, Int, Int) {
      let place = stack.shown.firstIndex(of: instance)!
      return (evidence(instance), episodes(instance).map(\.start).max() ?? 0, -place)
    }
    return standing(stack).contains { sharesGroup($0, with: instance) && rank($0) > rank(instance) }
  }

  /// The widgets that the stack shows and that can stand for their groups: the front, the suggestion, and all to which
  /// the user lets it rotate.
  private func standing(_ stack: Stack) -> [Int] {
    stack.shown.filter { shown in
      shown == stack.shownFront || shown == stack.suggested
        || stack.isSmartRotateOn && !stack.neverTo.contains(shown)
    }
  }

  /// Withdraws the suggestion if the widget in front of the stack is in its group and more relevant.
  mutating func withdrawRepresented(_ index: Int) {
    let stack = stacks[index]
    guard let instance = stack.suggested, let front = stack.shownFront, sharesGroup(front, with: instance)
    else { return }
    func rank(_ instance: Int) -> (Double, Int) { (evidence(instance), episodes(instance).map(\.start).max() ?? 0) }
    // A tie goes to the suggestion, the first widget of the stack.
    if rank(front) > rank(instance) { withdraw(index, "represented by a member") }
  }

  /// Whether another widget stands for a group of a widget that the stack could suggest: any that another stack
  /// suggests, or a more relevant one that this stack shows or could suggest.
  func isRepresented(_ instance: Int, suggestedOn stack: Stack) -> Bool {
    let suggestedElsewhere = stacks.filter { $0.id != stack.id }.compactMap(\.suggested)
    if suggestedElsewhere.contains(where: { sharesGroup($0, with: instance) }) { return true }
    let others = instances.filter { other in
      let hasReason = !windows(of: other).isEmpty || prediction(of: other) != nil
      return standing(stack).contains(other)
        || family(other) == stack.family && hasReason && !isOnHomeScreen(widget(other)) && !isBlocked(widget(other))
    }
    return others.contains { sharesGroup($0, with: instance) && outranks($0, instance) }
  }
}
