import MarqueeModel

/// The use of apps as learned activity (rule P8).
extension Device {
  /// Returns the donation that an event implies: the opening of an app counts as an activity of the user in it.
  ///
  /// Openings of apps that have nothing on the device are not learned: such apps cannot be suggested.
  ///
  /// - Parameter event: A valid event, at the device's present.
  /// - Returns: The event to check and handle after `event`, or `nil`. If its check fails, the opening is not learned.
  public func donation(impliedBy event: Event) -> Event? {
    guard case .reported(.appOpened(let app)) = event, learnsOpenings(of: app) else { return nil }
    return .donated(app, [Donation(openingAt: now, of: app)])
  }

  /// Whether openings of the app are learned.
  func learnsOpenings(of app: AppID) -> Bool { appsWithAnything.contains(app) }
}

extension [(candidate: SurfaceCandidate, confidence: Double)] {
  /// Returns the candidates without openings of apps that have an action at least half as likely.
  ///
  /// Opening an app is the least specific action in it, and is part of most others (rule P3).
  func withoutGeneralOpenings() -> Self {
    guard contains(where: \.candidate.isAppOpening) else { return self }
    var best: [AppID: Double] = [:]
    for (candidate, _) in self where candidate.isAction && !candidate.isAppOpening {
      best[candidate.subject.app, default: 0] = Swift.max(best[candidate.subject.app] ?? 0, candidate.probability)
    }
    return filter { !$0.candidate.isAppOpening || 2 * (best[$0.candidate.subject.app] ?? 0) < $0.candidate.probability }
  }
}

extension SurfaceCandidate {
  fileprivate var isAction: Bool { if case .action = subject { true } else { false } }

  /// Whether the candidate is the opening of an app.
  var isAppOpening: Bool { if case .action(let action) = subject { action.isAppOpening } else { false } }
}
