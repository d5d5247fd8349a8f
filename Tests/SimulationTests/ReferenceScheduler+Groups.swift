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
    return stack.shown.contains { sharesGroup($0, with: instance) && rank($0) > rank(instance) }
  }

  /// Withdraws the suggestions of which a member of the stack is more relevant.
  mutating func withdrawRepresented() {
    for index in stacks.indices {
      guard let instance = stacks[index].suggested, isRepresented(instance, on: stacks[index]) else { continue }
      withdraw(index, "represented by a member")
    }
  }

  /// Whether a more relevant widget stands for a group of a widget that the stack could suggest: one that it shows, or
  /// one of its family that is suggested or could be.
  func isRepresented(_ instance: Int, suggestedOn stack: Stack) -> Bool {
    let others = instances.filter { other in
      let hasReason = !windows(of: other).isEmpty || prediction(of: other) != nil
      return stack.shown.contains(other)
        || family(other) == stack.family && hasReason && !isOnHomeScreen(widget(other)) && !isBlocked(widget(other))
    }
    return others.contains { sharesGroup($0, with: instance) && outranks($0, instance) }
  }
}
