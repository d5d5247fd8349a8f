import MarqueeModel
import MarqueePredictor

/// Surface suggestions (rule P6), computed on demand from the device and ``now``; no surface ever needs a wake of the
/// device. For displays that watch a surface, the list is computed again at ``nextSurfaceChange(on:)``.
extension Device {
  /// The maximum time that a dismissed suggestion is suppressed if the end of its episode is unknown.
  public static var dismissalMax: TimeSpan { .hours(12) }

  /// Returns the suggestions in which the engine is most confident, most confident first.
  ///
  /// Only suggestions with at least the surface's minimum confidence (``Policy/confidenceMin(of:isBackground:)``) are
  /// returned. Ties go to certain suggestions over habits, then to the one learned or listed first.
  ///
  /// Confidence is scaled by the user's past feedback on the suggestion on this surface, except that of notifications:
  /// users also dismiss those that they have read. Suggestions that the user dismissed there are suppressed for the
  /// rest of their episode. Suggestions of apps that the user blocked or snoozed are not returned.
  ///
  /// In developer mode, recent donations precede the suggestions of surfaces that list them (rule S12).
  ///
  /// - Parameters:
  ///   - surface: The surface that displays the suggestions.
  ///   - count: The maximum number of suggestions.
  public func suggestions(on surface: SuggestionSurface, count: Int) -> [SurfaceSuggestion] {
    precondition(count >= 0, "negative count: \(count)")
    let donated = donationCandidates(on: surface)
    let listed = Set(donated.map(\.subject.id))
    var confident = confidentCandidates(on: surface)
    confident.removeAll { found in
      let id = found.candidate.subject.id
      return listed.contains(id) || isSuppressed(id, on: surface)
    }
    // An app can name a widget in several shortcuts, of which the one with the most confidence is listed.
    var ids: Set<SuggestionID> = []
    let ranked = confident.enumerated().sorted {
      ($1.element.confidence, $0.offset) < ($0.element.confidence, $1.offset)
    }.filter { ids.insert($0.element.candidate.subject.id).inserted }
    return (donated.map { ($0, $0.probability) } + ranked.map(\.element)).prefix(count).map { candidate, confidence in
      SurfaceSuggestion(
        subject: candidate.subject, confidence: confidence, reason: reason(candidate.basis), until: candidate.until)
    }
  }

  private func isSuppressed(_ id: SuggestionID, on surface: SuggestionSurface) -> Bool {
    surfaces[.init(surface: surface, id: id)].suppressedUntil ?? .min > now
  }

  /// Returns the upcoming media that the app has listed, or `nil` if it has listed none.
  public func upcomingMedia(of app: AppID) -> UpcomingMedia? { surfaces.upcoming[app] }

  /// Returns how often the user acted on or dismissed the suggestion on the surface.
  public func engagement(with id: SuggestionID, on surface: SuggestionSurface) -> Engagement {
    surfaces[.init(surface: surface, id: id)].engagement
  }

  /// Returns the candidates that reach the surface's minimum confidence.
  ///
  /// Candidates superseded by another one (rule P3) are excluded even if feedback lowers the confidence of the other
  /// one below the minimum.
  private func confidentCandidates(
    on surface: SuggestionSurface
  ) -> [(candidate: SurfaceCandidate, confidence: Double)] {
    let factorMax = factorMax
    var found = candidates(on: surface).compactMap { candidate -> (candidate: SurfaceCandidate, confidence: Double)? in
      let minimum = confidenceMin(of: candidate, on: surface)
      guard candidate.probability * factorMax >= minimum, !isBlocked(candidate.subject.app) else { return nil }
      let confidence = min(1, candidate.probability * factor(candidate.subject.id, on: surface))
      return max(candidate.probability, confidence) >= minimum ? (candidate, confidence) : nil
    }
    let intents = found.enumerated().compactMap { index, found in found.candidate.predictedAction.map { (index, $0) } }
    let winners = Set(intents.map(\.1).winners(of: Array(intents.indices)).map { intents[$0].0 })
    let beaten = Set(intents.map(\.0)).subtracting(winners)
    found = found.enumerated().filter { !beaten.contains($0.offset) }.map(\.element).withoutGeneralOpenings()
    return found.filter { $0.confidence >= confidenceMin(of: $0.candidate, on: surface) }
  }

