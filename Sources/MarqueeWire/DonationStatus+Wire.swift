internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

/// Local time is encoded as the UTC offset in minutes, and a satisfied combination as its parameter names.
extension DonationStatus: WireValue {
  init(_ message: Marquee__V1__DonationStatus) throws(RequestError) {
    let app: AppID = try Field.identifier(message.app, "app")
    let date = try Field.instant(message.date_ms, "date_ms")
    let minutes = Int(message.utc_offset_minutes)
    guard minutes.magnitude <= UTCOffsets.offsetMax / 60 else {
      throw RequestError(.invalidArgument, field: "utc_offset_minutes", "UTC offset out of range: \(minutes) min")
    }
    let activity: Donation.Activity
    switch message.activity_case {
    case MARQUEE__V1__DONATION_STATUS__ACTIVITY_INTENT: activity = .intent(try Field.required(message.intent, "intent"))
    case MARQUEE__V1__DONATION_STATUS__ACTIVITY_USER_ACTIVITY:
      activity = .userActivity(try Field.required(message.user_activity, "user_activity"))
    case MARQUEE__V1__DONATION_STATUS__ACTIVITY_RESERVATIONS:
      activity = try Donation.Activity(message.reservations, "reservations")
    case MARQUEE__V1__DONATION_STATUS__ACTIVITY_RECEIVED:
      activity = .received(try Field.required(message.received, "received"))
    default: throw Field.absent("activity")
    }
    self.init(
      app: app, id: try Field.identifierIfPresent(message.id, "id"),
      group: try Field.identifierIfPresent(message.group, "group"), date: date,
      wallTime: WallTime(at: date, offset: minutes * 60), activity: activity,
      context: try Field.required(message.context, "context"),
      satisfied: try Field.array(message.n_satisfied, message.satisfied, "satisfied") {
        (pointer) throws(RequestError) in
        guard let pointer else { throw Field.absent("") }
        return try Satisfied(pointer.pointee, by: activity, of: app)
      }, display: try Field.optional(message.display, "display"))
  }

  func fill(_ message: inout Marquee__V1__DonationStatus, _ scratch: EncodeScratch) {
    message.app = scratch.text(app)
    message.id = scratch.text(id)
    message.group = scratch.text(group)
    message.date_ms = date.milliseconds
    message.utc_offset_minutes = Int32(wallTime.day * 1_440 + wallTime.minute - Int(date.milliseconds / 60_000))
    switch activity {
    case .intent(let intent):
      message.activity_case = MARQUEE__V1__DONATION_STATUS__ACTIVITY_INTENT
      message.intent = scratch.message(intent)
    case .userActivity(let activity):
      message.activity_case = MARQUEE__V1__DONATION_STATUS__ACTIVITY_USER_ACTIVITY
      message.user_activity = scratch.message(activity)
    case .reservations(let intent, let reservations):
      message.activity_case = MARQUEE__V1__DONATION_STATUS__ACTIVITY_RESERVATIONS
      message.reservations = scratch.details(intent, reservations)
    case .received(let intent):
      message.activity_case = MARQUEE__V1__DONATION_STATUS__ACTIVITY_RECEIVED
      message.received = scratch.message(intent)
    }
    message.context = scratch.message(context)
    message.display = scratch.message(display)
    (message.n_satisfied, message.satisfied) = scratch.elements(satisfied) { satisfied in
      scratch.build { satisfied.fill(&$0, scratch) }
    }
  }
}

extension DonationStatus.Satisfied {
  fileprivate init(
    _ message: Marquee__V1__SatisfiedCombination, by activity: Donation.Activity, of app: AppID
  ) throws(RequestError) {
    let names: [IntentParameter.Name] = try Field.identifiers(message.n_parameters, message.parameters, "parameters")
    try Field.unique(names, "parameters") { $0 }
    let all =
      switch activity {
      case .intent(let intent), .reservations(let intent, _), .received(let intent): intent.parameters
      case .userActivity(let activity): activity.userInfo
      }
    let values = all.filter { names.contains($0.name) }
    guard values.count == names.count else {
      throw RequestError(.invalidArgument, field: "parameters", "parameter is not set by the donation")
    }
    let action: DonatedAction
    switch activity {
    case .intent(let intent), .reservations(let intent, _), .received(let intent):
      action = .intent(app, try Intent(type: intent.type, parameters: values))
    case .userActivity(let activity): action = .userActivity(app, activity.type, values)
    }
    self.init(
      actionIndex: Int(message.action_index), action: action, isBackground: message.runs_in_background != 0)
  }

  fileprivate func fill(_ message: inout Marquee__V1__SatisfiedCombination, _ scratch: EncodeScratch) {
    message.action_index = UInt32(actionIndex)
    (message.n_parameters, message.parameters) = scratch.elements(action.parameters) { scratch.text($0.name) }
    message.runs_in_background = isBackground ? 1 : 0
  }
}

extension DeviceContext: WireValue {
  init(_ message: Marquee__V1__DonationContext) throws(RequestError) {
    self.init()
    place = try Field.optional(message.place, "place")
    focus = try Field.identifierIfPresent(message.focus, "focus")
    guard message.routine != MARQUEE__V1__ROUTINE_SITUATION__ROUTINE_SITUATION_UNSPECIFIED else { return }
    routine = RoutineEvent(
      try RoutineSituation(message.routine, "routine"), at: try Field.instant(message.routine_ms, "routine_ms"))
  }

  func fill(_ message: inout Marquee__V1__DonationContext, _ scratch: EncodeScratch) {
    message.place = scratch.message(place)
    message.focus = scratch.text(focus)
    guard let routine else { return }
    message.routine = Marquee__V1__RoutineSituation(routine.situation)
    message.routine_ms = routine.at.milliseconds
  }
}
