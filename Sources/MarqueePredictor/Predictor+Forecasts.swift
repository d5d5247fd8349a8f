/// Forecasts.
extension Predictor {
  /// The inputs that a forecast of the coming half hour uses.
  public enum Basis: Sendable, CaseIterable {
    /// The time, weekday and last routine event. Actions affect the forecast only by being learned.
    case timeAlone
    /// Also the last actions and the time since them.
    case everything
  }

  /// Returns the probability of each action other than the last one to be the next.
  ///
  /// The probabilities sum to the probability that the next action is not one that was never seen before.
  ///
  /// - Precondition: All forecasts are learned.
  public func next(at moment: Moment) -> Forecast {
    precondition(learnsAllForecasts, "forecasts of the next action are not learned")
    var workspace = workspace(expertCounts: nextHead.experts.count)
    defer { workspace.deallocate() }
    let situation = situation(at: moment, excludingPrevious: true, in: &workspace)
    let table = table(for: nextHead, in: situation, &workspace)
    let shares = workspace.row()
    table.writeProbabilities(nextHead.mixer.weights(gap: situation.gap), to: shares)
    return Forecast(shares.buffer.map { $0 * (1 - noveltyRate) })
  }

  /// Returns the probability of each action to be done within the next ``windowSeconds``. Several may be.
  ///
  /// Until something is learned, the forecast is a step function of time: it is constant within each ``stepSeconds`` of
  /// local time.
  public func soon(_ basis: Basis, at moment: Moment) -> Forecast {
    var only = Forecast([])
    soon(basis, from: moment) { forecast in
      only = forecast
      return nil
    }
    return only
  }

  /// Computes forecasts as ``soon(_:at:)`` does for a sequence of moments, which is faster than separate calls.
  ///
  /// ``likelyActions(_:from:atLeast:where:then:)`` is faster still if only probable actions are of interest.
  ///
  /// - Parameters:
  ///   - basis: The inputs that the forecasts use.
  ///   - first: The first moment.
  ///   - next: Receives each forecast and returns the next moment, or `nil` to stop.
  public func soon(_ basis: Basis, from first: Moment, then next: (Forecast) -> Moment?) {
    guard knownCount > 0 else {
      while next(Forecast([])) != nil {}
      return
    }
    let head = head(of: basis)
    var workspace = workspace(expertCounts: head.experts.count)
    defer { workspace.deallocate() }
    let ahead = Self.windowSeconds / 2
    var moment = first.step
    var situation = situation(at: moment, excludingPrevious: false, ahead: ahead, in: &workspace)
    let table = table(for: head, in: situation, &workspace)
    let shares = workspace.row()
    while let following = next(forecast(head, &situation, table, at: moment, shares: shares)) {
      moment = following.step
      let change = move(&situation, to: moment, ahead: ahead)
      update(table, for: head, in: situation, after: change)
    }
  }

  /// Returns the head of forecasts of the coming half hour.
  func head(of basis: Basis) -> PredictionHead {
    precondition(basis == .everything || learnsAllForecasts, "forecasts from time alone are not learned")
    return basis == .timeAlone ? clockHead : soonHead
  }

  private func forecast(
    _ head: PredictionHead, _ situation: inout Situation, _ table: ExpertTable, at moment: Moment, shares: ActionRow
  ) -> Forecast {
    let features = activityFeatures(at: moment, time: situation.time)
    let view = view(head, situation, features, table, shares: shares)
    let probabilities = situation.scratch
    // An action without enough occurrences, or that was just done, is not predicted (rule P4). All supported actions
    // are known, and every known action is a candidate here.
    familiarity.supported.lanes.withUnsafeBufferPointer { supported in
      let silence = silenceFactor(in: situation)
      view.writeProbabilities(to: probabilities, mask: { supported[$0] }, scale: { $0 * silence })
    }
    if head.experts.contains(.successor) { intervals.suppress(probabilities, &situation.returns) }
    return Forecast(Array(probabilities.buffer))
  }

