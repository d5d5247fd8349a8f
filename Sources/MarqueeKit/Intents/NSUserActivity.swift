public import Foundation
import MarqueeClient
import MarqueeModel

/// An identifier by which an app deletes an activity.
public typealias NSUserActivityPersistentIdentifier = String

/// A state of the app that it can restore later. Calling ``becomeCurrent()`` donates it.
open class NSUserActivity {
  /// The type of the activity, unique in the app.
  public let activityType: String
  /// The title to display. It does not take part in comparison.
  open var title: String?
  /// The values needed to restore the state. Keys must be strings, and values must conform to ``IntentParameterValue``;
  /// others are rejected.
  open var userInfo: [AnyHashable: Any]?
  /// The keys of the values that identify the activity. If empty, all values do.
  open var requiredUserInfoKeys: Set<String>?
  /// Whether the activity can be continued on another device. It has no effect: the server has no Handoff.
  open var isEligibleForHandoff = true
  /// Whether the activity is eligible for search.
  open var isEligibleForSearch = false
  /// Whether the activity is eligible for prediction. Requires ``isEligibleForSearch``.
  open var isEligibleForPrediction = false
  /// The identifier by which the app deletes the activity.
  open var persistentIdentifier: NSUserActivityPersistentIdentifier?
  /// The searchable attributes.
  open var contentAttributeSet: CSSearchableItemAttributeSet?
  /// The suggested phrase for voice invocation. It is not sent to the server.
  open var suggestedInvocationPhrase: String?
  /// The link of the tapped content of a widget, if the app has no handler of links. It is not donated.
  open var webpageURL: URL?
  /// The intent to continue, or that configures the tapped widget; `nil` if there is none, or if it is no ``INIntent``
  /// of the host's kinds and handlers. With a ``person`` or a ``reservationErrand``, it describes a past action.
  public internal(set) var interaction: INInteraction?
  /// The person with whom the user shares; `nil` unless they selected a suggested person.
  public internal(set) var person: INPerson?
  /// The errand of a reservation; `nil` unless the user acted on one.
  public internal(set) var reservationErrand: ReservationErrand?
  /// The configuration of the tapped widget, or the intent to continue, as the app declares it.
  var widgetConfiguration: (any Sendable)?

  /// Creates an activity.
  public init(activityType: String) {
    self.activityType = activityType
  }

  /// Adds entries to ``userInfo``, replacing existing keys.
  open func addUserInfoEntries(from other: [AnyHashable: Any]) {
    userInfo = (userInfo ?? [:]).merging(other) { $1 }
  }

  /// Donates the activity, in call order, if it is eligible for search and prediction.
  ///
  /// Errors are not reported, as in Foundation; ``donate()`` throws them.
  open func becomeCurrent() {
    guard isEligibleForSearch, isEligibleForPrediction else { return }
    AppConnection.perform(donation, completion: nil) { try await $1.donate([$2]) }
  }

  /// Donates the activity, in call order. The donation is durable when this returns.
  open func donate() async throws {
    try await AppConnection.perform(donation) { try await $1.donate([$2]) }
  }

  private func donation(on connection: AppConnection) throws -> Donation {
    Donation(
      id: try Donation.ID(UUID().uuidString), date: try Instant(connection.now(), field: "date"),
      activity: .userActivity(try model()))
  }

  func model() throws -> UserActivity {
    let values = try (userInfo ?? [:]).map { key, value in
      guard let name = key.base as? String else {
        throw RequestError(.invalidArgument, field: "userInfo", "key is not a string")
      }
      guard let value = try (value as? any IntentParameterValue)?.parameterValue() else {
        throw RequestError(.invalidArgument, field: "userInfo.\(name)", "unsupported value type")
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
  /// Deletes the activities with these persistent identifiers, in call order, and then calls the handler, also after an
  /// error.
  public static func deleteSavedUserActivities(
    withPersistentIdentifiers identifiers: [NSUserActivityPersistentIdentifier],
    completionHandler: @escaping @Sendable () -> Void
  ) {
    AppConnection.perform({ _ in try selection(identifiers) }, completion: { _ in completionHandler() }) {
      try await $1.deleteDonations($2)
    }
  }

  /// Deletes all activities that the app has donated, in call order, and then calls the handler, also after an error.
  public static func deleteAllSavedUserActivities(completionHandler: @escaping @Sendable () -> Void) {
    AppConnection.perform({ _ in }, completion: { _ in completionHandler() }) { _, provider, _ in
      try await provider.deleteDonations(.userActivities)
    }
  }

  /// Deletes the activities with these persistent identifiers.
  public static func deleteSavedUserActivities(
    withPersistentIdentifiers identifiers: [NSUserActivityPersistentIdentifier]
  ) async throws {
    try await AppConnection.perform({ _ in try selection(identifiers) }) { try await $1.deleteDonations($2) }
  }

  private static func selection(_ identifiers: [String]) throws -> DonationSelection {
    .persistentIDs(try identifiers.map { try UserActivity.PersistentID($0) })
  }
}
