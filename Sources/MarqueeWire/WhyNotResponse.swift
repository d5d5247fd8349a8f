internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// The obstacles that keep a widget from the front of a stack.
public struct WhyNotResponse: Hashable, Sendable {
  /// The obstacles.
  public var whyNot: WhyNot
  /// The device's time zone.
  public var timeZone: TimeZoneID
  /// The names of widgets in summaries (rule X1).
  public var names: SentenceNames

  /// Creates a response.
  public init(whyNot: WhyNot, timeZone: TimeZoneID, names: SentenceNames = .none) {
    self.whyNot = whyNot
    self.timeZone = timeZone
    self.names = names
  }
}

extension WhyNotResponse: WireValue {
  init(_ message: Marquee__V1__WhyNotResponse) throws(RequestError) {
    let whyNot = WhyNot(
      widget: try Field.required(message.widget, "widget"), stack: try Field.identifier(message.stack, "stack"),
      at: try Field.instant(message.at_ms, "at_ms"),
      obstacles: try Field.array(message.n_obstacles, message.obstacles, "obstacles"))
    self.init(
      whyNot: whyNot, timeZone: try Field.identifier(message.time_zone, "time_zone"),
      names: SentenceNames(try Field.array(message.n_names, message.names, "names")))
  }

  func fill(_ message: inout Marquee__V1__WhyNotResponse, _ scratch: EncodeScratch) {
    message.stack = scratch.text(whyNot.stack)
    message.widget = scratch.message(whyNot.widget)
    message.at_ms = whyNot.at.milliseconds
    (message.n_obstacles, message.obstacles) = scratch.elements(whyNot.obstacles) { obstacle in
      scratch.build {
        obstacle.fill(&$0, scratch)
        $0.summary = scratch.text(obstacle.summary(name: names.name))
      }
    }
    message.time_zone = scratch.text(timeZone)
    message.summary = scratch.text(whyNot.summary(name: names.name))
    (message.n_names, message.names) = scratch.array(names.all)
  }
}

// The times and summaries of obstacles are included for clients that do not compute their own; Swift clients compute
// them from the value. The response encodes the summaries, with the names of widgets.

extension Obstacle: WireValue {
  init(_ message: Marquee__V1__Obstacle) throws(RequestError) {
    switch message.obstacle_case {
    case MARQUEE__V1__OBSTACLE__OBSTACLE_ELSEWHERE_ON_HOME_SCREEN:
      try Field.selector(message.elsewhere_on_home_screen, "elsewhere_on_home_screen")
      self = .elsewhereOnHomeScreen
    case MARQUEE__V1__OBSTACLE__OBSTACLE_SUGGESTED_ON:
      self = .suggested(on: try Field.identifier(message.suggested_on, "suggested_on"))
    case MARQUEE__V1__OBSTACLE__OBSTACLE_COVERED_BY:
      self = .covered(by: try Field.required(message.covered_by, "covered_by"))
    case MARQUEE__V1__OBSTACLE__OBSTACLE_NO_EVIDENCE:
      self = .noEvidence(try Field.required(message.no_evidence, "no_evidence"))
    case MARQUEE__V1__OBSTACLE__OBSTACLE_GATE: self = .gate(try Field.required(message.gate, "gate"))
    case MARQUEE__V1__OBSTACLE__OBSTACLE_OUTRANKED_BY:
      self = .outranked(by: try Field.required(message.outranked_by, "outranked_by"))
    case MARQUEE__V1__OBSTACLE__OBSTACLE_PINNED_BY:
      let isTemporary = message.maybe_clears_case == MARQUEE__V1__OBSTACLE__MAYBE_CLEARS_CLEARS_MS
      self = .pinned(
        by: try Field.required(message.pinned_by, "pinned_by"),
        until: isTemporary ? try Field.instant(message.clears_ms, "clears_ms") : nil)
    case MARQUEE__V1__OBSTACLE__OBSTACLE_REPRESENTED_BY:
      self = .represented(by: try Field.required(message.represented_by, "represented_by"))
    default: throw Field.absent("obstacle")
    }
  }

