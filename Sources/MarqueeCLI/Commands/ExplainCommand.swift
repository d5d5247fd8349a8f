import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee explain`
struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a stack's current front: its candidates, their evidence and their gates.",
    discussion: """
      If an app has relevant widgets that the device does not show, the output also lists which could be suggested on \
      the stack, and why they are not. An explanation for a future time assumes that no events occur until then.
      """)

  @Argument(help: "DEVICE/STACK, or STACK if only one device has it.", completion: .stackNames)
  var stack: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("When: \(TimeArgument.help).", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var at: TimeArgument?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let (device, stack) = try await session.stack(self.stack)
      let instant = try at?.instant(now: device.now, clock: try device.clock)
      let answer = try await session.operators.explanation(of: stack, on: device.device, at: instant)
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(
        json: answer.json(on: device.device, clock),
        lines: answer.explanation.lines(on: device.device, clock, session.terminal, answer.names)
          + answer.suggestions.suggestionLines(clock, session.terminal, answer.names))
    }
  }
}

extension ExplainResponse {
  fileprivate func json(on device: DeviceID, _ clock: DeviceClock) -> JSONValue {
    guard case .object(let fields) = explanation.json(on: device, clock, names) else {
      preconditionFailure("an explanation is an object")
    }
    return .object(fields + [.init("suggestions", suggestions.suggestionJSON(on: device, clock, names))])
  }
}

extension Explanation {
  /// Returns the JSON of the explanation of possible suggestions.
  func suggestionJSON(on device: DeviceID, _ clock: DeviceClock, _ names: SentenceNames = .none) -> JSONValue {
    let summary = suggestionSummary(format: { clock.shortly($0, now: at) }, name: names.name)
    return json(on: device, clock, names, summary: summary)
  }

  /// Returns the possible suggestions and their gates after an empty line, or no lines if there are none.
  func suggestionLines(_ clock: DeviceClock, _ terminal: Terminal, _ names: SentenceNames = .none) -> [String] {
    guard !candidates.isEmpty else { return [] }
    let summary = suggestionSummary(format: { clock.shortly($0, now: at) }, name: names.name)
    let lines = candidates.flatMap { [""] + $0.lines(clock, now: at, terminal, names) }
    return ["", terminal.styled("Not on the Home Screen: ", .bold) + summary + "."] + lines
  }

  /// Returns the explanation as JSON.
  func json(on device: DeviceID, _ clock: DeviceClock, _ names: SentenceNames = .none) -> JSONValue {
    let summary = summary(format: { clock.shortly($0, now: at) }, name: names.name)
    return json(on: device, clock, names, summary: summary)
  }

  private func json(
    on device: DeviceID, _ clock: DeviceClock, _ names: SentenceNames, summary: String
  ) -> JSONValue {
    .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("stack", .string(stack.text)),
        .init("front", front.map { .string($0.exactText) } ?? .null),
        .init("chosen", chosen.map { .string($0.exactText) } ?? .null),
        .init("summary", .string(summary)),
        .init("candidates", .array(candidates.map { $0.json(at, clock, names) })),
      ])
  }

  /// Returns the explanation as text.
  func lines(
    on device: DeviceID, _ clock: DeviceClock, _ terminal: Terminal, _ names: SentenceNames = .none
  ) -> [String] {
    var lines = [
      terminal.styled("\(device)/\(stack)", .bold)
        + "  \(clock.day(at)) \(clock.timeOfDay(at)), \(clock.zone.identifier)",
      summary(format: { clock.shortly($0, now: at) }, name: names.name) + ".",
    ]
    for candidate in candidates { lines += [""] + candidate.lines(clock, now: at, terminal, names) }
    return lines
  }
}

extension Candidate {
  fileprivate func lines(
    _ clock: DeviceClock, now: Instant, _ terminal: Terminal, _ names: SentenceNames
  ) -> [String] {
    [headline(clock, now: now, terminal)] + signals.flatMap(\.lines)
      + gates.map { gate in
        let summary = summary(of: gate, format: { clock.shortly($0, now: now) }, name: names.name)
        return gate.line(summary, clock, now: now, terminal)
      }
  }

  private func headline(_ clock: DeviceClock, now: Instant, _ terminal: Terminal) -> String {
    let since = episodeStart.map { ", episode since \(clock.shortly($0, now: now))" } ?? ""
    let expired = expiry.map { ", entry expired at \(clock.shortly($0, now: now))" } ?? ""
    return "\(isInFront ? "▸" : " ") " + terminal.styled(widget.exactText, .bold)
      + "  evidence \(evidenceWords)\(since)\(expired)\(isInFront ? ", in front" : "")"
  }

  fileprivate func json(_ now: Instant, _ clock: DeviceClock, _ names: SentenceNames) -> JSONValue {
    .object(
      [
        .init("widget", .string(widget.exactText)), .init("index", .integer(Int64(position))),
        .init("in_front", .boolean(isInFront)), .init("evidence", .number(evidence)),
      ] + .time("episode_start", episodeStart, clock) + [
        .init("summary", .string(summary(format: { clock.shortly($0, now: now) }, name: names.name))),
        .init("signals", .array(signals.map(\.json))), .init("gates", .array(gates.map { $0.json(now, clock) })),
        .init("pin", pin?.json ?? .null),
        .init("representative", representative.map { .string($0.exactText) } ?? .null),
      ] + .time("expiry", expiry, clock))
  }
}

extension SignalShare {
  fileprivate var lines: [String] {
    [line] + (habit.map { ["      " + $0.words] } ?? [])
  }

  private var line: String {
    let label = TimelineGraph.label
    let counted = engagement.map { "; times \(label(($0 * 1000).rounded() / 10)) % for past reactions" }
    return "    \(signal): score \(label(score)) of \(label(reference)), strength \(label(strength)), "
      + "weight \(label(weight)), share \(label(share))\(counted ?? "")"
  }

  /// The fraction of the signal's strength that remains after its engagement adjustment (rule R11), or `nil` if the
  /// strength is unadjusted. Strengths are rounded to 20 binary places, so smaller differences are ignored.
  private var engagement: Double? {
    let plain = score / reference
    guard plain.isFinite, plain > 0, (plain - strength).magnitude > 1e-5 else { return nil }
    return strength / plain
  }

  fileprivate var json: JSONValue {
    .object([
      .init("signal", .string(signal.description)), .init("score", .number(score)),
      .init("reference", .number(reference)), .init("strength", .number(strength)), .init("weight", .number(weight)),
      .init("share", .number(share)), .init("engagement", .number(engagement ?? 1)),
      .init("habit", habit?.json ?? .null),
    ])
  }
}

extension GateResult {
  fileprivate func line(_ summary: String, _ clock: DeviceClock, now: Instant, _ terminal: Terminal) -> String {
    let mark = isPassed ? terminal.styled("✓", .green) : terminal.styled("✗", .red)
    let width = (Gate.allCases.map(\.description.count).max() ?? 0) + 2
    let name = gate.description + String(repeating: " ", count: width - gate.description.count)
    let clears = isPassed ? "" : clears.map { "; opens at \(clock.shortly($0, now: now))" } ?? ""
    return "    \(mark) \(name)\(summary)\(clears)"
  }

  /// Returns the gate as JSON.
  func json(_ now: Instant, _ clock: DeviceClock) -> JSONValue {
    .object(
      [
        .init("gate", .string(gate.description)), .init("passed", .boolean(isPassed)),
        .init("measured", .number(measured)), .init("required", .number(required)),
        .init("unit", .string(gate.unit)),
        .init("summary", .string(summary { clock.shortly($0, now: now) })),
        .init("episode_end", episodeEnd.map { .string("\($0)") } ?? .null),
      ] + .time("clears", clears, clock) + .time("since", since, clock))
  }
}
