internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

// Summaries are included for clients that do not generate their own; Swift clients generate them from the value.

extension SignalShare: WireValue {
  init(_ message: Marquee__V1__SignalShare) throws(RequestError) {
    let name = try Field.text(message.signal, "signal")
    guard let signal = Signal.allCases.first(where: { $0.description == name }) else {
      throw RequestError(.invalidArgument, field: "signal", "unknown signal")
    }
    self.init(
      signal: signal,
      score: try Field.finite(message.score, "score"),
      reference: try Field.finite(message.reference, "reference"),
      strength: try Field.finite(message.strength, "strength"),
      weight: try Field.finite(message.weight, "weight"),
      share: try Field.finite(message.share, "share"),
      habit: try Field.optional(message.habit, "habit"))
  }

  func fill(_ message: inout Marquee__V1__SignalShare, _ scratch: EncodeScratch) {
    message.signal = scratch.text(signal.description)
    message.score = score
    message.reference = reference
    message.strength = strength
    message.weight = weight
    message.share = share
    message.habit = scratch.message(habit)
  }
}

extension HabitReasons: WireValue {
  init(_ message: Marquee__V1__HabitReasons) throws(RequestError) {
    guard message.slot_minute < 1_440 else {
      throw RequestError(.invalidArgument, field: "slot_minute", "\(message.slot_minute) is not less than 1440")
    }
    guard message.done_day_count <= message.day_count else {
      throw RequestError(
        .invalidArgument, field: "done_day_count", "\(message.done_day_count) exceeds day_count (\(message.day_count))")
    }
    guard message.followed_count <= message.previous_count else {
      throw RequestError(
        .invalidArgument, field: "followed_count",
        "\(message.followed_count) exceeds previous_count (\(message.previous_count))")
    }
    self.init(
      slotMinute: Int(message.slot_minute), isDayOff: message.day_off != 0, dayCount: Int(message.day_count),
      doneDayCount: Int(message.done_day_count), previousCount: Int(message.previous_count),
      followedCount: Int(message.followed_count), routine: try Self.routine(message))
  }

  func fill(_ message: inout Marquee__V1__HabitReasons, _ scratch: EncodeScratch) {
    message.slot_minute = UInt32(clamping: slotMinute)
    message.day_off = isDayOff ? 1 : 0
    message.day_count = UInt32(clamping: dayCount)
    message.done_day_count = UInt32(clamping: doneDayCount)
    message.previous_count = UInt32(clamping: previousCount)
    message.followed_count = UInt32(clamping: followedCount)
    message.summary = scratch.text(words)
    guard let routine else { return }
    message.routine = Marquee__V1__RoutineSituation(routine.situation)
    message.routine_percentage = UInt32(routine.percentage)
  }

  private static func routine(_ message: Marquee__V1__HabitReasons) throws(RequestError) -> Routine? {
    guard message.routine != MARQUEE__V1__ROUTINE_SITUATION__ROUTINE_SITUATION_UNSPECIFIED else { return nil }
    guard (1...100).contains(message.routine_percentage) else {
      throw RequestError(
        .invalidArgument, field: "routine_percentage", "\(message.routine_percentage) is outside 1 ... 100")
    }
    return Routine(try RoutineSituation(message.routine, "routine"), percentage: Int(message.routine_percentage))
  }
}

extension GateResult: WireValue {
  init(_ message: Marquee__V1__Gate) throws(RequestError) {
    let name = try Field.text(message.name, "name")
    guard let gate = Gate.allCases.first(where: { $0.description == name }) else {
      throw RequestError(.invalidArgument, field: "name", "unknown gate")
    }
    guard !message.measured.isNaN else { throw RequestError(.invalidArgument, field: "measured", "must not be NaN") }
    let clears = message.maybe_clears_case == MARQUEE__V1__GATE__MAYBE_CLEARS_CLEARS_MS
    let since = message.maybe_since_case == MARQUEE__V1__GATE__MAYBE_SINCE_SINCE_MS
    let hasEnd = message.episode_end != MARQUEE__V1__EPISODE_END__EPISODE_END_UNSPECIFIED
    self.init(
      gate, isPassed: message.passed != 0,
      measured: message.measured,
      required: try Field.finite(message.required, "required"),
      clears: clears ? try Field.instant(message.clears_ms, "clears_ms") : nil,
      since: since ? try Field.instant(message.since_ms, "since_ms") : nil,
      episodeEnd: hasEnd ? try EpisodeEnd(message.episode_end, "episode_end") : nil)
  }

  func fill(_ message: inout Marquee__V1__Gate, _ scratch: EncodeScratch) {
    message.name = scratch.text(gate.description)
    message.passed = isPassed ? 1 : 0
    message.measured = measured
    message.required = required
    message.unit = scratch.text(gate.unit)
    if let clears {
      message.maybe_clears_case = MARQUEE__V1__GATE__MAYBE_CLEARS_CLEARS_MS
      message.clears_ms = clears.milliseconds
    }
    if let since {
      message.maybe_since_case = MARQUEE__V1__GATE__MAYBE_SINCE_SINCE_MS
      message.since_ms = since.milliseconds
    }
    if let episodeEnd { message.episode_end = Marquee__V1__EpisodeEnd(episodeEnd) }
    message.summary = scratch.text(summary())
  }
}

/// The time, stack and previous front are part of the explanation; they are repeated for clients that do not decode it.
extension Decision: WireValue {
  init(_ message: Marquee__V1__Decision) throws(RequestError) {
    self.init(
      kind: try Kind(message.kind, "kind"),
      number: message.number,
      to: try Field.required(message.to, "to"),
      explanation: try Field.required(message.explanation, "explanation"))
  }

  func fill(_ message: inout Marquee__V1__Decision, _ scratch: EncodeScratch) { fill(&message, .none, scratch) }

  /// Encodes the decision with the names of widgets in summaries.
  func fill(_ message: inout Marquee__V1__Decision, _ names: SentenceNames, _ scratch: EncodeScratch) {
    message.number = number
    message.at_ms = at.milliseconds
    message.stack = scratch.text(stack)
    message.from = scratch.message(from)
    message.to = scratch.message(to)
    message.explanation = scratch.build {
      explanation.fill(&$0, explanation.summary(name: names.name), names, scratch)
    }
    message.kind = Marquee__V1__DecisionKind(kind)
  }
}
