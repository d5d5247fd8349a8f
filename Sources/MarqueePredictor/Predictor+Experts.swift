/// Computing the experts' shares at a moment.
extension Predictor {
  /// The inputs at a moment that all experts share, and the candidates, in the memory of a workspace.
  struct Situation {
    /// The number of rows of a workspace that a situation uses.
    static let workspaceRowCount = 17 + ClockCounts.Near.rowCount

    /// The moment at which habits are looked up.
    fileprivate(set) var moment: Moment
    /// The local time, which never decreases.
    fileprivate(set) var time: Int
    fileprivate(set) var gap: Int
    /// 1 for candidates, 0 for other actions.
    let mask: ActionRow
    let candidateCount: Int
    /// The previous action if it is not a candidate.
    let excluded: Int?
    /// The prior share of each candidate; they sum to 1.
    let base: ActionRow
    let weekShares: ActionRow
    /// The return rate of each action at its present age.
    var returns: UseIntervals.Returns
    fileprivate(set) var near: ClockCounts.Near
    /// The total weight of the recent days from each action's first one on, and of those on which it was done in the
    /// half hour.
    let dayTotals: ActionRow
    let dayDone: ActionRow
    fileprivate var windows: UseLog.Windows
    /// The fraction of the routine's events after which each action is done in the half hour.
    let eventShares: ActionRow
    /// Scratch space.
    let scratch: ActionRow
  }

  /// Allocates a workspace for a situation, and the table and a row of shares of each of some heads.
  ///
  /// - Parameters:
  ///   - expertCounts: The number of experts of each head.
  ///   - selecting: Whether the workspace is also for a ``Selection``.
  func workspace(expertCounts: Int..., selecting: Bool = false) -> Workspace {
    let rowCount = expertCounts.reduce(Situation.workspaceRowCount) { $0 + $1 + 1 }
    return Workspace(
      rowCount: selecting ? rowCount + Selection.rowCount : rowCount, chunkCount: chunkCount,
      laneCount: UseLog.Windows.laneCount + (selecting ? Selection.laneCount : 0))
  }

  /// Returns the situation at a moment. Habits are looked up `ahead` seconds later.
  ///
  /// - Parameter isComplete: Whether the inputs of tables are computed, as by ``refresh(_:)``.
  func situation(
    at moment: Moment, excludingPrevious: Bool, ahead: Int = 0, isComplete: Bool = true, in workspace: inout Workspace
  ) -> Situation {
    let time = max(moment.time, last?.time ?? moment.time)
    let excluded = excludingPrevious ? last?.action : nil
    let (mask, base, weekShares) = (workspace.row(), workspace.row(), workspace.row())
    for chunk in mask.chunks { mask[chunk: chunk] = knownMask[chunk] }
    if let excluded { mask[excluded] = 0 }
    let count = excluded == nil ? knownCount : knownCount - 1
    week.writeShares(to: weekShares, mask: mask)
    day.writeShares(to: base, mask: mask)
    // A prior: half the shares of the last day, 45 % those of the last week, and 5 % distributed equally.
    let floor = 0.05 / Float(max(1, count))
    for chunk in mask.chunks {
      base[chunk: chunk] = base[chunk: chunk] * 0.5 + weekShares[chunk: chunk] * 0.45 + mask[chunk: chunk] * floor
    }
    var situation = Situation(
      moment: moment, time: time, gap: 0, mask: mask, candidateCount: count, excluded: excluded, base: base,
      weekShares: weekShares, returns: intervals.returns(shares: weekShares, base: base, in: &workspace),
      near: ClockCounts.Near(in: &workspace), dayTotals: workspace.row(), dayDone: workspace.row(),
      windows: UseLog.Windows(actionCount: isKnown.count, in: &workspace), eventShares: workspace.row(),
      scratch: workspace.row())
    moveContext(&situation, to: moment, ahead: ahead)
    if isComplete { refresh(&situation) }
    return situation
  }

