import Foundation
import MarqueeClient
import MarqueeModel

/// The name by which an app deletes an activity.
public typealias NSUserActivityPersistentIdentifier = String

/// What an activity is found by.
open class CSSearchableItemAttributeSet {
  /// The searchable item that the activity belongs to.
  open var relatedUniqueIdentifier: String?

  /// Attributes of nothing yet.
  public init() {}
}

/// A state of the app that it can bring the person back to (rule D4; WWDC18 211). Becoming current donates it.
open class NSUserActivity {
  /// Names the kind of activity in its app.
  public let activityType: String
  /// What to show for it; never compared.
  open var title: String?
  /// What the app needs to restore it. The server takes what ``IntentParameterValue`` can be, with names that are
  /// strings, and refuses the rest.
  open var userInfo: [AnyHashable: Any]?
  /// The names of the values that tell one activity from another; with none, all of them do.
  open var requiredUserInfoKeys: Set<String>?
  /// Whether it may be found by searching.
  open var isEligibleForSearch = false
  /// Whether it may be predicted, which has effect only if it is eligible for search as well.
  open var isEligibleForPrediction = false
  /// The name by which the app deletes it.
  open var persistentIdentifier: NSUserActivityPersistentIdentifier?
  /// What it is found by.
  open var contentAttributeSet: CSSearchableItemAttributeSet?

  /// An activity.
  public init(activityType: String) {
    self.activityType = activityType
  }

  /// Adds to ``userInfo``.
  open func addUserInfoEntries(from other: [AnyHashable: Any]) {
    userInfo = (userInfo ?? [:]).merging(other) { $1 }
  }

  /// Donates the activity, in its turn, if it is eligible for search and prediction. What goes wrong is not told, as
  /// on the platform; ``donate()`` tells it.
  open func becomeCurrent() {
    guard isEligibleForSearch, isEligibleForPrediction else { return }
    AppConnection.perform(donation, completion: nil) { try await $1.donate([$2]) }
  }

  /// Donates the activity, in its turn.
  open func donate() async throws {
    try await AppConnection.perform(donation) { try await $1.donate([$2]) }
  }

  private func donation(on connection: AppConnection) throws -> Donation {
    Donation(
      id: try Donation.ID(UUID().uuidString), date: try Instant(connection.now(), field: "date"),
      deed: .userActivity(try model()))
  }

  private func model() throws -> UserActivity {
    let values = try (userInfo ?? [:]).map { key, value in
      guard let name = key.base as? String else {
        throw Refusal(.invalidArgument, field: "userInfo", "a key that is no string")
      }
      guard let value = try (value as? any IntentParameterValue)?.parameterValue() else {
        throw Refusal(.invalidArgument, field: "userInfo.\(name)", "a value of a type that no parameter has")
      }
      return MarqueeModel.IntentParameter(name: try .init(name), value: value)
    }
    return try UserActivity(
      type: .init(activityType), title: title, userInfo: values,
      requiredUserInfoKeys: (requiredUserInfoKeys ?? []).map { try .init($0) },
      isEligibleForSearch: isEligibleForSearch, isEligibleForPrediction: isEligibleForPrediction,
      persistentID: persistentIdentifier.map { try .init($0) },
      relatedItem: contentAttributeSet?.relatedUniqueIdentifier.map { try SearchableItemID($0) })
  }
}

extension NSUserActivity {
  /// Forgets the activities of these names, in its turn, and then calls the handler, whatever came of it.
  public static func deleteSavedUserActivities(
    withPersistentIdentifiers identifiers: [NSUserActivityPersistentIdentifier],
    completionHandler: @escaping @Sendable () -> Void
  ) {
    AppConnection.perform({ _ in try selection(identifiers) }, completion: { _ in completionHandler() }) {
      try await $1.deleteDonations($2)
    }
  }

  /// Forgets all activities that the app has donated, in its turn, and then calls the handler, whatever came of it.
  public static func deleteAllSavedUserActivities(completionHandler: @escaping @Sendable () -> Void) {
    AppConnection.perform({ _ in }, completion: { _ in completionHandler() }) { _, provider, _ in
      try await provider.deleteDonations(.userActivities)
    }
  }

  /// Forgets the activities of these names.
  public static func deleteSavedUserActivities(
    withPersistentIdentifiers identifiers: [NSUserActivityPersistentIdentifier]
  ) async throws {
    try await AppConnection.perform({ _ in try selection(identifiers) }) { try await $1.deleteDonations($2) }
  }

  private static func selection(_ identifiers: [String]) throws -> DonationSelection {
    .persistentIDs(try identifiers.map { try UserActivity.PersistentID($0) })
  }
}
