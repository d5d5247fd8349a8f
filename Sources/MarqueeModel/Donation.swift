/// What an app tells of something that the person did in it (rule D1).
public struct Donation: Hashable, Sendable {
  /// Names a donation in its app. Donated again, it replaces the earlier one (rule D6); who has no name makes one up.
  /// What was replaced is remembered no more, but stays in the journal until a deletion takes either of the two.
  public struct ID: Identifier {
    public let text: String

    public init(_ text: String) throws(Refusal) {
      try Self.checkName(text)
      self.text = text
    }
  }

  /// Names donations of an app that may be deleted together, such as all of one place.
  public struct Group: Identifier {
    public let text: String

    public init(_ text: String) throws(Refusal) {
      try Self.checkName(text)
      self.text = text
    }
  }

  /// What the person did.
  public enum Deed: Hashable, Sendable {
    /// An action that the app describes by an intent type.
    case intent(Intent)
    /// A screen of the app that the person was at.
    case userActivity(UserActivity)
    /// An action that told of reservations, such as `INGetReservationDetailsIntent` with its response (rule D8).
    case reservations(Intent, [Reservation])

    /// The intent of the action; `nil` for a user activity.
    public var intent: Intent? {
      switch self {
      case .intent(let intent), .reservations(let intent, _): intent
      case .userActivity: nil
      }
    }
  }

  /// The donation's name in its app.
  public let id: ID
  /// The group that it belongs to, if any.
  public let group: Group?
  /// When it was done.
  public let date: Instant
  /// What was done.
  public let deed: Deed

  /// A donation.
  public init(id: ID, group: Group? = nil, date: Instant, deed: Deed) {
    self.id = id
    self.group = group
    self.date = date
    self.deed = deed
  }
}

/// A state of an app that it can bring the person back to: what `NSUserActivity` is on the platform (rule D4).
public struct UserActivity: Hashable, Sendable {
  /// Names a kind of activity in its app.
  public struct ActivityType: Identifier {
    public let text: String

    public init(_ text: String) throws(Refusal) {
      try Self.checkName(text)
      self.text = text
    }
  }

  /// The name by which an app keeps track of an activity, to delete it.
  public struct PersistentID: Identifier {
    public let text: String

    public init(_ text: String) throws(Refusal) {
      try Self.checkName(text)
      self.text = text
    }
  }

  /// The activity's type.
  public let type: ActivityType
  /// What to show for it; never compared.
  public let title: String?
  /// What the app needs to restore it, in the order of the names.
  public let userInfo: [IntentParameter]
  /// The names of those values of ``userInfo`` that tell one activity from another, in their order; with none, all of
  /// them do.
  public let requiredUserInfoKeys: [IntentParameter.Name]
  /// Whether it may be found by searching.
  public let isEligibleForSearch: Bool
  /// Whether it may be predicted, which has effect only if it is eligible for search as well.
  public let isEligibleForPrediction: Bool
  /// The name by which the app deletes it, if any.
  public let persistentID: PersistentID?
  /// The searchable item that it belongs to: when that is deleted, so is the activity.
  public let relatedItem: SearchableItemID?

  /// An activity, or a refusal when a name comes twice, there are too many values, or one is over its limit.
  public init(
    type: ActivityType, title: String? = nil, userInfo: [IntentParameter] = [],
    requiredUserInfoKeys: [IntentParameter.Name] = [], isEligibleForSearch: Bool = true,
    isEligibleForPrediction: Bool = true, persistentID: PersistentID? = nil, relatedItem: SearchableItemID? = nil
  ) throws(Refusal) {
    if let size = title?.utf8.count, size > IntentValue.stringSizeMax {
      throw .over(limit: "string-size-max", maximum: IntentValue.stringSizeMax, count: size, field: "title")
    }
    guard requiredUserInfoKeys.count <= Intent.parameterCountMax else {
      throw .over(
        limit: "parameter-count-max", maximum: Intent.parameterCountMax, count: requiredUserInfoKeys.count,
        field: "required_user_info_keys")
    }
    self.type = type
    self.title = title
    self.userInfo = try IntentParameter.sorted(userInfo, field: "user_info")
    self.requiredUserInfoKeys = Set(requiredUserInfoKeys).sorted()
    self.isEligibleForSearch = isEligibleForSearch
    self.isEligibleForPrediction = isEligibleForPrediction
    self.persistentID = persistentID
    self.relatedItem = relatedItem
  }
}

/// Names an item that an app has made searchable, unique in its app.
public struct SearchableItemID: Identifier {
  public let text: String

  public init(_ text: String) throws(Refusal) {
    try Self.checkName(text)
    self.text = text
  }
}

/// Which donations are meant (rules D4, D5); each selection is of one app's, but for ``everything``.
public enum DonationSelection: Hashable, Sendable {
  /// Names in one selection, at most.
  public static let nameCountMax = 4_096

  /// Those of these names.
  case identifiers([Donation.ID])
  /// Those of the group.
  case group(Donation.Group)
  /// The user activities of these persistent names.
  case persistentIDs([UserActivity.PersistentID])
  /// The user activities that belong to the searchable item.
  case relatedItem(SearchableItemID)
  /// All user activities.
  case userActivities
  /// All intents.
  case intents
  /// All donations.
  case everything
}
