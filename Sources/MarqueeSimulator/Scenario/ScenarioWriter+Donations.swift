import MarqueeModel
import MarqueeScheduler

extension ScenarioWriter {
  /// Returns the additional fields of an event about donations.
  func fields(ofDonations event: Event, at instant: Instant) -> Fields {
    switch event {
    case .donated(_, let donations): [.init("donations", .lines(donations.map { donation($0, at: instant) }))]
    case .donationsDeleted(_, let selection): [field(of: selection)]
    case .donationsTrimmed(_, let count, let onlyReceived):
      [.init(onlyReceived ? "kept-received" : "kept", .text("\(count)"))]
    case .utcOffsetsLearned(let offsets):
      [
        .init(
          "offsets",
          .lines(offsets.steps.map { .list([.text(context.text($0.start)), .text("\($0.seconds)")]) })),
        .init("until", .text(context.text(offsets.end))),
      ]
    default: []
    }
  }

  private func donation(_ donation: Donation, at instant: Instant) -> YAMLText {
    var fields: Fields = [.init("id", .text(donation.id.text))]
    if let group = donation.group { fields.append(.init("group", .text(group.text))) }
    if donation.date != instant { fields.append(.init("date", .text(context.text(donation.date)))) }
    switch donation.activity {
    case .intent(let intent): fields.append(.init("intent", donatedIntent(intent)))
    case .reservations(let intent, let reservations):
      fields.append(.init("intent", donatedIntent(intent)))
      fields.append(.init("reservations", .list(reservations.map(reservation))))
    case .received(let intent): fields.append(.init("received", donatedIntent(intent)))
    case .userActivity(let activity): fields.append(.init("activity", userActivity(activity)))
    }
    if let display = donation.display {
      let texts = [("title", display.title), ("subtitle", display.subtitle), ("image", display.imageKey)]
      fields.append(.init("display", .record(self.texts(texts))))
    }
    return .record(fields)
  }

  /// Returns the fields of the texts that are not empty.
  func texts(_ texts: [(key: String, text: String)]) -> Fields {
    texts.filter { !$0.text.isEmpty }.map { .init($0.key, .text($0.text)) }
  }

  /// Returns the text form if it parses to an equal intent, otherwise the long form.
  func donatedIntent(_ intent: Intent) -> YAMLText {
    let read = try? Intent(text: intent.exactText)  // a text that is rejected is none of the intent's
    return read?.encoded == intent.encoded ? .text(intent.exactText) : self.intent(intent)
  }

  private func reservation(_ reservation: Reservation) -> YAMLText {
    var fields: Fields = [
      .init("item", value(.object(reservation.item))), .init("start", .text(context.text(reservation.start))),
    ]
    if let end = reservation.end { fields.append(.init("end", .text(context.text(end)))) }
    if let place = reservation.place { fields.append(.init("place", self.place(place))) }
    if let window = reservation.checkIn { fields.append(.init("check-in", self.window(window))) }
    if let span = reservation.travelTime { fields.append(.init("travel-time", .text(span.text))) }
    return .record(fields)
  }

  func userActivity(_ activity: UserActivity) -> YAMLText {
    var fields: Fields = [.init("type", .text(activity.type.text))]
    if let title = activity.title { fields.append(.init("title", .text(title))) }
    if !activity.userInfo.isEmpty { fields.append(.init("info", parameters(activity.userInfo))) }
    if !activity.requiredUserInfoKeys.isEmpty {
      fields.append(.init("required", .list(activity.requiredUserInfoKeys.map { .text($0.text) })))
    }
    if !activity.isEligibleForSearch { fields.append(.init("search", .text("off"))) }
    if !activity.isEligibleForPrediction { fields.append(.init("prediction", .text("off"))) }
    if let name = activity.persistentID { fields.append(.init("persistent-id", .text(name.text))) }
    if let item = activity.relatedItem { fields.append(.init("related-item", .text(item.text))) }
    return .record(fields)
  }

  private func field(of selection: DonationSelection) -> YAMLText.Field {
    switch selection {
    case .identifiers(let names): .init("identifiers", .list(names.map { .text($0.text) }))
    case .persistentIDs(let names): .init("persistent-ids", .list(names.map { .text($0.text) }))
    case .group(let group): .init("group", .text(group.text))
    case .relatedItem(let item): .init("related-item", .text(item.text))
    case .relatedItems(let items): .init("related-items", .list(items.map { .text($0.text) }))
    case .intentType(let type): .init("intent-type", .text(type.text))
    case .allRelatedItems: .init("all", .text("related-items"))
    case .userActivities: .init("all", .text("user-activities"))
    case .intents: .init("all", .text("intents"))
    case .everything: .init("all", .text("everything"))
    }
  }
}
