import MarqueeModel

extension DonationSelection {
  /// Whether it selects a donation of an app, whatever was deleted or replaced before.
  func covers(_ donation: Donation) -> Bool {
    switch self {
    case .identifiers(let names): names.contains(donation.id)
    case .group(let group): donation.group == group
    case .persistentIDs, .relatedItem, .userActivities, .intents, .everything: covers(donation.deed)
    }
  }

  /// Whether it selects by what was done, and selects that.
  func covers(_ deed: Donation.Deed) -> Bool {
    switch (self, deed) {
    case (.persistentIDs(let names), .userActivity(let activity)):
      activity.persistentID.map(names.contains) ?? false
    case (.relatedItem(let item), .userActivity(let activity)): activity.relatedItem == item
    case (.userActivities, .userActivity), (.intents, .intent), (.intents, .reservations), (.everything, _): true
    case (.identifiers, _), (.group, _), (.persistentIDs, _), (.relatedItem, _), (.userActivities, _), (.intents, _):
      false
    }
  }
}

extension DonationLog {
  /// Says of a record whether `selection` among the donations of `app`, or of all, selects it in
  /// the log as it is now.
  func selector(_ selection: DonationSelection, of app: AppID?) -> (DonationRecord) -> Bool {
    let apps = contents.values.map { app == nil || $0.app == app }
    switch selection {
    case .identifiers(let names):
      let identities = Set(names.map(DonationIdentity.init))
      return { apps[Int($0.content)] && identities.contains($0.identity) }
    case .group(let group):
      guard let index = groups.index(of: group) else { return { _ in false } }
      return { apps[Int($0.content)] && $0.group == index + 1 }
    case .persistentIDs, .relatedItem, .userActivities, .intents, .everything:
      let covered = zip(contents.values, apps).map { content, isMeant in
        do {
          return try isMeant && (selection == .everything || selection.covers(content.decodedDeed()))
        } catch {
          preconditionFailure("what was written cannot be read: \(error)")
        }
      }
      return { covered[Int($0.content)] }
    }
  }
}
