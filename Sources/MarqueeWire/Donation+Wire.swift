internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension Donation: WireValue {
  init(_ message: Marquee__V1__Donation) throws(RequestError) {
    let activity: Activity
    switch message.activity_case {
    case MARQUEE__V1__DONATION__ACTIVITY_INTENT: activity = .intent(try Field.required(message.intent, "intent"))
    case MARQUEE__V1__DONATION__ACTIVITY_USER_ACTIVITY:
      activity = .userActivity(try Field.required(message.user_activity, "user_activity"))
    case MARQUEE__V1__DONATION__ACTIVITY_RESERVATIONS:
      activity = try Donation.Activity(message.reservations, "reservations")
    case MARQUEE__V1__DONATION__ACTIVITY_RECEIVED:
      activity = .received(try Field.required(message.received, "received"))
    default: throw Field.absent("activity", of: message.base)
    }
    self.init(
      id: try Field.identifier(message.id, "id"), group: try Field.identifierIfPresent(message.group, "group"),
      date: try Field.instant(message.date_ms, "date_ms"), activity: activity,
      display: try Field.optional(message.display, "display"))
  }

  func fill(_ message: inout Marquee__V1__Donation, _ scratch: EncodeScratch) {
    message.id = scratch.text(id)
    message.group = scratch.text(group)
    message.date_ms = date.milliseconds
    message.display = scratch.message(display)
    switch activity {
    case .intent(let intent):
      message.activity_case = MARQUEE__V1__DONATION__ACTIVITY_INTENT
      message.intent = scratch.message(intent)
    case .userActivity(let activity):
      message.activity_case = MARQUEE__V1__DONATION__ACTIVITY_USER_ACTIVITY
      message.user_activity = scratch.message(activity)
    case .reservations(let intent, let reservations):
      message.activity_case = MARQUEE__V1__DONATION__ACTIVITY_RESERVATIONS
      message.reservations = scratch.details(intent, reservations)
    case .received(let intent):
      message.activity_case = MARQUEE__V1__DONATION__ACTIVITY_RECEIVED
      message.received = scratch.message(intent)
    }
  }
}

extension DonationSelection: WireValue {
  init(_ message: Marquee__V1__DonationSelection) throws(RequestError) {
    switch message.selection_case {
    case MARQUEE__V1__DONATION_SELECTION__SELECTION_IDENTIFIERS:
      self = .identifiers(try Self.names(message.identifiers, "identifiers"))
    case MARQUEE__V1__DONATION_SELECTION__SELECTION_GROUP:
      self = .group(try Field.identifier(message.group, "group"))
    case MARQUEE__V1__DONATION_SELECTION__SELECTION_PERSISTENT_IDS:
      self = .persistentIDs(try Self.names(message.persistent_ids, "persistent_ids"))
    case MARQUEE__V1__DONATION_SELECTION__SELECTION_RELATED_ITEM:
      self = .relatedItem(try Field.identifier(message.related_item, "related_item"))
    case MARQUEE__V1__DONATION_SELECTION__SELECTION_USER_ACTIVITIES:
      try Field.selector(message.user_activities, "user_activities")
      self = .userActivities
    case MARQUEE__V1__DONATION_SELECTION__SELECTION_INTENTS:
      try Field.selector(message.intents, "intents")
      self = .intents
    case MARQUEE__V1__DONATION_SELECTION__SELECTION_EVERYTHING:
      try Field.selector(message.everything, "everything")
      self = .everything
    case MARQUEE__V1__DONATION_SELECTION__SELECTION_RELATED_ITEMS:
      self = .relatedItems(try Self.names(message.related_items, "related_items"))
    case MARQUEE__V1__DONATION_SELECTION__SELECTION_ALL_RELATED_ITEMS:
      try Field.selector(message.all_related_items, "all_related_items")
      self = .allRelatedItems
    case MARQUEE__V1__DONATION_SELECTION__SELECTION_INTENT_TYPE:
      self = .intentType(try Field.identifier(message.intent_type, "intent_type"))
    default: throw Field.absent("selection", of: message.base)
    }
  }

  private static func names<ID: Identifier>(
    _ pointer: UnsafeMutablePointer<Marquee__V1__DonationNames>?, _ name: String
  ) throws(RequestError) -> [ID] {
    guard let names = pointer?.pointee else { throw Field.absent(name) }
    guard names.n_names <= Self.nameCountMax else {
      throw .over(limit: "name-count-max", maximum: Self.nameCountMax, count: names.n_names, field: name)
    }
    return try Field.within(name, Field.identifiers(names.n_names, names.names, "names"))
  }

  func fill(_ message: inout Marquee__V1__DonationSelection, _ scratch: EncodeScratch) {
    switch self {
    case .identifiers(let names):
      message.selection_case = MARQUEE__V1__DONATION_SELECTION__SELECTION_IDENTIFIERS
      message.identifiers = scratch.names(names)
    case .group(let group):
      message.selection_case = MARQUEE__V1__DONATION_SELECTION__SELECTION_GROUP
      message.group = scratch.text(group)
    case .persistentIDs(let names):
      message.selection_case = MARQUEE__V1__DONATION_SELECTION__SELECTION_PERSISTENT_IDS
      message.persistent_ids = scratch.names(names)
    case .relatedItem(let item):
      message.selection_case = MARQUEE__V1__DONATION_SELECTION__SELECTION_RELATED_ITEM
      message.related_item = scratch.text(item)
    case .userActivities:
      message.selection_case = MARQUEE__V1__DONATION_SELECTION__SELECTION_USER_ACTIVITIES
      message.user_activities = 1
    case .intents:
      message.selection_case = MARQUEE__V1__DONATION_SELECTION__SELECTION_INTENTS
      message.intents = 1
    case .everything:
      message.selection_case = MARQUEE__V1__DONATION_SELECTION__SELECTION_EVERYTHING
      message.everything = 1
    case .relatedItems(let items):
      message.selection_case = MARQUEE__V1__DONATION_SELECTION__SELECTION_RELATED_ITEMS
      message.related_items = scratch.names(items)
    case .allRelatedItems:
      message.selection_case = MARQUEE__V1__DONATION_SELECTION__SELECTION_ALL_RELATED_ITEMS
      message.all_related_items = 1
    case .intentType(let type):
      message.selection_case = MARQUEE__V1__DONATION_SELECTION__SELECTION_INTENT_TYPE
      message.intent_type = scratch.text(type)
    }
  }
}

extension EncodeScratch {
  fileprivate func names(_ names: [some Identifier]) -> UnsafeMutablePointer<Marquee__V1__DonationNames> {
    build { ($0.n_names, $0.names) = elements(names) { text($0) } }
  }
}
