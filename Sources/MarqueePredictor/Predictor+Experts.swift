/// What the experts say at one moment.
extension Predictor {
  /// Who may be predicted, when, and what all experts share.
  struct Situation {
    /// When habits are looked up.
    fileprivate(set) var moment: Moment
    /// Local time that never goes back.
    fileprivate(set) var time: Int
    fileprivate(set) var gap: Int
    let mask: [Lanes]
    let candidateCount: Int
    /// The action that is no candidate, because it is the previous one.
    let excluded: Int?
    /// What is expected of each candidate while more is not known, adding up to 1.
    let base: Column
    let weekShares: Column
    /// How likely each action is to come back by now.
    fileprivate(set) var returns: UseIntervals.Returns
    fileprivate(set) var near: ClockCounts.Near
    /// On which share of days, and after which share of the routine's events, each action is done in the half hour.
    fileprivate(set) var dayShares: Column
    fileprivate(set) var eventShares: Column
  }

  /// The situation of a moment; habits are looked up `ahead` seconds later.
  func situation(at moment: Moment, excludingPrevious: Bool, ahead: Int = 0) -> Situation {
    let time = max(moment.time, last?.time ?? moment.time)
    let excluded = excludingPrevious ? last?.action : nil
    var mask = knownMask
    var count = knownCount
    if let excluded {
      mask[excluded >> 3][excluded & 7] = 0
      count -= 1
    }
    let weekShares = week.shares(mask: mask)
    let base = baseShares(day.shares(mask: mask), weekShares, mask: mask, candidateCount: count)
    var situation = Situation(
      moment: moment, time: time, gap: 0, mask: mask, candidateCount: count, excluded: excluded, base: base,
      weekShares: weekShares, returns: intervals.returns(shares: weekShares, base: base),
      near: ClockCounts.Near(chunkCount: chunkCount), dayShares: Column(chunkCount: chunkCount),
      eventShares: Column(chunkCount: chunkCount))
    move(&situation, to: moment, ahead: ahead)
    return situation
  }

  /// Moves a situation since which nothing was learned to another moment; says whether any action is more or less
  /// likely to come back then.
  @discardableResult
  private func move(_ situation: inout Situation, to moment: Moment, ahead: Int) -> Bool {
    let time = max(moment.time, last?.time ?? moment.time)
    let shifted = ahead == 0 ? moment : moment.moved(to: moment.time + ahead)
    situation.moment = shifted
    situation.time = time
    situation.gap = last.map { Gap.index(time - $0.time) } ?? Gap.count - 1
    clock.find(&situation.near, second: shifted.second, time: time)
    if ahead > 0 {
      situation.dayShares.clear()
      clock.addDayShares(to: &situation.dayShares, second: moment.second, weekday: moment.weekday, time: time)
      situation.eventShares.clear()
      routine.addEventShares(to: &situation.eventShares, at: moment, time: time)
    }
    return intervals.advance(&situation.returns, to: time)
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
    var table = ExpertTable(
      rowCount: head.experts.count, mask: situation.mask, candidateCount: situation.candidateCount)
    fillCounts(&table, head)
    fillTimes(&table, head, situation)
    fillIntervals(&table, head, situation)
    fillSuccessors(&table, head, situation)
    fillContext(&table, head, situation)
    return table
  }

  /// Moves a situation since which nothing was learned to another moment, and with it the table of what `head`'s
  /// experts say.
  func move(
    _ situation: inout Situation, _ table: inout ExpertTable, for head: PredictionHead, to moment: Moment, ahead: Int
  ) {
    let (gap, place) = (situation.gap, situation.moment.place)
    let hasOthers = move(&situation, to: moment, ahead: ahead)
    // All else depends on the place and the gap alone.
    guard gap == situation.gap, place == situation.moment.place else {
      table = self.table(for: head, in: situation)
      return
    }
    fillTimes(&table, head, situation)
    if hasOthers { fillIntervals(&table, head, situation) }
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
      case .fastTime:
        table.set(row) { column in
          column.assign(base)
          near.addLatest(to: &column)
        }
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
    for (row, expert) in head.experts.enumerated() {
      switch expert {
      case .hazard: table.set(row, to: situation.returns.pooled)
      case .ownInterval: table.set(row, to: situation.returns.own)
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