  func fill(_ message: inout Marquee__V1__Obstacle, _ scratch: EncodeScratch) {
    switch self {
    case .elsewhereOnHomeScreen:
      message.obstacle_case = MARQUEE__V1__OBSTACLE__OBSTACLE_ELSEWHERE_ON_HOME_SCREEN
      message.elsewhere_on_home_screen = 1
    case .suggested(let stack):
      message.obstacle_case = MARQUEE__V1__OBSTACLE__OBSTACLE_SUGGESTED_ON
      message.suggested_on = scratch.text(stack)
    case .covered(let widget):
      message.obstacle_case = MARQUEE__V1__OBSTACLE__OBSTACLE_COVERED_BY
      message.covered_by = scratch.message(widget)
    case .noEvidence(let gap):
      message.obstacle_case = MARQUEE__V1__OBSTACLE__OBSTACLE_NO_EVIDENCE
      message.no_evidence = scratch.message(gap)
    case .gate(let result):
      message.obstacle_case = MARQUEE__V1__OBSTACLE__OBSTACLE_GATE
      message.gate = scratch.message(result)
    case .outranked(let widget):
      message.obstacle_case = MARQUEE__V1__OBSTACLE__OBSTACLE_OUTRANKED_BY
      message.outranked_by = scratch.message(widget)
    case .pinned(let widget, _):
      message.obstacle_case = MARQUEE__V1__OBSTACLE__OBSTACLE_PINNED_BY
      message.pinned_by = scratch.message(widget)
    case .represented(let widget):
      message.obstacle_case = MARQUEE__V1__OBSTACLE__OBSTACLE_REPRESENTED_BY
      message.represented_by = scratch.message(widget)
    }
    if let clears {
      message.maybe_clears_case = MARQUEE__V1__OBSTACLE__MAYBE_CLEARS_CLEARS_MS
      message.clears_ms = clears.milliseconds
    }
  }
}

extension EvidenceGap: WireValue {
  init(_ message: Marquee__V1__EvidenceGap) throws(RequestError) {
    switch message.gap_case {
    case MARQUEE__V1__EVIDENCE_GAP__GAP_UNKNOWN:
      try Field.selector(message.unknown, "unknown")
      self = .unknown
    case MARQUEE__V1__EVIDENCE_GAP__GAP_ENTRY_EXPIRED:
      self = try Field.within("entry_expired", Self(expired: message.entry_expired.pointee))
    case MARQUEE__V1__EVIDENCE_GAP__GAP_SCORE_ENDED:
      self = try Field.within("score_ended", Self(ended: message.score_ended.pointee))
    case MARQUEE__V1__EVIDENCE_GAP__GAP_SCORE_NOT_POSITIVE:
      self = try Field.within("score_not_positive", Self(notPositive: message.score_not_positive.pointee))
    case MARQUEE__V1__EVIDENCE_GAP__GAP_SCORE_NOT_COUNTED:
      self = try Field.within("score_not_counted", Self(notCounted: message.score_not_counted.pointee))
    case MARQUEE__V1__EVIDENCE_GAP__GAP_PIN_NOT_IN_FORCE:
      self = try Field.within("pin_not_in_force", Self(pin: message.pin_not_in_force.pointee))
    case MARQUEE__V1__EVIDENCE_GAP__GAP_SCORE_AHEAD_MS:
      self = .scoreAhead(try Field.instant(message.score_ahead_ms, "score_ahead_ms"))
    case MARQUEE__V1__EVIDENCE_GAP__GAP_WINDOW_AHEAD_MS:
      self = .windowAhead(try Field.instant(message.window_ahead_ms, "window_ahead_ms"))
    case MARQUEE__V1__EVIDENCE_GAP__GAP_WINDOW_ENDED_MS:
      self = .windowEnded(try Field.instant(message.window_ended_ms, "window_ended_ms"))
    case MARQUEE__V1__EVIDENCE_GAP__GAP_ONLY_WATCH_FACE:
      try Field.selector(message.only_watch_face, "only_watch_face")
      self = .onlyWatchFace
    case MARQUEE__V1__EVIDENCE_GAP__GAP_USE_NOT_LEARNED:
      try Field.selector(message.use_not_learned, "use_not_learned")
      self = .useNotLearned
    case MARQUEE__V1__EVIDENCE_GAP__GAP_USE_UNLIKELY:
      let (probability, required) = try Self.likelihood(message.use_unlikely.pointee, "use_unlikely")
      self = .useUnlikely(probability: probability, required: required)
    case MARQUEE__V1__EVIDENCE_GAP__GAP_UNLIKELY:
      let (probability, required) = try Self.likelihood(message.unlikely.pointee, "unlikely")
      self = .unlikely(probability: probability, required: required)
    default: throw Field.absent("gap")
    }
  }

