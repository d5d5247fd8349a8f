/// A record of something that the user did in an app (rule D1).
public struct Donation: Hashable, Sendable {
  /// The maximum number of received interactions of an app that a device keeps, and of a call. New ones beyond it
  /// replace the oldest stored ones (rule D9).
  public static let receivedCountMax = 256
  /// The time by which a donation's date can be ahead of the device's time, since the clocks of an app and the server
  /// differ. Such a donation is dated at the device's time.
  public static let clockDifferenceMax = TimeSpan.minutes(1)

  /// A donation's identifier, unique in its app.
  ///
  /// A donation replaces an earlier one with the same identifier (rule D6); an app without identifiers of its own can
  /// use random ones. The replaced donation no longer affects predictions, but remains in the journal until either of
  /// the two is deleted.
  public struct ID: Identifier {
    public let text: String

    public init(_ text: String) throws(RequestError) {
      try Self.checkName(text)
      self.text = text
    }
  }

  /// The identifier of a group of an app's donations that can be deleted together, such as all for one place.
  public struct Group: Identifier {
    public let text: String

    public init(_ text: String) throws(RequestError) {
      try Self.checkName(text)
      self.text = text
    }
  }

  /// The activity that was donated.
  public enum Activity: Hashable, Sendable {
    /// An action, described by an intent.
    case intent(Intent)
    /// A screen of the app that the user visited.
    case userActivity(UserActivity)
    /// An action that carries reservations, such as `INGetReservationDetailsIntent` with its response (rule D8).
    case reservations(Intent, [Reservation])
    /// An interaction that the user received, such as a message from another person. It is not an action of the user
    /// (rule D9).
    case received(Intent)

    /// The intent of the user's action; `nil` for a user activity and for a received interaction.
    public var intent: Intent? {
      switch self {
      case .intent(let intent), .reservations(let intent, _): intent
      case .userActivity, .received: nil
      }
    }

    /// The intent, whether the user performed or received it; `nil` for a user activity.
    public var interaction: Intent? { if case .received(let intent) = self { intent } else { intent } }

    /// Whether the user received the interaction.
    public var isReceived: Bool { if case .received = self { true } else { false } }
  }

  /// The donation's identifier in its app.
  public let id: ID
  /// The donation's group, if any.
  public let group: Group?
  /// When the user did it.
  public private(set) var date: Instant
  /// The activity.
  public let activity: Activity
  /// The app's own representation of it, in place of that of the intent type (rule X2).
  public let display: DonationDisplay?

  /// Creates a donation.
  public init(id: ID, group: Group? = nil, date: Instant, activity: Activity, display: DonationDisplay? = nil) {
    self.id = id
    self.group = group
    self.date = date
    self.activity = activity
    self.display = display
  }

  /// An activity with its representation, which donations can share.
  public struct Content: Hashable, Sendable {
    /// The activity.
    public let activity: Activity
    /// The app's own representation of it, if any.
    public let display: DonationDisplay?

    /// Creates a content.
    public init(activity: Activity, display: DonationDisplay? = nil) {
      self.activity = activity
      self.display = display
    }
  }

  /// Returns the donation, dated at an instant if its own date is later.
  public func dated(atMost instant: Instant) -> Donation {
    var copy = self
    copy.date = min(date, instant)
    return copy
  }

  /// The activity with its representation.
  public var content: Content { Content(activity: activity, display: display) }
}

/// An app state that the app can restore, corresponding to `NSUserActivity` (rule D4).
public struct UserActivity: Hashable, Sendable {
  /// A type of activity, unique in its app.
  public struct ActivityType: Identifier {
    public let text: String

    public init(_ text: String) throws(RequestError) {
      try Self.checkName(text)
      self.text = text
    }
  }

  /// The identifier by which an app can delete an activity.
  public struct PersistentID: Identifier {
    public let text: String

    public init(_ text: String) throws(RequestError) {
      try Self.checkName(text)
      self.text = text
    }
  }

  /// The activity's type.
  public let type: ActivityType
  /// The title to show; not part of the action's identity.
  public let title: String?
  /// The values that the app needs to restore the state, ordered by name.
  public private(set) var userInfo: [IntentParameter]
  /// The names of the ``userInfo`` values that distinguish the activity from others, in order. If empty, all values do.
  public let requiredUserInfoKeys: [IntentParameter.Name]
  /// Whether the activity appears in search.
  public let isEligibleForSearch: Bool
  /// Whether the activity can be predicted. Has no effect unless it is also eligible for search.
  public let isEligibleForPrediction: Bool
  /// The identifier by which the app can delete its donations, if any.
  public private(set) var persistentID: PersistentID?
  /// The searchable item that it belongs to; deleting the item deletes donations of the activity.
  public private(set) var relatedItem: SearchableItemID?

  /// Creates a user activity.
  ///
  /// - Throws: ``RequestError`` if a name is duplicated, or a count or a size exceeds its limit.
  public init(
    type: ActivityType, title: String? = nil, userInfo: [IntentParameter] = [],
    requiredUserInfoKeys: [IntentParameter.Name] = [], isEligibleForSearch: Bool = true,
    isEligibleForPrediction: Bool = true, persistentID: PersistentID? = nil, relatedItem: SearchableItemID? = nil
  ) throws(RequestError) {
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

  /// The activity as displays receive it: with its identity and its title, without the other values.
  public var listed: UserActivity {
    var listed = self
    listed.userInfo = identifyingValues ?? userInfo
    listed.persistentID = nil
    listed.relatedItem = nil
    return listed
  }
}

/// The identifier of an item that an app has made searchable, unique in its app.
public struct SearchableItemID: Identifier {
  public let text: String

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    self.text = text
  }
}

/// A selection of donations to delete (rules D4, D5). Each is limited to one app's donations, except ``everything``,
/// which can cover all apps.
public enum DonationSelection: Hashable, Sendable {
  /// The maximum number of identifiers in a selection.
  public static let nameCountMax = 4_096

  /// The donations with these identifiers.
  case identifiers([Donation.ID])
  /// The donations of a group.
  case group(Donation.Group)
  /// The user activities with these persistent identifiers.
  case persistentIDs([UserActivity.PersistentID])
  /// The user activities that belong to a searchable item.
  case relatedItem(SearchableItemID)
  /// The user activities that belong to one of these searchable items.
  case relatedItems([SearchableItemID])
  /// The user activities that belong to any searchable item.
  case allRelatedItems
  /// The intents of a type, performed or received.
  case intentType(IntentType)
  /// All user activities.
  case userActivities
  /// All intents.
  case intents
  /// All donations.
  case everything

  /// The number of identifiers to look up, at most ``nameCountMax``.
  package var nameCount: Int {
    switch self {
    case .identifiers(let names): names.count
    case .persistentIDs(let names): names.count
    case .relatedItems(let items): items.count
    case .group, .relatedItem, .allRelatedItems, .userActivities, .intents, .intentType, .everything: 0
    }
  }
}
