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
    let head = basis == .timeAlone ? clockHead : soonHead
    var workspace = workspace(expertCounts: head.experts.count, selecting: true)
    defer { workspace.deallocate() }
    let ahead = Self.windowSeconds / 2
    var moment = first.step
    var situation = situation(at: moment, excludingPrevious: false, ahead: ahead, in: &workspace)
    let table = table(for: head, in: situation, &workspace)
    let (shares, selection) = (workspace.row(), Selection(atLeast: least, in: &workspace))
    select(selection, where: isRelevant)
    var found: [ActionProbability] = []
    while true {
      found.removeAll(keepingCapacity: true)
      findLikely(selection, head, situation, table, at: moment, shares: shares, &found)
      guard let following = next(found) else { return }
      moment = following.step
      let change = move(&situation, to: moment, ahead: ahead)
      update(table, for: head, in: situation, after: change)
    }
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
    _ selection: Selection, _ head: PredictionHead, _ situation: Situation, _ table: ExpertTable, at moment: Moment,
    shares: ActionRow, _ found: inout [ActionProbability]
  ) {
    let features = activityFeatures(at: moment, time: situation.time)
    let view = view(head, situation, features, table, shares: shares)
    let (silence, isSequential) = (silenceFactor(in: situation), head.experts.contains(.successor))
    let bounds = view.confidence.bounds(atLeast: selection.least, doneMean: view.doneMean, activity: view.activity)
    var batch = Batch()
    for chunk in selection.mask.chunks where greatest(selection.mask[chunk: chunk]) > 0 {
      let inputs = view.chunk(chunk)
      let reachable = bounds.reachable(inputs) * selection.mask[chunk: chunk]
      let count = Int(total(reachable))
      guard count > 0 else { continue }
      selection.open(inputs, reachable)
      // Actions of several chunks are computed together, but those of a chunk are not separated.
      if batch.count + count > 8 { finish(&batch, of: view, selection, isSequential, silence: silence, &found) }
      for lane in 0..<8 where selection.isReachable(lane) {
        selection.gather(lane, to: batch.count)
        batch.actions[batch.count] = UInt32(truncatingIfNeeded: 8 &* chunk &+ lane)
        batch.count &+= 1
      }
    }
    if batch.count > 0 { finish(&batch, of: view, selection, isSequential, silence: silence, &found) }
  }

  /// Up to eight actions whose inputs were gathered.
  private struct Batch {
    var count = 0
    var actions = SIMD8<UInt32>.zero
  }

  /// Appends the actions of a batch that are likely enough to `found`, and empties the batch.
  private func finish(
    _ batch: inout Batch, of view: View, _ selection: Selection, _ isSequential: Bool, silence: Float,
    _ found: inout [ActionProbability]
  ) {
    let probabilities = view.confidence.probabilities(selection.gathered(batch.count, of: view)) * silence
    for place in 0..<batch.count {
      let (action, probability) = (Int(batch.actions[place]), Double(probabilities[place]))
      guard probability >= selection.least else { continue }
      // An action that was just done is not predicted (rule P4).
      if isSequential, intervals.isSuppressed(action, at: view.situation.time) { continue }
      found.append(ActionProbability(action: ActionID(action), probability: probability))
    }
    batch.count = 0
  }
}
