import MarqueeModel

extension DonationSelection {
  /// Whether the selection matches a donation, regardless of earlier deletions and replacements.
  func covers(_ donation: Donation) -> Bool {
    switch self {
    case .identifiers(let names): names.contains(donation.id)
    case .group(let group): donation.group == group
    case .persistentIDs, .relatedItem, .relatedItems, .allRelatedItems, .userActivities, .intents, .intentType,
      .everything:
      covers(donation.activity)
    }
  }

  /// Whether the selection matches by activity, and matches this one.
  func covers(_ activity: Donation.Activity) -> Bool {
    switch (self, activity) {
    case (.persistentIDs(let names), .userActivity(let activity)):
      activity.persistentID.map(names.contains) ?? false
    case (.relatedItem(let item), .userActivity(let activity)): activity.relatedItem == item
    case (.relatedItems(let items), .userActivity(let activity)): activity.relatedItem.map(items.contains) ?? false
    case (.allRelatedItems, .userActivity(let activity)): activity.relatedItem != nil
    case (.intentType(let type), _): activity.interaction?.type == type
    case (.intents, _): activity.interaction != nil
    case (.userActivities, .userActivity), (.everything, _): true
    case (.identifiers, _), (.group, _), (.persistentIDs, _), (.relatedItem, _), (.relatedItems, _),
      (.allRelatedItems, _), (.userActivities, _):
      false
    }
  }
}

extension DonationLog {
  /// Returns a predicate for the records of the log that `selection` matches among the donations of one app, or of all.
  ///
  /// The predicate is valid until the log changes.
  func selector(_ selection: DonationSelection, of app: AppID?) -> (DonationRecord) -> Bool {
    let apps = contents.values.map { app == nil || $0.app == app }
    switch selection {
    case .identifiers(let names):
      // An earlier release stored UUIDs as hashes too.
      let identities = Set(
        names.map { DonationIdentity.make($0).identity } + names.map(DonationIdentity.init(hashing:)))
      return { apps[Int($0.content)] && identities.contains($0.identity) }
    case .group(let group):
      guard let index = groups.index(of: group) else { return { _ in false } }
      return { apps[Int($0.content)] && $0.group == index + 1 }
    case .persistentIDs, .relatedItem, .relatedItems, .allRelatedItems, .userActivities, .intents, .intentType,
      .everything:
      let items: Set<SearchableItemID> = if case .relatedItems(let names) = selection { Set(names) } else { [] }
      let covered = zip(contents.values, apps).map { content, isInScope in
        do {
          guard isInScope, selection != .everything else { return isInScope }
          let activity = try content.decoded().activity
          guard case .relatedItems = selection else { return selection.covers(activity) }
          guard case .userActivity(let visited) = activity else { return false }
          return visited.relatedItem.map(items.contains) ?? false
        } catch {
          preconditionFailure("cannot decode a stored activity: \(error)")
        }
      }
      return { covered[Int($0.content)] }
    }
  }
}
