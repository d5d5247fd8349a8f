import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee predict`
struct PredictCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "predict",
    abstract: "Predict the user's actions in the next half hour, with probabilities and reasons.",
    discussion: """
      Every action learned from donations is listed separately, general actions next to the specific ones that they \
      include. Actions marked ● are probable enough to count as evidence for widgets. A prediction for a future time \
      assumes that no events occur until then.
      """)

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("When: \(TimeArgument.help).", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var at: TimeArgument?

  @Option(name: [.long, .short], help: "The maximum number of results, up to \(PredictRequest.countMax).")
  var count = PredictRequest.countDefault

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard (1...PredictRequest.countMax).contains(count) else {
      throw ValidationError("--count must be from 1 to \(PredictRequest.countMax)")
    }
  }

  func run() async throws {
    try await server.run { session in
      let found = try await NameDirectory.fetch(device: self.device, .devices, session)
      let instant = try at?.instant(now: found.now, clock: try found.clock)
      let answer = try await session.operators.prediction(on: found.device, at: instant, count: count)
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(
        json: answer.json(on: found.device, clock), lines: answer.lines(on: found.device, clock, session.terminal))
    }
  }
}

extension PredictResponse {
  fileprivate func json(on device: DeviceID, _ clock: DeviceClock) -> JSONValue {
    .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)),
        .init("place", context.place.map { .string($0.text) } ?? .null),
        .init("focus", context.focus.map { .string($0.text) } ?? .null),
        .init("routine", context.routine.map { .string("\($0.situation)") } ?? .null),
      ] + .time("routine_start", context.routine?.at, clock) + [
        .init("action_count", .integer(Int64(actionCount))),
        .init("evidence_probability_min", .number(evidenceProbabilityMin)),
        .init("actions", .array(actions.map { $0.json(evidenceFrom: evidenceProbabilityMin) })),
      ])
  }

  fileprivate func lines(on device: DeviceID, _ clock: DeviceClock, _ terminal: Terminal) -> [String] {
    let context = context.text
    let headline =
      terminal.styled("\(device)", .bold) + "  \(clock.day(at)) \(clock.timeOfDay(at)), \(clock.zone.identifier)"
      + (context.isEmpty ? "" : ", \(context)")
    guard !actions.isEmpty else { return [headline, emptyText] }
    var table = Table(.init(""), .init("LIKELY", .right), .init("WHAT"), .init("APP"), .init("WHY"))
    for action in actions {
      table.append(
        action.probability >= evidenceProbabilityMin ? "●" : "",
        action.percentage(comparedWith: evidenceProbabilityMin), action.display.text, action.action.app.text,
        action.reasons.words)
    }
    let rest = actionCount - actions.count
    return [headline] + table.lines + (rest > 0 ? ["… and \(rest) less likely."] : [])
  }

  /// Why no action is listed.
  private var emptyText: String {
    guard actionCount > 0 else {
      return "No actions learned: no donation satisfies a combination of a type that is eligible for suggestions."
    }
    let actions = actionCount == 1 ? "1 action is known, but was" : "\(actionCount) actions are known, but each was"
    return "Nothing is predicted now: \(actions) done fewer than 3 times, on fewer than 2 days, or too recently."
  }
}

extension LikelyAction {
  /// Returns the probability as text: `43 %`, `0.4 %`. One below the minimum is not rounded to it: `19.6 %`.
  fileprivate func percentage(comparedWith minimum: Double) -> String {
    let percentage = probability * 100
    let count = percentage.decimalCount(comparedWith: minimum * 100, atLeast: percentage < 10 ? 1 : 0)
    return percentage.rounded(decimalCount: count).words(decimalCount: count) + " %"
  }

  fileprivate func json(evidenceFrom least: Double) -> JSONValue {
    .object([
      .init("app", .string(action.app.text)), .init("action", .string(action.exactText)),
      .init("kind", .string(action.kind)), .init("probability", .number(probability)),
      .init("evidence", .boolean(probability >= least)), .init("habit", reasons.json),
      .init("display", display.json),
    ])
  }
}

extension HabitReasons {
  /// The reasons as JSON.
  var json: JSONValue {
    .object([
      .init("summary", .string(words)), .init("slot_minute", .integer(Int64(slotMinute))),
      .init("day_off", .boolean(isDayOff)), .init("day_count", .integer(Int64(dayCount))),
      .init("done_day_count", .integer(Int64(doneDayCount))),
      .init("previous_count", .integer(Int64(previousCount))),
      .init("followed_count", .integer(Int64(followedCount))),
      .init("routine", routine.map { .string("\($0.situation)") } ?? .null),
      .init("routine_percentage", routine.map { .integer(Int64($0.percentage)) } ?? .null),
    ])
  }
}