  /// The inputs that changed when a situation moved, in addition to the time.
  struct Change {
    /// Whether the place or the gap changed.
    let isOfContext: Bool
    /// Whether the return rate of any action changed.
    let isOfIntervals: Bool
  }

  /// Moves a situation to another moment. Nothing may have been learned in between but activity and calibration.
  func move(_ situation: inout Situation, to moment: Moment, ahead: Int) -> Change {
    let isOfContext = moveContext(&situation, to: moment, ahead: ahead)
    return Change(isOfContext: isOfContext, isOfIntervals: refresh(&situation))
  }

  /// Moves a situation to another moment, except the inputs of tables, which ``refresh(_:)`` brings up to date.
  ///
  /// - Returns: Whether the place or the gap changed.
  @discardableResult
  func moveContext(_ situation: inout Situation, to moment: Moment, ahead: Int) -> Bool {
    let (gap, place) = (situation.gap, situation.moment.place)
    let time = max(moment.time, last?.time ?? moment.time)
    situation.moment = ahead == 0 ? moment : moment.moved(to: moment.time + ahead)
    situation.time = time
    situation.gap = last.map { Gap.index(time - $0.time) } ?? Gap.count - 1
    if ahead > 0 {
      if log.move(&situation.windows, to: moment) {
        log.countDays(situation.dayTotals, windows: situation.windows, firstDays: familiarity.firstDays)
      }
      log.countWindows(situation.dayDone, second: moment.second, windows: &situation.windows)
      situation.eventShares.clear()
      routine.addEventShares(to: situation.eventShares, at: moment, time: time, scratch: situation.scratch)
    }
    return gap != situation.gap || place != situation.moment.place
  }

  /// Brings the inputs of tables up to date with the time, and returns whether the return rate of any action changed.
  @discardableResult
  func refresh(_ situation: inout Situation) -> Bool {
    clock.find(&situation.near, second: situation.moment.second, time: situation.time)
    return intervals.advance(&situation.returns, to: situation.time)
  }

  /// A head and its table of one situation.
  struct FilledTable {
    let head: PredictionHead
    let table: ExpertTable
  }

  /// Returns the table of the shares of `head`'s experts.
  ///
  /// - Parameter other: The table of another head in the same situation, from which the rows of common experts are
  ///   copied.
  func table(
    for head: PredictionHead, in situation: Situation, sharing other: FilledTable? = nil, _ workspace: inout Workspace
  ) -> ExpertTable {
    let table = emptyTable(for: head, in: situation, &workspace)
    fill(table, head, situation, sharing: other)
    return table
  }

  /// Returns a table for ``fill(_:_:_:sharing:)``.
  func emptyTable(for head: PredictionHead, in situation: Situation, _ workspace: inout Workspace) -> ExpertTable {
    ExpertTable(
      rowCount: head.experts.count, mask: situation.mask, candidateCount: situation.candidateCount, in: &workspace)
  }

  /// Computes all rows of a table.
  func fill(
    _ table: ExpertTable, _ head: PredictionHead, _ situation: Situation, sharing other: FilledTable? = nil
  ) {
    fillCounts(table, head, sharing: other)
    fillTimes(table, head, situation, sharing: other)
    fillIntervals(table, head, situation)
    fillTransitions(table, head, situation)
    fillContext(table, head, situation)
  }

  /// Copies the row of an expert from another head's table, and returns whether that has one.
  private func copy(_ expert: Expert, to row: Int, of table: ExpertTable, from other: FilledTable?) -> Bool {
    guard let other, let place = other.head.experts.firstIndex(of: expert) else { return false }
    table.copy(row, from: other.table, place)
    return true
  }

  /// Recomputes the rows of a table that changed with its situation.
  ///
  /// - Parameter other: The updated table of another head; see ``table(for:in:sharing:)``.
  func update(
    _ table: ExpertTable, for head: PredictionHead, in situation: Situation, after change: Change,
    sharing other: FilledTable? = nil
  ) {
    fillTimes(table, head, situation, sharing: other)
    if change.isOfIntervals { fillIntervals(table, head, situation) }
    guard change.isOfContext else { return }
    fillTransitions(table, head, situation)
    fillContext(table, head, situation)
  }