  /// The output of a head for the half hour after a moment.
  struct View {
    /// The probability of each action to be the first, if anything is done.
    let shares: ActionRow
    let situation: Situation
    let sharpness: ActionVector
    let eventSharpness: ActionVector
    let counts: ActionVector
    let discounts: ActionVector
    /// The mean number of different actions, if any is done.
    let doneMean: Float
    /// The probability that anything is done.
    let activity: Confidence.Likelihood
    let confidence: Confidence

    /// Returns the inputs for the actions of a chunk.
    @inline(__always) func chunk(_ chunk: Int) -> Confidence.View {
      Confidence.View(
        shares: shares[chunk: chunk], dayTotals: situation.dayTotals[chunk: chunk],
        dayDone: situation.dayDone[chunk: chunk], sharpness: sharpness.lanes[chunk],
        eventSharpness: eventSharpness.lanes[chunk], counts: counts.lanes[chunk], discount: discounts.lanes[chunk],
        eventShares: situation.eventShares[chunk: chunk], doneMean: doneMean, activity: activity)
    }

    /// Sets `probabilities` to the scaled probability of each action of a mask to be done, and to 0 for others.
    @inline(__always) fileprivate func writeProbabilities(
      to probabilities: ActionRow, mask: (Int) -> Lanes, scale: (Lanes) -> Lanes
    ) {
      for index in probabilities.chunks {
        let mask = mask(index)
        probabilities[chunk: index] =
          greatest(mask) > 0 ? scale(confidence.probabilities(chunk(index)) * mask) : .zero
      }
    }

    /// Claims about the three most probable actions, and about the one with the highest share.
    var claims: [SlotState.Claim] {
      let (probabilities, mask) = (situation.scratch, situation.mask)
      writeProbabilities(to: probabilities, mask: { mask[chunk: $0] }, scale: { $0 })
      var actions: [Int] = []
      actions.reserveCapacity(Self.topCount + 1)
      Forecast.forEachTop(Self.topCount, of: probabilities.buffer) { actions.append($0) }
      Forecast.forEachTop(1, of: shares.buffer) { if !actions.contains($0) { actions.append($0) } }
      var claims: [SlotState.Claim] = []
      claims.reserveCapacity(actions.count)
      for action in actions {
        claims.append(.init(action: action, features: Confidence.features(chunk(action >> 3), lane: action & 7)))
      }
      return claims
    }

    private static let topCount = 3
  }

  /// Returns a head's output.
  ///
  /// - Parameter shares: A row that the view uses for its shares.
  func view(
    _ head: PredictionHead, _ situation: Situation, _ features: ActivityModel.Features, _ table: ExpertTable,
    shares: ActionRow
  ) -> View {
    table.writeProbabilities(head.mixer.weights(gap: situation.gap), to: shares)
    return view(head, situation, features, shares: shares)
  }

  /// Returns a head's output, given the row of its shares, which may be computed later.
  func view(
    _ head: PredictionHead, _ situation: Situation, _ features: ActivityModel.Features, shares: ActionRow
  ) -> View {
    let isSequential = head.experts.contains(.successor)
    let activity = Confidence.Likelihood(activity.probability(features, withRecency: isSequential))
    return View(
      shares: shares, situation: situation, sharpness: familiarity.sharpness,
      eventSharpness: familiarity.eventSharpness, counts: familiarity.counts, discounts: familiarity.discounts,
      doneMean: slots.doneMean, activity: activity,
      confidence: isSequential ? slots.soonConfidence : slots.clockConfidence)
  }

  /// Returns the decay after a day without any activity, with the half-life of a dropped habit (rule P4).
  func silenceFactor(in situation: Situation) -> Float {
    let idle = Double(last.map { situation.time - $0.time } ?? 0)
    return Float(powerOfTwo(-max(0, idle - 86_400) / Self.droppedHalfLife))
  }

  /// Returns the features of activity at a moment.
  ///
  /// - Parameter time: The local time, which never decreases.
  func activityFeatures(at moment: Moment, time: Int) -> ActivityModel.Features {
    let days = day.sum / day.unit(at: time)
    let weeks = week.sum / week.unit(at: time)
    let idle = last.map { time - $0.time } ?? 0
    return activity.features(at: moment, dayRatio: days / (0.001 + weeks / 7), idle: idle)
  }
}
