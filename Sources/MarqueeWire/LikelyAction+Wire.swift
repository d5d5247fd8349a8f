internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension LikelyAction: WireValue {
  init(_ message: Marquee__V1__LikelyAction) throws(RequestError) {
    let app: AppID = try Field.identifier(message.app, "app")
    guard (0...1).contains(message.probability) else {
      throw RequestError(.invalidArgument, field: "probability", "\(message.probability) is outside 0 ... 1")
    }
    let action: DonatedAction
    switch message.action_case {
    case MARQUEE__V1__LIKELY_ACTION__ACTION_INTENT:
      action = .intent(app, try Field.required(message.intent, "intent"))
    case MARQUEE__V1__LIKELY_ACTION__ACTION_USER_ACTIVITY:
      let activity = try Field.required(message.user_activity, "user_activity") as ActivityValues
      action = .userActivity(app, activity.type, activity.values)
    default: throw Field.absent("action")
    }
    self.init(
      action: action, probability: message.probability, reasons: try Field.required(message.reasons, "reasons"),
      display: try Field.optional(message.display, "display"))
  }

  func fill(_ message: inout Marquee__V1__LikelyAction, _ scratch: EncodeScratch) {
    message.app = scratch.text(action.app)
    switch action {
    case .intent(_, let intent):
      message.action_case = MARQUEE__V1__LIKELY_ACTION__ACTION_INTENT
      message.intent = scratch.message(intent)
    case .userActivity(_, let type, let values):
      message.action_case = MARQUEE__V1__LIKELY_ACTION__ACTION_USER_ACTIVITY
      message.user_activity = scratch.message(ActivityValues(type: type, values: values))
    }
    message.probability = probability
    message.reasons = scratch.message(reasons)
    message.display = scratch.message(display)
  }
}

/// The identity shared by equivalent user activities.
private struct ActivityValues: WireValue {
  let type: UserActivity.ActivityType
  let values: [IntentParameter]

  init(type: UserActivity.ActivityType, values: [IntentParameter]) {
    self.type = type
    self.values = values
  }

  init(_ message: Marquee__V1__ActivityValues) throws(RequestError) {
    type = try Field.identifier(message.type, "type")
    values = try Field.array(message.n_values, message.values, "values")
    try Field.unique(values, "values") { $0.name }
  }

  func fill(_ message: inout Marquee__V1__ActivityValues, _ scratch: EncodeScratch) {
    message.type = scratch.text(type)
    (message.n_values, message.values) = scratch.array(values)
  }
}