  private func fillCounts(_ table: ExpertTable, _ head: PredictionHead, sharing other: FilledTable?) {
    for (row, expert) in head.experts.enumerated() {
      guard !copy(expert, to: row, of: table, from: other) else { continue }
      switch expert {
      case .day: table.set(row, to: day.vector)
      case .threeDays: table.set(row, to: threeDays.vector)
      case .week: table.set(row, to: week.vector)
      case .month: table.set(row, to: month.vector)
      case .always: table.set(row, to: always)
      default: break
      }
    }
  }

  /// Fills the rows that change with every time step.
  private func fillTimes(
    _ table: ExpertTable, _ head: PredictionHead, _ situation: Situation, sharing other: FilledTable?
  ) {
    let (near, base) = (situation.near, situation.base)
    let weekday = situation.moment.weekday
    func set(_ row: Int, _ weights: Lanes, prior: Float) {
      table.set(row) { vector in
        vector.assign(base, times: prior)
        near.add(to: vector, weights: weights)
      }
    }
    for (row, expert) in head.experts.enumerated() where expert.isOfTime {
      guard !copy(expert, to: row, of: table, from: other) else { continue }
      switch expert {
      case .dayKindTime: set(row, ClockCounts.weights(weekday: weekday, sameKind: 1, otherKind: 0.35), prior: 6)
      case .weekdayTime: set(row, ClockCounts.weights(weekday: weekday, sameKind: 0.3, otherKind: 0.3), prior: 6)
      case .fastTime:
        table.set(row) { vector in
          vector.assign(base)
          near.addLatest(to: vector)
        }
      case .routine:
        guard routine.hasEvent(at: situation.moment) else {
          table.clear(row)
          continue
        }
        table.set(row) { vector in
          vector.assign(base, times: 0.5)
          routine.add(to: vector, at: situation.moment, time: situation.time)
        }
      case .burst:
        let prior = 0.3 * burst.unit(at: situation.time)
        table.set(row) { vector in
          burst.vector.lanes.withUnsafeBufferPointer { burst in
            for chunk in vector.chunks { vector[chunk: chunk] = burst[chunk] + base[chunk: chunk] * prior }
          }
        }
      default: continue
      }
    }
  }

  /// Fills the rows that change with the ages of the actions' last uses.
  private func fillIntervals(_ table: ExpertTable, _ head: PredictionHead, _ situation: Situation) {
    for (row, expert) in head.experts.enumerated() {
      switch expert {
      case .hazard: table.set(row, to: situation.returns.pooled)
      case .ownInterval: table.set(row, to: situation.returns.own)
      default: continue
      }
    }
  }

  private func fillContext(_ table: ExpertTable, _ head: PredictionHead, _ situation: Situation) {
    let base = situation.base
    for (row, expert) in head.experts.enumerated() {
      switch expert {
      case .rank:
        table.set(row) { vector in
          vector.assign(base)
          recencyRanks.write(to: vector, gap: situation.gap, excluding: situation.excluded)
        }
      case .gapShare:
        table.set(row) { vector in
          gaps[situation.gap].lanes.withUnsafeBufferPointer { counts in
            for chunk in vector.chunks { vector[chunk: chunk] = base[chunk: chunk] * 10 + counts[chunk] }
          }
        }
      case .place:
        table.set(row) { vector in
          vector.assign(base, times: 8)
          _ = places.add(to: vector, place: situation.moment.place)
        }
      case .group:
        table.set(row) { vector in
          vector.assign(base)
          groups.write(to: vector, base: base, previous: last?.action, gap: situation.gap)
        }
      case .repeated:
        if let last { table.mark(row, action: last.action) } else { table.clear(row) }
      default: continue
      }
    }
  }
}