  /// The maximum factor by which feedback raises a confidence.
  var factorMax: Double { 1 / Engagement().worth(policy) }

  private func confidenceMin(of candidate: SurfaceCandidate, on surface: SuggestionSurface) -> Double {
    policy.confidenceMin(of: surface, isBackground: candidate.isBackground)
  }

  private func factor(_ id: SuggestionID, on surface: SuggestionSurface) -> Double {
    guard surface != .notifications else { return 1 }
    return surfaces.feedback[.init(surface: surface, id: id)]?.engagement.factor(policy) ?? 1
  }

  private func reason(_ basis: SurfaceCandidate.Basis) -> SurfaceSuggestion.Reason {
    switch basis {
    case .known(let reason): reason
    case .habit(let number): .habit(reasons(number))
    }
  }
}

// MARK: Feedback

extension Device {
  mutating func apply(_ outcome: SuggestionOutcome, of id: SuggestionID, on surface: SuggestionSurface) {
    surfaces.note(outcome, of: .init(surface: surface, id: id))
    guard outcome != .shown else { return }
    // A recent donation that is also a habit has the episode of its prediction.
    let candidate =
      (candidates(on: surface) + donationCandidates(on: surface)).first { $0.subject.id == id }
      ?? unlikelyAction(id, on: surface)
    if outcome == .dismissed {
      surfaces.noteDismissal(of: .init(surface: surface, id: id), at: now)
      surfaces.suppress(.init(surface: surface, id: id), until: episodeEnd(of: candidate, on: surface))
    } else if let candidate, let end = candidate.until, case .reservation = candidate.subject {
      // A reservation errand that is done is not suggested again on any surface.
      for other in SuggestionSurface.allCases where other.listsErrands {
        surfaces.suppress(.init(surface: other, id: id), until: end)
      }
    }
  }

  /// Returns when the candidate's current episode is predicted to end, at most ``dismissalMax`` from now unless its end
  /// is known.
  private func episodeEnd(of candidate: SurfaceCandidate?, on surface: SuggestionSurface) -> Instant {
    let latest = now.advanced(by: Self.dismissalMax)
    guard let candidate else { return latest }
    if let until = candidate.until { return until }
    if surface == .shortcutsGallery { return now.advanced(by: Self.frequencySpan) }
    guard let number = habit(of: candidate) else { return latest }
    let least = confidenceMin(of: candidate, on: surface) / factor(candidate.subject.id, on: surface)
    var step = nextStep(after: stepStart(of: now))
    while step < latest, forecast(at: step).probability(of: number) >= least { step = nextStep(after: step) }
    return min(step, latest)
  }

  /// Returns the learned action with an identifier that the surface could suggest at another time, or `nil`.
  private func unlikelyAction(_ id: SuggestionID, on surface: SuggestionSurface) -> SurfaceCandidate? {
    guard surface.listsLikelyActions else { return nil }
    return habits.learned.indices.lazy.map { index in
      let action = donations.actions.actions[Int(habits.learned[index].action)]
      return SurfaceCandidate(subject: .action(action), probability: 0, basis: .habit(ActionID(index)))
    }.first { $0.subject.id == id }
  }

  /// Returns the learned action that the candidate repeats, however unlikely it is now, or `nil`.
  private func habit(of candidate: SurfaceCandidate) -> ActionID? {
    switch (candidate.basis, candidate.subject) {
    case (.habit(let number), _): number
    case (.known, .action(let action)): donations.actions.index(of: action).flatMap(habits.number)
    case (.known, _): nil
    }
  }

  /// Removes feedback on suggestions whose subject no longer exists on the device (rule D5).
  mutating func removeOrphanedFeedback() {
    guard !surfaces.feedback.isEmpty else { return }
    let known = Set(everySubject.map(\.id))
    surfaces.removeFeedback { known.contains($0) }
  }
}
