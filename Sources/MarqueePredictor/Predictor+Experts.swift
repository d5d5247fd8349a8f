/// What the experts say at one moment.
extension Predictor {
  /// Who may be predicted, when, and what all experts share.
  struct Situation {
    /// When habits are looked up.
    let moment: Moment
    /// Local time that never goes back.
    let time: Int
    let gap: Int
    let mask: [Lanes]
    let candidateCount: Int
    /// The action that is no candidate, because it is the previous one.
    let excluded: Int?
    /// What is expected of each candidate while more is not known, adding up to 1.
    let base: Column
    let weekShares: Column
    let hazards: [Float]
    /// How long ago each action was done, as far as chances to come back differ by it.
    let ages: [UInt8]
    let near: ClockCounts.Near
    /// On which share of days, and after which share of the routine's events, each action is done in the half hour.
    let dayShares: Column
    let eventShares: Column
  }

  /// The situation of a moment; habits are looked up `ahead` seconds later. `earlier` is one of another moment since
  /// which nothing was learned, with the same exclusion.
  func situation(
    at moment: Moment, excludingPrevious: Bool, ahead: Int = 0, like earlier: Situation? = nil
  ) -> Situation {
    let time = max(moment.time, last?.time ?? moment.time)
    let excluded = excludingPrevious ? last?.action : nil
    var mask = knownMask
    var count = knownCount
    if let excluded {
      mask[excluded >> 3][excluded & 7] = 0
      count -= 1
    }
    let shifted = ahead == 0 ? moment : moment.moved(to: moment.time + ahead)
    let weekShares = earlier?.weekShares ?? week.shares(mask: mask)
    var (dayShares, eventShares) = (Column(chunkCount: chunkCount), Column(chunkCount: chunkCount))
    if ahead > 0 {
      clock.addDayShares(to: &dayShares, second: moment.second, weekday: moment.weekday, time: time)
      routine.addEventShares(to: &eventShares, at: moment, time: time)
    }
    return Situation(
      moment: shifted, time: time, gap: last.map { Gap.index(time - $0.time) } ?? Gap.count - 1, mask: mask,
      candidateCount: count, excluded: excluded,
      base: earlier?.base ?? baseShares(day.shares(mask: mask), weekShares, mask: mask, candidateCount: count),
      weekShares: weekShares, hazards: earlier?.hazards ?? intervals.hazards,
      ages: intervals.ages(at: time), near: clock.near(second: shifted.second, time: time, chunkCount: chunkCount),
      dayShares: dayShares, eventShares: eventShares)
  }

  /// Half the shares of the last day, almost half those of the last week, and the rest alike.
  private func baseShares(_ days: Column, _ weeks: Column, mask: [Lanes], candidateCount: Int) -> Column {
    let floor = 0.05 / Float(max(1, candidateCount))
    var base = days
    for chunk in mask.indices {
      base.lanes[chunk] = base.lanes[chunk] * 0.5 + weeks.lanes[chunk] * 0.45 + mask[chunk] * floor
    }
    return base
  }

  /// The table of what `head`'s experts say.
  func table(for head: PredictionHead, in situation: Situation) -> ExpertTable {
    var table = ExpertTable(mask: situation.mask, candidateCount: situation.candidateCount)
    fillCounts(&table, head)
    fillTimes(&table, head, situation)
    fillIntervals(&table, head, situation)
    fillSuccessors(&table, head, situation)
    fillContext(&table, head, situation)
    return table
  }

  /// Makes a table of an `earlier` situation, since which nothing was learned, that of another one.
  func update(
    _ table: inout ExpertTable, for head: PredictionHead, in situation: Situation, from earlier: Situation
  ) {
    // All else depends on the place and the gap alone.
    guard earlier.gap == situation.gap, earlier.moment.place == situation.moment.place else {
      table = self.table(for: head, in: situation)
      return
    }
    fillTimes(&table, head, situation)
    if earlier.ages != situation.ages { fillIntervals(&table, head, situation) }
  }

  private func fillCounts(_ table: inout ExpertTable, _ head: PredictionHead) {
    for (row, expert) in head.experts.enumerated() {
      switch expert {
      case .day: table.set(row, to: day.column)
      case .threeDays: table.set(row, to: threeDays.column)
      case .week: table.set(row, to: week.column)
      case .month: table.set(row, to: month.column)
      case .always: table.set(row, to: always)
      default: break
      }
    }
  }

  /// What changes with every step of time.
  private func fillTimes(_ table: inout ExpertTable, _ head: PredictionHead, _ situation: Situation) {
    let (near, base) = (situation.near, situation.base)
    let weekday = situation.moment.weekday
    func set(_ row: Int, _ weights: Lanes, prior: Float) {
      table.set(row) { column in
        column.assign(base, times: prior)
        near.add(to: &column, weights: weights)
      }
    }
    for (row, expert) in head.experts.enumerated() {
      switch expert {
      case .dayKindTime: set(row, ClockCounts.weights(weekday: weekday, sameKind: 1, otherKind: 0.35), prior: 6)
      case .weekdayTime: set(row, ClockCounts.weights(weekday: weekday, sameKind: 0.3, otherKind: 0.3), prior: 6)
      case .fastTime: set(row, ClockCounts.fastWeights, prior: 1)
      case .routine:
        var isKnown = false
        table.set(row) { column in
          column.assign(base, times: 0.5)
          isKnown = routine.add(to: &column, at: situation.moment, time: situation.time)
        }
        if !isKnown { table.clear(row) }
      case .burst:
        let prior = 0.3 * burst.unit(at: situation.time)
        table.set(row) { column in
          for chunk in 0..<chunkCount { column.lanes[chunk] = burst.column.lanes[chunk] + base.lanes[chunk] * prior }
        }
      default: continue
      }
    }
  }

  /// What changes with the ages of the actions' last uses.
  private func fillIntervals(_ table: inout ExpertTable, _ head: PredictionHead, _ situation: Situation) {
    let ages = situation.ages
    for (row, expert) in head.experts.enumerated() {
      switch expert {
      case .hazard:
        table.set(row) { column in
          column.assign(situation.base)
          intervals.write(situation.hazards, to: &column, shares: situation.weekShares, ages: ages)
        }
      case .ownInterval:
        table.set(row) { column in
          column.assign(situation.base)
          intervals.writeOwnRates(to: &column, ages: ages)
        }
      default: continue
      }
    }
  }

  private func fillContext(_ table: inout ExpertTable, _ head: PredictionHead, _ situation: Situation) {
    let base = situation.base
    for (row, expert) in head.experts.enumerated() {
      switch expert {
      case .rank:
        table.set(row) { column in
          column.assign(base)
          order.write(to: &column, gap: situation.gap, excluding: situation.excluded)
        }
      case .gapShare:
        table.set(row) { column in
          for chunk in 0..<chunkCount {
            column.lanes[chunk] = base.lanes[chunk] * 10 + gaps[situation.gap].lanes[chunk]
          }
        }
      case .place:
        table.set(row) { column in
          column.assign(base, times: 8)
          _ = places.add(to: &column, place: situation.moment.place)
        }
      case .group:
        table.set(row) { column in
          column.assign(base)
          groups.write(to: &column, base: base, previous: last?.action, gap: situation.gap)
        }
      case .repeated:
        if let last { table.mark(row, action: last.action) }
      default: continue
      }
    }
  }
}
