import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

/// Donations of few names, groups, types and values, so that all combinations are frequent.
enum RandomDonations {
  static func donated(_ random: inout Sampler, at now: Instant, _ app: AppID) -> Event {
    .donated(app, (0..<random.one(of: [0, 1, 1, 1, 2, 5])).map { _ in donation(&random, at: now) })
  }

  static func selection(_ random: inout Sampler) -> DonationSelection {
    switch random.number(in: 1...15) {
    case 13: .relatedItems((0...1).map { number in valid { try SearchableItemID("item \(number)") } })
    case 14: .allRelatedItems
    case 15: .intentType(random.once(in: 2) ? .sendMessage : valid { try IntentType("Order") })
    case ...4: .identifiers((0...random.number(in: 0...3)).map { _ in id(&random) })
    case ...7: .group(group(random.number(in: 0...4)))
    case ...8: .persistentIDs([valid { try UserActivity.PersistentID("screen \(random.number(in: 0...2))") }])
    case ...9: .relatedItem(valid { try SearchableItemID("item \(random.number(in: 0...2))") })
    case 10: .userActivities
    case 11: .intents
    default: .everything
    }
  }

  /// A type with up to three combinations, the last of which has all parameters.
  static func registered(_ random: inout Sampler, _ app: AppID) -> Event {
    let combinations = [["soup", "count"], ["soup", "options"], ["soup", "count", "options"], []].map {
      IntentTypeDescriptor.Combination(parameters: $0.map(name), isBackground: $0.count > 2)
    }
    let descriptor = valid {
      try IntentTypeDescriptor(
        app: app, type: try IntentType("Order"),
        parameters: [
          .init(name: name("soup"), type: .object), .init(name: name("count"), type: .integer),
          .init(name: name("options"), type: .enumCase, isArray: true),
        ],
        combinations: Array(combinations.prefix(random.number(in: 0...4))),
        isEligibleForSuggestions: !random.once(in: 6))
    }
    return .intentTypesRegistered(app, [descriptor])
  }

  private static func donation(_ random: inout Sampler, at now: Instant) -> Donation {
    let late = random.once(in: 3) ? TimeSpan.seconds(-Int64(random.one(of: [0, 1, 60, 5_000, 100_000]))) : .zero
    return Donation(
      id: id(&random), group: random.once(in: 2) ? nil : group(random.number(in: 0...4)),
      date: now.advanced(by: late), activity: activity(&random, at: now))
  }

  private static func activity(_ random: inout Sampler, at now: Instant) -> Donation.Activity {
    switch random.number(in: 1...12) {
    case ...4: activity(&random)
    case 5: play(&random)
    case 6: message(&random)
    case 7: reservation(&random, at: now)
    default: order(&random)
    }
  }

  /// The upcoming media of an app, of the items that ``play(_:)`` donates.
  static func upcoming(_ random: inout Sampler, _ app: AppID) -> Event {
    .upcomingMediaSet(
      app,
      valid {
        try UpcomingMedia(
          intents: (0..<random.number(in: 0...3)).map { try media("soup \($0)", item: random.number(in: 0...2)) },
          mode: random.one(of: UpcomingMedia.Mode.allCases))
      })
  }

  private static func media(_ container: String, item: Int) throws -> Intent {
    try Intent(
      type: .playMedia,
      parameters: [
        IntentParameter(name: name("mediaItem"), value: .single(.integer(Int64(item)))),
        IntentParameter(
          name: name("mediaContainer"),
          value: .single(.object(DisplayIdentity(identifier: container, display: container)))),
      ])
  }

  private static func play(_ random: inout Sampler) -> Donation.Activity {
    .intent(valid { try media("soup \(random.number(in: 0...2))", item: random.number(in: 0...2)) })
  }

  private static func message(_ random: inout Sampler) -> Donation.Activity {
    let persons = (0...random.number(in: 0...1)).map { _ in
      IntentValue.person(DisplayIdentity(identifier: "soup \(random.number(in: 0...2))", display: ""))
    }
    guard !random.once(in: 2) else {
      let sender = IntentParameter(name: name("sender"), value: .single(persons[0]))
      return .received(valid { try Intent(type: .sendMessage, parameters: [sender]) })
    }
    return .intent(
      valid {
        try Intent(
          type: .sendMessage, parameters: [IntentParameter(name: name("recipients"), value: .array(persons))])
      })
  }

  private static func reservation(_ random: inout Sampler, at now: Instant) -> Donation.Activity {
    let item = DisplayIdentity(identifier: "soup \(random.number(in: 0...2))", display: "")
    let minutes = Int64(random.number(in: 0...600))
    return valid {
      .reservations(
        try Intent(type: .reservationDetails),
        [
          try Reservation(
            item: item, start: now.advanced(by: .minutes(minutes)),
            place: random.once(in: 2) ? nil : try Place(latitude: 3, longitude: 8, display: item.identifier),
            checkIn: random.once(in: 2) ? nil : try DateWindow(start: now),
            travelTime: minutes.isMultiple(of: 2) ? nil : .minutes(minutes / 3))
        ])
    }
  }

  private static func id(_ random: inout Sampler) -> Donation.ID {
    let number = random.number(in: 0...60)
    return valid { try Donation.ID("donation \(number)") }
  }

  private static func group(_ number: Int) -> Donation.Group { valid { try Donation.Group("group \(number)") } }

  private static func name(_ text: String) -> IntentParameter.Name { valid { try IntentParameter.Name(text) } }

  private static func order(_ random: inout Sampler) -> Donation.Activity {
    let soup = DisplayIdentity(
      identifier: "soup \(random.number(in: 0...2))", display: "Soup \(random.number(in: 0...5))")
    let options = (0..<random.number(in: 0...2)).map { IntentValue.enumCase("option \($0)") }
    var parameters = [
      IntentParameter(name: name("soup"), value: .single(.object(soup))),
      IntentParameter(name: name("count"), value: .single(.integer(Int64(random.number(in: 1...2))))),
      IntentParameter(name: name("options"), value: .array(options)),
    ]
    if random.once(in: 4) { parameters.remove(at: random.number(in: 0...2)) }
    return .intent(
      valid { try Intent(type: try IntentType(random.once(in: 8) ? "Cancel" : "Order"), parameters: parameters) })
  }

  private static func activity(_ random: inout Sampler) -> Donation.Activity {
    let info = ["soup", "scroll"].map {
      IntentParameter(name: name($0), value: .single(.integer(Int64(random.number(in: 0...3)))))
    }
    return .userActivity(
      valid {
        try UserActivity(
          type: try .init("com.example.order"), title: "Order \(random.number(in: 0...3))", userInfo: info,
          requiredUserInfoKeys: random.once(in: 3) ? [] : [name("soup")],
          isEligibleForPrediction: !random.once(in: 5),
          persistentID: random.once(in: 2) ? nil : try .init("screen \(random.number(in: 0...2))"),
          relatedItem: random.once(in: 2) ? nil : try .init("item \(random.number(in: 0...2))"))
      })
  }
}
