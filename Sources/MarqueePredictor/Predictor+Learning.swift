/// Learning from an action.
extension Predictor {
  /// Learns that `action` was done at `moment`.
  ///
  /// Actions must be learned in chronological order. If local time decreases nevertheless, because clocks change or the
  /// user travels, the time of day is used as given, and the age as that of the previous action.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - others: Other actions that the same activity satisfies, such as less specific ones. They count as done, but
  ///     not as steps in the sequence.
  ///   - group: The group of the action, such as its app. The last value given for an action applies.
  ///   - moment: The moment.
  public mutating func learn(
    _ action: ActionID, alsoCounting others: [ActionID] = [], group: Int = 0, at moment: Moment
  ) {
    let number = action.number
    let time = max(moment.time, last?.time ?? moment.time)
    advance(to: time, at: moment, before: number)
    useRate.note(at: time)
    for other in others { slots.note(other.number) }
    learnNext(number, at: moment)
    let gap = last.map { Gap.index(time - $0.time) } ?? Gap.count - 1
    for counted in [action] + others {
      grow(toHold: counted.number)
      groups.assign(counted.number, to: group)
      count(counted.number, at: moment, time: time)
    }
    guard last?.action != number else {
      last?.time = time
      last?.moment = moment
      sequence.noteRepetition()
      return
    }
    places.add(1, to: number, place: moment.place)
    countSequence(number, gap: gap)
    last = Last(action: number, before: last?.action, time: time, moment: moment)
  }

  /// Counts the end of intervals, and trains the head that predicts the next action.
  private mutating func learnNext(_ action: Int, at moment: Moment) {
    let isNew = !isKnown.indices.contains(action) || !isKnown[action]
    noveltyRate += 0.01 * ((isNew ? 1 : 0) - noveltyRate)
    guard !isNew, let last, last.action != action else { return }
    var workspace = workspace(expertCounts: learnsAllForecasts ? nextHead.experts.count : 0)
    defer { workspace.deallocate() }
    let situation = situation(at: moment, excludingPrevious: true, in: &workspace)
    if learnsAllForecasts { trainNextHead(action, in: situation, &workspace) }
    intervals.use(action, isKnown: isKnown, excluding: last.action, returns: situation.returns)
  }

  private mutating func trainNextHead(_ action: Int, in situation: Situation, _ workspace: inout Workspace) {
    let table = table(for: nextHead, in: situation, &workspace)
    let probabilities = workspace.row()
    table.writeProbabilities(nextHead.mixer.weights(gap: situation.gap), to: probabilities)
    nextHead.mixer.learn(gradient: table.gradient(probabilities, action: action), gap: situation.gap)
  }

  private mutating func count(_ action: Int, at moment: Moment, time: Int) {
    // Repetitions soon after the same action count only for the fraction of a half hour that has passed.
    let isFirst = !isKnown[action]
    let amount = isFirst ? 1 : min(1, Float(time - intervals.lastUse[action]) / Float(Self.windowSeconds))
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
    let firstDay = isFirst ? Int32(moment.day) : familiarity.firstDays[action]
    let sharpness = log.sharpness(of: action, at: moment, since: firstDay)
    // An event at a fixed time explains nothing beyond the time.
    let eventSharpness = max(0, routine.sharpness(of: action, at: moment, time: time) - sharpness)
    familiarity.note(action, at: moment, sharpness: sharpness, eventSharpness: eventSharpness)
    routine.add(amount, to: action, at: moment, time: time)
    log.append(action, at: moment)
    intervals.note(action, at: time)
  }

  private mutating func countSequence(_ action: Int, gap: Int) {
    gaps[gap][action] += 1
    recencyRanks.use(action, excluding: last?.action, gap: gap)
    var samePair: Int32 = -1
    if let last {
      samePair = transitions.add(action, after: last.action, gap: gap, end: sequence.actions.count)
      if let before = last.before { transitions.addSkipped(action, after: before) }
      groups.add(action, after: last.action, gap: gap)
    }
    sequence.append(action, samePair: samePair)
  }
}
