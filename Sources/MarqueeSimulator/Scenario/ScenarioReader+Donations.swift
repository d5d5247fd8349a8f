import MarqueeModel
import MarqueeScheduler
import MarqueeYAML

extension ScenarioReader {
  /// Reads an event about donations; an empty value instead of an app means all apps.
  func donationEvent(
    _ verb: ScenarioVerb, _ object: YAMLNode, _ fields: inout YAMLFields, at: Instant
  ) throws(YAMLError) -> Event {
    let app = object.isNull || verb == .utcOffsets ? nil : try self.app(object)
    switch verb {
    case .donate:
      guard let app else { throw object.error("expected an app") }
      let donations = try fields.require("donations").list("a list of donations") { (node) throws(YAMLError) in
        try donation(node, at: at)
      }
      return .donated(app, donations)
    case .deleteDonations: return .donationsDeleted(app, try selection(&fields))
    case .redactDonations: return .donationsRedacted(app)
    case .trimDonations:
      let received = fields.read("kept-received")
      let kept = if let received { received } else { try fields.require("kept") }
      let count = try whole(kept)
      guard count >= 0 else { throw kept.error("expected 0 or more") }
      return .donationsTrimmed(app, keeping: count, onlyReceived: received != nil)
    case .utcOffsets: return .utcOffsetsLearned(try offsets(object, &fields))
    default: preconditionFailure("\(verb) is not about donations")
    }
  }

  /// Reads a donation: a mapping with an identifier and an activity. The date defaults to the event's.
  private func donation(_ node: YAMLNode, at: Instant) throws(YAMLError) -> Donation {
    var fields = try node.fields("a donation: a mapping with the keys id, and intent, received or activity")
    let id = try fields.require("id").value("a donation's name", Donation.ID.init)
    let group = try fields.read("group")?.value("a group", Donation.Group.init)
    let date = try fields.read("date").map(self.date) ?? at
    let activity: Donation.Activity
    if let node = fields.read("activity") {
      activity = .userActivity(try userActivity(node))
    } else if let node = fields.read("received") {
      activity = .received(try donatedIntent(node))
    } else {
      let intent = try donatedIntent(try fields.require("intent"))
      let reservations = try fields.read("reservations")?.list("a list of reservations", reservation)
      activity = reservations.map { .reservations(intent, $0) } ?? .intent(intent)
    }
    let display = try fields.read("display").map(donationDisplay)
    try fields.rejectUnreadKeys()
    return Donation(id: id, group: group, date: date, activity: activity, display: display)
  }

  /// Reads an app's own representation of a donation.
  private func donationDisplay(_ node: YAMLNode) throws(YAMLError) -> DonationDisplay {
    var fields = try node.fields("a mapping with the keys title, subtitle and image")
    let title = try fields.require("title").text("a title")
    let subtitle = try fields.read("subtitle")?.text("a second line") ?? ""
    let image = try fields.read("image")?.text("an image key") ?? ""
    try fields.rejectUnreadKeys()
    return try node.checked { () throws(RequestError) in
      try DonationDisplay(title: title, subtitle: subtitle, imageKey: image)
    }
  }

  /// Reads `TYPE(PARAMETER=VALUE, …)`, or the long form as a mapping.
  func donatedIntent(_ node: YAMLNode) throws(YAMLError) -> Intent {
    if node.kind == .mapping { return try intent(node) }
    return try node.value("an intent such as OrderSoup(soup=object:tomato)") { (text) throws(RequestError) in
      try Intent(text: text)
    }
  }

  private func reservation(_ node: YAMLNode) throws(YAMLError) -> Reservation {
    var fields = try node.fields("a reservation: a mapping with the keys item and start")
    let itemNode = try fields.require("item")
    guard case .object(let item) = try value(itemNode) else { throw itemNode.error("expected an object") }
    let (start, end) = (try date(try fields.require("start")), try fields.read("end").map(date))
    let (place, checkIn) = (try fields.read("place").map(place), try fields.read("check-in").map(window))
    let travelTime = try fields.read("travel-time").map(self.span)
    try fields.rejectUnreadKeys()
    return try node.checked { () throws(RequestError) in
      try Reservation(item: item, start: start, end: end, place: place, checkIn: checkIn, travelTime: travelTime)
    }
  }

