import MarqueeModel

/// What surfaces suggest (rule P6): a function of the device and of ``now`` alone, so that no surface is woken for it.
extension Device {
  /// How long a dismissed suggestion stays away at most, where nothing says when its episode ends.
  public static var dismissalMax: TimeSpan { .hours(12) }

  /// The `count` suggestions of which the engine is most confident on that surface, best first, and none below the
  /// surface's bar. Of two alike, what is certain comes before habits, and what was learned or listed first before the
  /// rest.
  ///
  /// What the person did with a suggestion there scales its confidence (rule R11); what was dismissed there stays away
  /// for the episode. Apps that the person does not want suggested give none (rule U1).
  public func suggestions(on surface: SuggestionSurface, count: Int) -> [SurfaceSuggestion] {
    precondition(count >= 0, "\(count) suggestions")
    var confident = confidentCandidates(on: surface)
    confident.removeAll { surfaces[.init(surface: surface, id: $0.candidate.subject.id)].silentUntil ?? .min > now }
    let ranked = confident.enumerated().sorted {
      ($1.element.confidence, $0.offset) < ($0.element.confidence, $1.offset)
    }
    return ranked.prefix(count).map(\.element).map { candidate, confidence in
      SurfaceSuggestion(
        subject: candidate.subject, confidence: confidence, reason: reason(candidate.basis), until: candidate.until)
    }
  }

  /// What the app has next for the person to play; `nil` when it has never listed anything, or nothing any more.
  public func upcomingMedia(of app: AppID) -> UpcomingMedia? { surfaces.upcoming[app] }

  /// What the person did with a suggestion on a surface (rule R11).
  public func engagement(with id: SuggestionID, on surface: SuggestionSurface) -> Engagement {
    surfaces[.init(surface: surface, id: id)].engagement
  }

  /// The candidates that pass the surface's bar, those that another takes the place of left out (rule P3): also where
  /// the other one passes it no more because of what the person did with it.
  private func confidentCandidates(
    on surface: SuggestionSurface
  ) -> [(candidate: SurfaceCandidate, confidence: Double)] {
    let bar = policy.bar(of: surface)
    let factorMax = 1 / Engagement().worth(policy)
    var found = candidates(on: surface).compactMap { candidate -> (candidate: SurfaceCandidate, confidence: Double)? in
      guard candidate.probability * factorMax >= bar, !book.blockedApps.contains(candidate.subject.app) else {
        return nil
      }
      let confidence = min(1, candidate.probability * factor(candidate.subject.id, on: surface))
      return max(candidate.probability, confidence) >= bar ? (candidate, confidence) : nil
    }
    let intents = found.enumerated().compactMap { index, found in found.candidate.predictedAction.map { (index, $0) } }
    let winners = Set(intents.map(\.1).winnerIndices.map { intents[$0].0 })
    let beaten = Set(intents.map(\.0)).subtracting(winners)
    found = found.enumerated().filter { !beaten.contains($0.offset) }.map(\.element)
    return found.filter { $0.confidence >= bar }
  }

  private func factor(_ id: SuggestionID, on surface: SuggestionSurface) -> Double {
    surfaces.feedback[.init(surface: surface, id: id)]?.engagement.factor(policy) ?? 1
  }

  private func reason(_ basis: SurfaceCandidate.Basis) -> SurfaceSuggestion.Reason {
    switch basis {
    case .known(let reason): reason
    case .habit(let number): .habit(reasons(number))
    }
  }
}

// MARK: What the person does with suggestions

extension Device {
  mutating func take(_ outcome: SuggestionOutcome, of id: SuggestionID, on surface: SuggestionSurface) {
    surfaces.note(outcome, of: .init(surface: surface, id: id))
    guard outcome != .shown else { return }
    let candidate = candidates(on: surface).first { $0.subject.id == id }
    if outcome == .dismissed {
      surfaces.silence(.init(surface: surface, id: id), until: episodeEnd(of: candidate, on: surface))
    } else if let candidate, let end = candidate.until, case .reservation = candidate.subject {
      // What was done about a reservation need not be done again, wherever it was suggested.
      for other in SuggestionSurface.allCases where other.takesActions {
        surfaces.silence(.init(surface: other, id: id), until: end)
      }
    }
  }

  /// When the episode ends in which the candidate is suggested now, as far as that can be foreseen.
  private func episodeEnd(of candidate: SurfaceCandidate?, on surface: SuggestionSurface) -> Instant {
    let latest = now.advanced(by: Self.dismissalMax)
    guard let candidate else { return latest }
    if let until = candidate.until { return until }
    if surface == .shortcutsGallery { return now.advanced(by: Self.frequencySpan) }
    guard case .habit(let number) = candidate.basis else { return latest }
    let least = policy.bar(of: surface) / factor(candidate.subject.id, on: surface)
    var step = nextStep(after: stepStart(of: now))
    while step < latest, forecast(at: step).probability(of: number) >= least { step = nextStep(after: step) }
    return min(step, latest)
  }

  /// Forgets what the person did with suggestions that nothing on the device is about any more (rule D5).
  mutating func forgetFeedback() {
    guard !surfaces.feedback.isEmpty else { return }
    let known = Set(everySubject.map(\.id))
    surfaces.forgetFeedback { known.contains($0) }
  }
}