  private static func likelihood(
    _ message: Marquee__V1__Likelihood, _ field: String
  ) throws(RequestError) -> (probability: Double, required: Double) {
    (
      try Field.finite(message.probability, "\(field).probability"),
      try Field.finite(message.required, "\(field).required")
    )
  }

  private init(expired message: Marquee__V1__EntryExpired) throws(RequestError) {
    let hasNext = message.maybe_next_case == MARQUEE__V1__ENTRY_EXPIRED__MAYBE_NEXT_NEXT_MS
    self = .entryExpired(
      entry: try Field.instant(message.entry_ms, "entry_ms"), at: try Field.instant(message.expiry_ms, "expiry_ms"),
      next: hasNext ? try Field.instant(message.next_ms, "next_ms") : nil)
  }

  private init(ended message: Marquee__V1__ScoreEnded) throws(RequestError) {
    self = .scoreEnded(
      entry: try Field.instant(message.entry_ms, "entry_ms"), end: try Field.instant(message.end_ms, "end_ms"))
  }

  private init(notPositive message: Marquee__V1__ScoreNotPositive) throws(RequestError) {
    self = .scoreNotPositive(
      try Field.finite(message.score, "score"), entry: try Field.instant(message.entry_ms, "entry_ms"))
  }

  private init(notCounted message: Marquee__V1__ScoreNotCounted) throws(RequestError) {
    self = .scoreNotCounted(
      try Field.finite(message.score, "score"), entry: try Field.instant(message.entry_ms, "entry_ms"))
  }

  private init(pin message: Marquee__V1__PinNotInForce) throws(RequestError) {
    let hasNext = message.maybe_next_case == MARQUEE__V1__PIN_NOT_IN_FORCE__MAYBE_NEXT_NEXT_MS
    self = .pinNotInForce(
      try Field.required(message.pin, "pin"), next: hasNext ? try Field.instant(message.next_ms, "next_ms") : nil)
  }

  func fill(_ message: inout Marquee__V1__EvidenceGap, _ scratch: EncodeScratch) {
    switch self {
    case .unknown:
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_UNKNOWN
      message.unknown = 1
    case .entryExpired(let entry, let expiry, let next):
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_ENTRY_EXPIRED
      message.entry_expired = scratch.build {
        $0.entry_ms = entry.milliseconds
        $0.expiry_ms = expiry.milliseconds
        guard let next else { return }
        $0.maybe_next_case = MARQUEE__V1__ENTRY_EXPIRED__MAYBE_NEXT_NEXT_MS
        $0.next_ms = next.milliseconds
      }
    case .scoreEnded(let entry, let end):
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_SCORE_ENDED
      message.score_ended = scratch.build {
        $0.entry_ms = entry.milliseconds
        $0.end_ms = end.milliseconds
      }
    case .scoreNotPositive(let score, let entry):
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_SCORE_NOT_POSITIVE
      message.score_not_positive = scratch.build {
        $0.score = score
        $0.entry_ms = entry.milliseconds
      }
    case .scoreNotCounted(let score, let entry):
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_SCORE_NOT_COUNTED
      message.score_not_counted = scratch.build {
        $0.score = score
        $0.entry_ms = entry.milliseconds
      }
    case .pinNotInForce(let pin, let next):
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_PIN_NOT_IN_FORCE
      message.pin_not_in_force = scratch.build {
        $0.pin = scratch.message(pin)
        guard let next else { return }
        $0.maybe_next_case = MARQUEE__V1__PIN_NOT_IN_FORCE__MAYBE_NEXT_NEXT_MS
        $0.next_ms = next.milliseconds
      }
    case .scoreAhead(let date):
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_SCORE_AHEAD_MS
      message.score_ahead_ms = date.milliseconds
    case .windowAhead(let start):
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_WINDOW_AHEAD_MS
      message.window_ahead_ms = start.milliseconds
    case .windowEnded(let end):
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_WINDOW_ENDED_MS
      message.window_ended_ms = end.milliseconds
    case .onlyWatchFace:
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_ONLY_WATCH_FACE
      message.only_watch_face = 1
    case .useNotLearned:
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_USE_NOT_LEARNED
      message.use_not_learned = 1
    case .useUnlikely(let probability, let required):
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_USE_UNLIKELY
      message.use_unlikely = scratch.build {
        $0.probability = probability
        $0.required = required
      }
    case .unlikely(let probability, let required):
      message.gap_case = MARQUEE__V1__EVIDENCE_GAP__GAP_UNLIKELY
      message.unlikely = scratch.build {
        $0.probability = probability
        $0.required = required
      }
    }
  }
}
