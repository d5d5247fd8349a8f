/// What an action changes.
extension Predictor {
  /// Learns that `action` was done at `moment`.
  ///
  /// Actions are learned in the order of their time. Local time may go back all the same, when clocks change or the
  /// person travels: its time of day then counts as given, and its age as that of the action before. `group` tells
  /// which actions are of one sort, such as those of one app; the last one given for an action is kept.
  public mutating func learn(_ action: ActionID, group: Int = 0, at moment: Moment) {
    let number = action.number
    let time = max(moment.time, last?.time ?? moment.time)
    advance(to: time, at: moment, before: number)
    learnNext(number, at: moment)
    grow(toHold: number)
    groups.assign(number, to: group)
    count(number, at: moment, time: time)
  }

  /// Improves the question of the next action by what came next.
  private mutating func learnNext(_ action: Int, at moment: Moment) {
    let isNew = !isKnown.indices.contains(action) || !isKnown[action]
    newShare += 0.01 * ((isNew ? 1 : 0) - newShare)
    guard !isNew, let last, last.action != action else { return }
    let situation = situation(at: moment, excludingPrevious: true)
    let table = table(for: nextHead, in: situation)
    let probabilities = table.probabilities(nextHead.mixer.weights(gap: situation.gap))
    nextHead.mixer.learn(gradient: table.gradient(probabilities, action: action), gap: situation.gap)
    var candidates = isKnown
    candidates[last.action] = false
    intervals.use(action, candidates: candidates, shares: situation.weekShares, time: situation.time)
  }

  private mutating func count(_ action: Int, at moment: Moment, time: Int) {
    // A use soon after the same action is no new occasion: it counts as much as half hours that only it falls in.
    let isFirst = !isKnown[action]
    let amount = isFirst ? 1 : min(1, Float(time - intervals.lastUse[action]) / Float(Self.windowSeconds))
    let gap = last.map { Gap.index(time - $0.time) } ?? Gap.count - 1
    if isFirst {
      isKnown[action] = true
      knownMask[action >> 3][action & 7] = 1
      knownCount += 1
    }
    day.add(amount, to: action, at: time)
    threeDays.add(amount, to: action, at: time)
    week.add(amount, to: action, at: time)
    month.add(amount, to: action, at: time)
    burst.add(1, to: action, at: time)
    always[action] += amount
    clock.add(amount, to: action, at: moment, time: time)
    routine.add(amount, to: action, at: moment, time: time)
    log.append(action, at: moment)
    intervals.note(action, at: time)
    if last?.action != action {
      places.add(1, to: action, place: moment.place)
      countSequence(action, gap: gap)
    }
    let before = last?.action == action ? last?.before : last?.action
    last = Last(action: action, before: before, time: time, moment: moment)
  }

  private mutating func countSequence(_ action: Int, gap: Int) {
    gaps[gap][action] += 1
    order.use(action, excluding: last?.action, gap: gap)
    var samePair: Int32 = -1
    if let last {
      samePair = successors.add(action, after: last.action, gap: gap, end: sequence.actions.count)
      if let before = last.before { successors.addSkipped(action, after: before) }
      groups.add(action, after: last.action, gap: gap)
    }
    sequence.append(action, samePair: samePair)
  }
}
