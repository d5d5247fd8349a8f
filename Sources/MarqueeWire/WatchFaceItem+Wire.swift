internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

// The current relevance and a summary are included for clients that do not compute their own; Swift clients compute
// them from the value.

extension WatchFaceItem: WireValue {
  init(_ message: Marquee__V1__WatchFaceItem) throws(RequestError) {
    let hasEnd = message.maybe_until_case == MARQUEE__V1__WATCH_FACE_ITEM__MAYBE_UNTIL_UNTIL_MS
    self.init(
      app: try Field.identifier(message.app, "app"), shortcut: try Field.required(message.shortcut, "shortcut"),
      reason: try Reason(message), until: hasEnd ? try Field.instant(message.until_ms, "until_ms") : nil,
      display: try Field.optional(message.display, "display"))
  }

  func fill(_ message: inout Marquee__V1__WatchFaceItem, _ scratch: EncodeScratch) {
    message.app = scratch.text(app)
    message.shortcut = scratch.message(shortcut)
    reason.fill(&message, scratch)
    if let until {
      message.maybe_until_case = MARQUEE__V1__WATCH_FACE_ITEM__MAYBE_UNTIL_UNTIL_MS
      message.until_ms = until.milliseconds
    }
    message.relevant_now = isRelevantNow ? 1 : 0
    message.summary = scratch.text(summary())
    message.display = scratch.message(display)
  }
}

extension WatchFaceItem.Reason {
  init(_ message: Marquee__V1__WatchFaceItem) throws(RequestError) {
    switch message.reason_case {
    case MARQUEE__V1__WATCH_FACE_ITEM__REASON_WINDOW_SINCE_MS:
      self = .window(since: try Field.instant(message.window_since_ms, "window_since_ms"))
    case MARQUEE__V1__WATCH_FACE_ITEM__REASON_PLACE_DISTANCE:
      self = .place(distance: try Field.finite(message.place_distance, "place_distance"))
    case MARQUEE__V1__WATCH_FACE_ITEM__REASON_SITUATION:
      self = try Field.within("situation", Self(message.situation.pointee))
    case MARQUEE__V1__WATCH_FACE_ITEM__REASON_WINDOW_AHEAD_MS:
      self = .windowAhead(try Field.instant(message.window_ahead_ms, "window_ahead_ms"))
    case MARQUEE__V1__WATCH_FACE_ITEM__REASON_PLACE_AWAY:
      self = try Field.within("place_away", Self(message.place_away.pointee))
    case MARQUEE__V1__WATCH_FACE_ITEM__REASON_SITUATION_ABSENT:
      self = .situationAbsent(try RoutineSituation(message.situation_absent, "situation_absent"))
    case MARQUEE__V1__WATCH_FACE_ITEM__REASON_UNKNOWN_PROVIDER:
      try Field.selector(message.unknown_provider, "unknown_provider")
      self = .unknownProvider
    case MARQUEE__V1__WATCH_FACE_ITEM__REASON_ANY_TIME:
      try Field.selector(message.any_time, "any_time")
      self = .anyTime
    default: throw Field.absent("reason")
    }
  }

  private init(_ message: Marquee__V1__SituationInForce) throws(RequestError) {
    let isTold = message.maybe_since_case == MARQUEE__V1__SITUATION_IN_FORCE__MAYBE_SINCE_SINCE_MS
    self = .situation(
      try RoutineSituation(message.situation, "situation"),
      since: isTold ? try Field.instant(message.since_ms, "since_ms") : nil)
  }

  private init(_ message: Marquee__V1__PlaceAway) throws(RequestError) {
    let isKnown = message.maybe_distance_case == MARQUEE__V1__PLACE_AWAY__MAYBE_DISTANCE_DISTANCE
    self = .placeAway(distance: isKnown ? try Field.finite(message.distance, "distance") : nil)
  }

  func fill(_ message: inout Marquee__V1__WatchFaceItem, _ scratch: EncodeScratch) {
    switch self {
    case .window(let since):
      message.reason_case = MARQUEE__V1__WATCH_FACE_ITEM__REASON_WINDOW_SINCE_MS
      message.window_since_ms = since.milliseconds
    case .place(let distance):
      message.reason_case = MARQUEE__V1__WATCH_FACE_ITEM__REASON_PLACE_DISTANCE
      message.place_distance = distance
    case .situation(let situation, let since):
      message.reason_case = MARQUEE__V1__WATCH_FACE_ITEM__REASON_SITUATION
      message.situation = scratch.build {
        $0.situation = Marquee__V1__RoutineSituation(situation)
        guard let since else { return }
        $0.maybe_since_case = MARQUEE__V1__SITUATION_IN_FORCE__MAYBE_SINCE_SINCE_MS
        $0.since_ms = since.milliseconds
      }
    case .windowAhead(let start):
      message.reason_case = MARQUEE__V1__WATCH_FACE_ITEM__REASON_WINDOW_AHEAD_MS
      message.window_ahead_ms = start.milliseconds
    case .placeAway(let distance):
      message.reason_case = MARQUEE__V1__WATCH_FACE_ITEM__REASON_PLACE_AWAY
      message.place_away = scratch.build {
        guard let distance else { return }
        $0.maybe_distance_case = MARQUEE__V1__PLACE_AWAY__MAYBE_DISTANCE_DISTANCE
        $0.distance = distance
      }
    case .situationAbsent(let situation):
      message.reason_case = MARQUEE__V1__WATCH_FACE_ITEM__REASON_SITUATION_ABSENT
      message.situation_absent = Marquee__V1__RoutineSituation(situation)
    case .unknownProvider:
      message.reason_case = MARQUEE__V1__WATCH_FACE_ITEM__REASON_UNKNOWN_PROVIDER
      message.unknown_provider = 1
    case .anyTime:
      message.reason_case = MARQUEE__V1__WATCH_FACE_ITEM__REASON_ANY_TIME
      message.any_time = 1
    }
  }
}
