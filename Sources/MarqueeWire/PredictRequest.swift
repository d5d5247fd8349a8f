internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for the user's predicted actions within the next half hour.
public struct PredictRequest: Hashable, Sendable {
  /// The default of ``count``.
  public static let countStandard = 20
  /// The maximum of ``count``.
  public static let countMax = 1_000

  /// The device.
  public var device: DeviceID
  /// The instant, in the past or future; `nil` for now. A future instant assumes that no events occur until then.
  public var at: Instant?
  /// The maximum number of actions to return, in `1 ... countMax`.
  public let count: Int

  /// Creates a request. Clamps `count` to `1 ... countMax`.
  public init(device: DeviceID, at: Instant? = nil, count: Int = countStandard) {
    self.device = device
    self.at = at
    self.count = min(max(count, 1), Self.countMax)
  }
}

/// The user's predicted actions within the next half hour (rule P1).
public struct PredictResponse: Hashable, Sendable {
  /// The instant of the prediction.
  public var at: Instant
  /// The device's time zone.
  public var timeZone: TimeZoneID
  /// The user's context, as reported by displays.
  public var context: DeviceContext
  /// The actions in descending order of probability: as many as fit in one message.
  public var actions: [LikelyAction]
  /// The number of learned actions.
  public var actionCount: Int
  /// The minimum probability that is evidence for a widget.
  public var evidenceProbabilityMin: Double

  /// Creates a response.
  public init(
    at: Instant, timeZone: TimeZoneID, context: DeviceContext, actions: [LikelyAction], actionCount: Int,
    evidenceProbabilityMin: Double
  ) {
    self.at = at
    self.timeZone = timeZone
    self.context = context
    self.actions = actions
    self.actionCount = actionCount
    self.evidenceProbabilityMin = evidenceProbabilityMin
  }
}

extension PredictRequest: WireValue {
  init(_ message: Marquee__V1__PredictRequest) throws(RequestError) {
    let hasAt = message.maybe_at_case == MARQUEE__V1__PREDICT_REQUEST__MAYBE_AT_AT_MS
    self.init(
      device: try Field.identifier(message.device, "device"),
      at: hasAt ? try Field.instant(message.at_ms, "at_ms") : nil,
      count: try Field.count(message.count_max, "count_max", standard: Self.countStandard, maximum: Self.countMax))
  }

  func fill(_ message: inout Marquee__V1__PredictRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    if let at {
      message.maybe_at_case = MARQUEE__V1__PREDICT_REQUEST__MAYBE_AT_AT_MS
      message.at_ms = at.milliseconds
    }
    message.count_max = UInt32(count)
  }
}

extension PredictResponse: WireValue {
  init(_ message: Marquee__V1__PredictResponse) throws(RequestError) {
    self.init(
      at: try Field.instant(message.at_ms, "at_ms"), timeZone: try Field.identifier(message.time_zone, "time_zone"),
      context: try Field.required(message.context, "context"),
      actions: try Field.array(message.n_actions, message.actions, "actions"),
      actionCount: Int(message.action_count), evidenceProbabilityMin: message.evidence_probability_min)
  }

  func fill(_ message: inout Marquee__V1__PredictResponse, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    message.time_zone = scratch.text(timeZone)
    message.context = scratch.message(context)
    (message.n_actions, message.actions) = scratch.array(actions)
    message.action_count = UInt32(clamping: actionCount)
    message.evidence_probability_min = evidenceProbabilityMin
  }
}

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
      action: action, probability: message.probability, reasons: try Field.required(message.reasons, "reasons"))
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
