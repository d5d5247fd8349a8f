import MarqueeModel

/// The rule by which a selection matches donations, regardless of earlier deletions and replacements.
///
/// The identifiers of the selection are sets: many donations are looked up, and the selection may be long.
struct DonationSelector: Sendable {
  private let selection: DonationSelection
  private let identifiers: Set<Donation.ID>
  private let persistentIDs: Set<UserActivity.PersistentID>
  private let relatedItems: Set<SearchableItemID>

  init(_ selection: DonationSelection) {
    self.selection = selection
    identifiers = if case .identifiers(let names) = selection { Set(names) } else { [] }
    persistentIDs = if case .persistentIDs(let names) = selection { Set(names) } else { [] }
    relatedItems = if case .relatedItems(let items) = selection { Set(items) } else { [] }
  }

  /// Whether the selection matches a donation.
  func matches(_ donation: Donation) -> Bool {
    switch selection {
    case .identifiers: identifiers.contains(donation.id)
    case .group(let group): donation.group == group
    case .persistentIDs, .relatedItem, .relatedItems, .allRelatedItems, .userActivities, .intents, .intentType,
      .everything:
      matches(donation.activity)
    }
  }

  /// Whether the selection matches by activity, and matches this one.
  func matches(_ activity: Donation.Activity) -> Bool {
    switch (selection, activity) {
    case (.persistentIDs, .userActivity(let activity)): activity.persistentID.map(persistentIDs.contains) ?? false
    case (.relatedItem(let item), .userActivity(let activity)): activity.relatedItem == item
    case (.relatedItems, .userActivity(let activity)): activity.relatedItem.map(relatedItems.contains) ?? false
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
    case .everything:
      return { apps[Int($0.content)] }
    case .persistentIDs, .relatedItem, .relatedItems, .allRelatedItems, .userActivities, .intents, .intentType:
      let selector = DonationSelector(selection)
      let matched = apps.indices.map { apps[$0] && selector.matches(content(at: UInt32($0)).activity) }
      return { matched[Int($0.content)] }
    }
  }
}
