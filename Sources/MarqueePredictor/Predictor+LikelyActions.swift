/// Forecasts of only those actions that are likely enough.
extension Predictor {
  /// Computes the relevant actions with at least a minimum probability in the forecasts of a sequence of moments.
  ///
  /// They are those of ``soon(_:from:then:)``, with the same probabilities, bit for bit. No probability is computed of
  /// actions that are irrelevant, or provably below the minimum.
  ///
  /// - Parameters:
  ///   - basis: The inputs that the forecasts use.
  ///   - first: The first moment.
  ///   - least: The minimum probability, which must be positive.
  ///   - isRelevant: Whether an action is of interest, whatever its probability.
  ///   - next: Receives the actions of each forecast by ascending number, and returns the next moment, or `nil` to
  ///     stop.
  public func likelyActions(
    _ basis: Basis, from first: Moment, atLeast least: Double, where isRelevant: (ActionID) -> Bool,
    then next: ([ActionProbability]) -> Moment?
  ) {
    precondition(least > 0, "the minimum probability must be positive")
    guard knownCount > 0 else {
      while next([]) != nil {}
      return
    }
    let head = head(of: basis)
    var workspace = workspace(expertCounts: head.experts.count, selecting: true)
    defer { workspace.deallocate() }
    let ahead = Self.windowSeconds / 2
    var moment = first.step
    var situation = situation(
      at: moment, excludingPrevious: false, ahead: ahead, isComplete: false, in: &workspace)
    var table = LazyTable(
      head: head, table: emptyTable(for: head, in: situation, &workspace), shares: workspace.row())
    let selection = Selection(atLeast: least, in: &workspace)
    select(selection, where: isRelevant)
    var found: [ActionProbability] = []
    while true {
      found.removeAll(keepingCapacity: true)
      findLikely(selection, &situation, &table, at: moment, &found)
      guard let following = next(found) else { return }
      moment = following.step
      if moveContext(&situation, to: moment, ahead: ahead) { table.isOfContext = false }
    }
  }

  /// A head's table and shares, which are computed for only those moments at which they matter.
  private struct LazyTable {
    let head: PredictionHead
    let table: ExpertTable
    let shares: ActionRow
    /// Whether the table was ever computed.
    var isFilled = false
    /// Whether the table was computed for the present place and gap.
    var isOfContext = true
  }

  /// Computes the shares of a table at the moment of its situation.
  private func computeShares(_ lazy: inout LazyTable, _ situation: inout Situation) {
    let isOfIntervals = refresh(&situation)
    if lazy.isFilled {
      let change = Change(isOfContext: !lazy.isOfContext, isOfIntervals: isOfIntervals)
      update(lazy.table, for: lazy.head, in: situation, after: change)
    } else {
      fill(lazy.table, lazy.head, situation)
    }
    (lazy.isFilled, lazy.isOfContext) = (true, true)
    lazy.table.writeProbabilities(lazy.head.mixer.weights(gap: situation.gap), to: lazy.shares)
  }

  /// Sets the mask of a selection to the relevant actions with enough occurrences (rule P4).
  private func select(_ selection: Selection, where isRelevant: (ActionID) -> Bool) {
    for chunk in selection.mask.chunks {
      var mask = familiarity.supported.lanes[chunk]
      for lane in 0..<8 where mask[lane] > 0 && !isRelevant(ActionID(8 * chunk + lane)) { mask[lane] = 0 }
      selection.mask[chunk: chunk] = mask
    }
  }

  private func findLikely(
    _ selection: Selection, _ situation: inout Situation, _ table: inout LazyTable, at moment: Moment,
    _ found: inout [ActionProbability]
  ) {
    let features = activityFeatures(at: moment, time: situation.time)
    let view = view(table.head, situation, features, shares: table.shares)
    let bounds = view.confidence.bounds(atLeast: selection.least, doneMean: view.doneMean, activity: view.activity)
    if bounds.includesAllShares {
      // While hardly anything is ever done, such as at night, no action would be likely enough with a share of 1.
      table.shares.assign(1)
      let least = selection.least * Confidence.boundFactor
      collect(selection, bounds, view, table.head, atLeast: least, &found)
      if found.isEmpty { return }
      found.removeAll(keepingCapacity: true)
    }
    computeShares(&table, &situation)
    collect(selection, bounds, view, table.head, atLeast: selection.least, &found)
  }

  /// Appends the selected actions with at least a minimum probability that the bounds do not exclude to `found`.
  private func collect(
    _ selection: Selection, _ bounds: Confidence.Bounds, _ view: View, _ head: PredictionHead, atLeast least: Double,
    _ found: inout [ActionProbability]
  ) {
    let limits = Limits(
      least: least, silence: silenceFactor(in: view.situation), isSequential: head.experts.contains(.successor))
    var batch = Batch()
    for chunk in selection.mask.chunks where greatest(selection.mask[chunk: chunk]) > 0 {
      let inputs = view.chunk(chunk)
      let reachable = bounds.reachable(inputs) * selection.mask[chunk: chunk]
      let count = Int(total(reachable))
      guard count > 0 else { continue }
      selection.open(inputs, reachable)
      // Actions of several chunks are computed together, but those of a chunk are not separated.
      if batch.count + count > 8 { finish(&batch, of: view, selection, limits, &found) }
      for lane in 0..<8 where selection.isReachable(lane) {
        selection.gather(lane, to: batch.count)
        batch.actions[batch.count] = UInt32(truncatingIfNeeded: 8 &* chunk &+ lane)
        batch.count &+= 1
      }
    }
    if batch.count > 0 { finish(&batch, of: view, selection, limits, &found) }
  }

  /// Up to eight actions whose inputs were gathered.
  private struct Batch {
    var count = 0
    var actions = SIMD8<UInt32>.zero
  }

  /// What makes an action likely enough.
  private struct Limits {
    /// The minimum probability.
    let least: Double
    /// The decay after a day without any activity.
    let silence: Float
    /// Whether an action that was just done is not predicted.
    let isSequential: Bool
  }

  /// Appends the actions of a batch that are likely enough to `found`, and empties the batch.
  private func finish(
    _ batch: inout Batch, of view: View, _ selection: Selection, _ limits: Limits, _ found: inout [ActionProbability]
  ) {
    let probabilities = view.confidence.probabilities(selection.gathered(batch.count, of: view)) * limits.silence
    for place in 0..<batch.count {
      let (action, probability) = (Int(batch.actions[place]), Double(probabilities[place]))
      guard probability >= limits.least else { continue }
      // An action that was just done is not predicted (rule P4).
      if limits.isSequential, intervals.isSuppressed(action, at: view.situation.time) { continue }
      found.append(ActionProbability(action: ActionID(action), probability: probability))
    }
    batch.count = 0
  }
}
