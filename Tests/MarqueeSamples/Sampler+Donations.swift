import MarqueeModel

extension Sampler {
  /// A donation.
  public mutating func donation() throws -> Donation {
    Donation(
      id: try identifier(), group: try maybe { try $0.identifier() }, date: instant(),
      deed: once(in: 2) ? .intent(try intent()) : .userActivity(try userActivity()))
  }

  /// A user activity.
  public mutating func userActivity() throws -> UserActivity {
    let userInfo = try intent().parameters
    return try UserActivity(
      type: identifier(), title: maybe { $0.text() }, userInfo: userInfo,
      requiredUserInfoKeys: userInfo.map(\.name).filter { _ in once(in: 2) }, isEligibleForSearch: once(in: 2),
      isEligibleForPrediction: once(in: 2), persistentID: maybe { try $0.identifier() },
      relatedItem: maybe { try $0.identifier() })
  }

  /// A selection of donations.
  public mutating func donationSelection() throws -> DonationSelection {
    switch number(in: 0...6) {
    case 0: .identifiers(try array { try $0.identifier() })
    case 1: .group(try identifier())
    case 2: .persistentIDs(try array { try $0.identifier() })
    case 3: .relatedItem(try identifier())
    case 4: .userActivities
    case 5: .intents
    default: .everything
    }
  }

  /// Offsets of a zone that need not be on Earth.
  public mutating func utcOffsets() throws -> UTCOffsets {
    let starts = Set([instant()] + array { $0.instant() }).sorted()
    let steps = starts.map { UTCOffsets.Step(start: $0, seconds: number(in: -86_400...86_400)) }
    return try UTCOffsets(zone: identifier(), steps: steps, end: once(in: 2) ? .max : starts[starts.count - 1])
  }
}
