import MarqueeModel

/// The recent donations that surfaces list in developer mode (rule S12).
extension Device {
  /// Returns the actions of the latest donations, newest first and each once, if the surface lists donations now.
  ///
  /// An action that the user dismissed on the surface returns with its next donation. Actions of blocked apps, and
  /// those that may not be suggested, are not returned.
  func donationCandidates(on surface: SuggestionSurface) -> [SurfaceCandidate] {
    guard isDeveloperModeOn, surface.listsDonations else { return [] }
    var seen: Set<UInt32> = []
    return donations.records.newestFirst.prefix(Self.recentDonationCountMax).compactMap { record in
      guard let action = mostSpecificAction(of: record), seen.insert(action).inserted else { return nil }
      let subject = SurfaceSuggestion.Subject.action(donations.actions.actions[Int(action)])
      let dismissal = surfaces[.init(surface: surface, id: subject.id)].dismissedAt
      guard dismissal.map({ $0 < record.date }) ?? true, mayList(subject) else { return nil }
      return SurfaceCandidate(
        subject: subject, probability: 1, basis: .known(.donated(at: record.date)),
        isBackground: donations.actions.isBackground[Int(action)])
    }
  }

  private func mayList(_ subject: SurfaceSuggestion.Subject) -> Bool {
    if case .action(let action) = subject, action.isAppOpening { return false }
    guard isDiscoverable(subject), !isBlocked(subject.app) else { return false }
    guard case .action(.intent(let app, let intent)) = subject, intent.type == .playMedia else { return true }
    return surfaces.upcoming[app]?.mode != .onlySuggested
  }

  /// Returns the action with the most parameters that the record counts as, preferably one that runs in the background.
  private func mostSpecificAction(of record: DonationRecord) -> UInt32? {
    donations.actions.entries[Int(record.content)].max { left, right in
      func rank(_ entry: ActionTable.Entry) -> Int {
        2 * donations.actions.actions[Int(entry.action)].parameters.count + (entry.isBackground ? 1 : 0)
      }
      return (rank(left), right.action) < (rank(right), left.action)
    }?.action
  }
}
