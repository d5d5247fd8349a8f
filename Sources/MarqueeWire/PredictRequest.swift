internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks what the person likely does within half an hour.
public struct PredictRequest: Hashable, Sendable {
  /// Actions in one answer when nothing else is asked for.
  public static let countStandard = 20
  /// Actions in one answer, at most.
  public static let countMax = 1_000

  /// The device.
  public var device: DeviceID
  /// As it was then or, if nothing happens until then, as it will be; `nil`: as it is.
  public var at: Instant?
  /// At most so many, in `1 ... countMax`.
  public let count: Int

  /// A request; `count` is held within `1 ... countMax`.
  public init(device: DeviceID, at: Instant? = nil, count: Int = countStandard) {
    self.device = device
    self.at = at
    self.count = min(max(count, 1), Self.countMax)
  }
}

/// What the person likely does within half an hour (rule P1).
public struct PredictResponse: Hashable, Sendable {
  /// When that is.
  public var at: Instant
  /// Where the device is.
  public var timeZone: TimeZoneID
  /// What surrounds the person, as far as displays have told.
  public var context: DeviceContext
  /// The most probable first; as many as go well into one message.
  public var actions: [LikelyAction]
  /// Actions that are learned.
  public var actionCount: Int
  /// The least probability that is evidence for a widget.
  public var evidenceProbabilityMin: Double

  /// A response.
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
  init(_ message: Marquee__V1__PredictRequest) throws(Refusal) {
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
  init(_ message: Marquee__V1__PredictResponse) throws(Refusal) {
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
  init(_ message: Marquee__V1__LikelyAction) throws(Refusal) {
    let app: AppID = try Field.identifier(message.app, "app")
    guard (0...1).contains(message.probability) else {
      throw Refusal(.invalidArgument, field: "probability", "\(message.probability) is no probability")
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

/// What user activities that are one action have in common.
private struct ActivityValues: WireValue {
  let type: UserActivity.ActivityType
  let values: [IntentParameter]

  init(type: UserActivity.ActivityType, values: [IntentParameter]) {
    self.type = type
    self.values = values
  }

  init(_ message: Marquee__V1__ActivityValues) throws(Refusal) {
    type = try Field.identifier(message.type, "type")
    values = try Field.array(message.n_values, message.values, "values")
    try Field.unique(values, "values") { $0.name }
  }

  func fill(_ message: inout Marquee__V1__ActivityValues, _ scratch: EncodeScratch) {
    message.type = scratch.text(type)
    (message.n_values, message.values) = scratch.array(values)
  }
}