  func userActivity(_ node: YAMLNode) throws(YAMLError) -> UserActivity {
    var fields = try node.fields("a user activity: a mapping with the keys type, info and required")
    let type = try fields.require("type").value("an activity type", UserActivity.ActivityType.init)
    let title = try fields.read("title")?.text("a title")
    let info = try fields.read("info").map(parameters) ?? []
    let required = try fields.read("required")?.list("a list of names") { (name) throws(YAMLError) in
      try name.value("a name", IntentParameter.Name.init)
    }
    let isSearchable = try fields.read("search").map(isOn) ?? true
    let isPredictable = try fields.read("prediction").map(isOn) ?? true
    let persistent = try fields.read("persistent-id")?.value("a persistent name", UserActivity.PersistentID.init)
    let related = try fields.read("related-item")?.value("a searchable item", SearchableItemID.init)
    try fields.rejectUnreadKeys()
    return try node.checked { () throws(RequestError) in
      try UserActivity(
        type: type, title: title, userInfo: info, requiredUserInfoKeys: required ?? [],
        isEligibleForSearch: isSearchable, isEligibleForPrediction: isPredictable, persistentID: persistent,
        relatedItem: related)
    }
  }

  private func selection(_ fields: inout YAMLFields) throws(YAMLError) -> DonationSelection {
    if let names = fields.read("identifiers") {
      return .identifiers(
        try names.list("a list of names") { (name) throws(YAMLError) in
          try name.value("a donation's name", Donation.ID.init)
        })
    }
    if let names = fields.read("persistent-ids") {
      return .persistentIDs(
        try names.list("a list of names") { (name) throws(YAMLError) in
          try name.value("a persistent name", UserActivity.PersistentID.init)
        })
    }
    if let group = fields.read("group") { return .group(try group.value("a group", Donation.Group.init)) }
    if let items = fields.read("related-items") {
      return .relatedItems(
        try items.list("a list of searchable items") { (name) throws(YAMLError) in
          try name.value("a searchable item", SearchableItemID.init)
        })
    }
    if let type = fields.read("intent-type") { return .intentType(try type.value("an intent type", IntentType.init)) }
    if let item = fields.read("related-item") {
      return .relatedItem(try item.value("a searchable item", SearchableItemID.init))
    }
    let kinds: [String: DonationSelection] = [
      "everything": .everything, "intents": .intents, "user-activities": .userActivities,
      "related-items": .allRelatedItems,
    ]
    return try fields.require("all").parsed("everything, intents, user-activities or related-items") { kinds[$0] }
  }

  /// Reads offsets in seconds east of UTC, each with the time from which it applies.
  private func offsets(_ zone: YAMLNode, _ fields: inout YAMLFields) throws(YAMLError) -> UTCOffsets {
    let timeZone = try zone.value("a time zone", TimeZoneID.init)
    let list = try fields.require("offsets")
    let steps = try list.list("a list of [time, seconds]") { (node) throws(YAMLError) in
      let parts = try node.list("[time, seconds]")
      guard parts.count == 2 else { throw node.error("expected [time, seconds]") }
      return UTCOffsets.Step(start: try date(parts[0]), seconds: try whole(parts[1]))
    }
    let end = try date(try fields.require("until"))
    return try list.checked { () throws(RequestError) in try UTCOffsets(zone: timeZone, steps: steps, end: end) }
  }
}

extension Intent {
  /// Parses an intent whose text form is complete.
  init(text: String) throws(RequestError) {
    let written = try WidgetText(text)
    self = try written.intent(of: IntentType(written.name))
  }
}
