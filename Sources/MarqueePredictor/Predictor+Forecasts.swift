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
  public func next(at moment: Moment) -> Forecast {
    let situation = situation(at: moment, excludingPrevious: true)
    let table = table(for: nextHead, in: situation)
    let shares = table.probabilities(nextHead.mixer.weights(gap: situation.gap))
    return Forecast(shares.map { $0 * (1 - noveltyRate) })
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
  /// - Parameters:
  ///   - basis: The inputs that the forecasts use.
  ///   - first: The first moment.
  ///   - next: Receives each forecast and returns the next moment, or `nil` to stop.
  public func soon(_ basis: Basis, from first: Moment, then next: (Forecast) -> Moment?) {
    guard knownCount > 0 else {
      while next(Forecast([])) != nil {}
      return
    }
    let head = basis == .timeAlone ? clockHead : soonHead
    let ahead = Self.windowSeconds / 2
    var moment = first.step
    var situation = situation(at: moment, excludingPrevious: false, ahead: ahead)
    var table = table(for: head, in: situation)
    while let following = next(forecast(head, situation, table, at: moment)) {
      moment = following.step
      move(&situation, &table, for: head, to: moment, ahead: ahead)
    }
  }

  private func forecast(
    _ head: PredictionHead, _ situation: Situation, _ table: ExpertTable, at moment: Moment
  ) -> Forecast {
    let view = view(head, situation, activityFeatures(at: moment, time: situation.time), table)
    // An action without enough occurrences, or that was just done, is not predicted (rule P4). All supported actions
    // are known, and every known action is a candidate here.
    var probabilities = view.probabilities(
      mask: familiarity.supported.lanes, silence: silenceFactor(in: situation))
    if head.experts.contains(.successor) { intervals.suppress(&probabilities, time: situation.time) }
    return Forecast(probabilities)
  }

  /// The output of a head for the half hour after a moment.
  struct View {
    /// The probability of each action to be the first, if anything is done.
    let shares: [Lanes]
    fileprivate let mask: [Lanes]
    fileprivate let dayTotals: ActionVector
    fileprivate let dayDone: ActionVector
    fileprivate let sharpness: ActionVector
    fileprivate let eventSharpness: ActionVector
    fileprivate let counts: ActionVector
    fileprivate let discounts: ActionVector
    fileprivate let eventShares: ActionVector
    /// The mean number of different actions, if any is done.
    fileprivate let doneMean: Float
    /// The probability that anything is done.
    fileprivate let activity: Confidence.Likelihood
    fileprivate let confidence: Confidence

    fileprivate func chunk(_ chunk: Int) -> Confidence.View {
      Confidence.View(
        shares: shares[chunk], dayTotals: dayTotals.lanes[chunk], dayDone: dayDone.lanes[chunk],
        sharpness: sharpness.lanes[chunk], eventSharpness: eventSharpness.lanes[chunk],
        counts: counts.lanes[chunk], discount: discounts.lanes[chunk],
        eventShares: eventShares.lanes[chunk], doneMean: doneMean, activity: activity)
    }

    /// Returns the probability of each action of `mask` to be done, multiplied by `silence`; 0 for others.
    fileprivate func probabilities(mask: [Lanes], silence: Float = 1) -> [Lanes] {
      var probabilities = mask
      probabilities.withUnsafeMutableBufferPointer { probabilities in
        for index in probabilities.indices where greatest(probabilities[index]) > 0 {
          probabilities[index] = confidence.probabilities(chunk(index)) * probabilities[index] * silence
        }
      }
      return probabilities
    }

    /// Claims about the three most probable actions, and about the one with the highest share.
    var claims: [SlotState.Claim] {
      var claimed: [Int] = []
      for action in Forecast(probabilities(mask: mask)).top(3) + Forecast(shares).top(1)
      where !claimed.contains(action.number) {
        claimed.append(action.number)
      }
      return claimed.map { .init(action: $0, features: Confidence.features(chunk($0 >> 3), lane: $0 & 7)) }
    }
  }

  func view(
    _ head: PredictionHead, _ situation: Situation, _ features: ActivityModel.Features, _ table: ExpertTable
  ) -> View {
    let isSequential = head.experts.contains(.successor)
    let activity = Confidence.Likelihood(activity.probability(features, withRecency: isSequential))
    return View(
      shares: table.probabilities(head.mixer.weights(gap: situation.gap)), mask: situation.mask,
      dayTotals: situation.dayTotals, dayDone: situation.dayDone, sharpness: familiarity.sharpness,
      eventSharpness: familiarity.eventSharpness, counts: familiarity.counts, discounts: familiarity.discounts,
      eventShares: situation.eventShares, doneMean: slots.doneMean, activity: activity,
      confidence: isSequential ? slots.soonConfidence : slots.clockConfidence)
  }

  /// Returns the decay after a day without any activity, with the half-life of a dropped habit (rule P4).
  private func silenceFactor(in situation: Situation) -> Float {
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
