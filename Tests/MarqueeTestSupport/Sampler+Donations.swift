import MarqueeModel

extension Sampler {
  /// Returns a donation.
  public mutating func donation() throws -> Donation {
    Donation(
      id: try identifier(), group: try maybe { try $0.identifier() }, date: instant(),
      activity: try activity(), display: try maybe { try $0.donationDisplay() })
  }

  private mutating func activity() throws -> Donation.Activity {
    switch number(in: 0...5) {
    case 5: .received(try intent())
    case 0: .reservations(try intent(), try array { try $0.reservation() })
    case 1, 2: .intent(try intent())
    default: .userActivity(try userActivity())
    }
  }

  /// Returns a reservation.
  public mutating func reservation() throws -> Reservation {
    let instants = [instant(), instant()].sorted()
    return try Reservation(
      item: DisplayIdentity(identifier: text(), display: text()), start: instants[0], end: maybe { _ in instants[1] },
      place: maybe { try $0.place() }, checkIn: maybe { try DateWindow(start: $0.instant()) },
      travelTime: maybe { TimeSpan.seconds(Int64($0.number(in: 0...86_400))) })
  }

  /// Returns a list of upcoming media.
  public mutating func upcomingMedia() throws -> UpcomingMedia {
    let intents = try array { try Intent(type: .playMedia, parameters: $0.intent().parameters) }
    return try UpcomingMedia(
      intents: intents.indices.filter { !intents[..<$0].contains(intents[$0]) }.map { intents[$0] },
      mode: one(of: UpcomingMedia.Mode.allCases))
  }

  /// Returns the identifier of a suggestion.
  public mutating func suggestionID() -> SuggestionID {
    SuggestionID(number: one(of: [0, .max, UInt128(next()), UInt128(next()) << 64 | UInt128(next())]))
  }

  /// Returns a user activity.
  public mutating func userActivity() throws -> UserActivity {
    let userInfo = try intent().parameters
    return try UserActivity(
      type: identifier(), title: maybe { $0.text() }, userInfo: userInfo,
      requiredUserInfoKeys: userInfo.map(\.name).filter { _ in once(in: 2) }, isEligibleForSearch: once(in: 2),
      isEligibleForPrediction: once(in: 2), persistentID: maybe { try $0.identifier() },
      relatedItem: maybe { try $0.identifier() })
  }

  /// Returns a selection of donations.
  public mutating func donationSelection() throws -> DonationSelection {
    switch number(in: 0...9) {
    case 6: .relatedItems(try array { try $0.identifier() })
    case 7: .allRelatedItems
    case 8: .intentType(try identifier())
    case 0: .identifiers(try array { try $0.identifier() })
    case 1: .group(try identifier())
    case 2: .persistentIDs(try array { try $0.identifier() })
    case 3: .relatedItem(try identifier())
    case 4: .userActivities
    case 5: .intents
    default: .everything
    }
  }

  /// Returns a donation status that satisfies some combinations of its parameters.
  public mutating func donationStatus() throws -> DonationStatus {
    let (app, date, activity) = (try identifier(AppID.self), instant(), try donation().activity)
    let satisfied = try array { chance in
      let action: DonatedAction
      switch activity {
      case .intent(let intent), .reservations(let intent, _), .received(let intent):
        let values = intent.parameters.filter { _ in chance.once(in: 2) }
        action = .intent(app, try Intent(type: intent.type, parameters: values))
      case .userActivity(let activity):
        action = .userActivity(app, activity.type, activity.userInfo.filter { _ in chance.once(in: 2) })
      }
      return DonationStatus.Satisfied(
        actionIndex: chance.number(in: 0...65_535), action: action, isBackground: chance.once(in: 2))
    }
    return DonationStatus(
      app: app, id: try maybe { try $0.identifier() }, group: try maybe { try $0.identifier() }, date: date,
      wallTime: WallTime(at: date, offset: 60 * number(in: -1_440...1_440)), activity: activity,
      context: try deviceContext(),
      satisfied: satisfied, display: actionDisplay())
  }

  /// Returns a context.
  public mutating func deviceContext() throws -> DeviceContext {
    var context = DeviceContext()
    context.place = try maybe { try $0.place() }
    context.focus = try maybe { try $0.identifier() }
    context.routine = maybe { RoutineEvent($0.one(of: RoutineSituation.allCases), at: $0.instant()) }
    return context
  }

  /// Returns a predicted action; its statistics need not match.
  public mutating func likelyAction() throws -> LikelyAction {
    let (app, intent) = (try identifier(AppID.self), try intent())
    let action: DonatedAction =
      once(in: 2) ? .intent(app, intent) : .userActivity(app, try identifier(), intent.parameters)
    return LikelyAction(
      action: action, probability: Double(number(in: 0...1_000)) / 1_000, reasons: habitReasons(),
      display: actionDisplay())
  }

  /// Returns UTC offsets, which need not be those of a real time zone.
  public mutating func utcOffsets() throws -> UTCOffsets {
    let starts = Set([instant()] + array { $0.instant() }).sorted()
    let steps = starts.map { UTCOffsets.Step(start: $0, seconds: number(in: -86_400...86_400)) }
    return try UTCOffsets(zone: identifier(), steps: steps, end: once(in: 2) ? .max : starts[starts.count - 1])
  }
}
