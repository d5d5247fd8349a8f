import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// `marquee why-not`
struct WhyNotCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why-not",
    abstract: "Explain why a widget is not in front: the obstacles, in order.",
    discussion: """
      WIDGET can also be a widget that is in no stack; then the command explains why it is not suggested. Each \
      obstacle is determined with the preceding ones removed; with all of them removed, the widget comes to the front. \
      The last one can be a pin that begins later, and is in force when the others have disappeared. \
      An answer for a future time assumes that no events occur until then.
      """)

  @Argument(help: "DEVICE/STACK, or STACK if only one device has it.", completion: .stackNames)
  var stack: String

  @Argument(
    help: "APP/KIND(PARAMETER=VALUE, …), or a short form, unambiguous in the stack or else on the device.",
    completion: .widgetNames)
  var widget: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("When: \(TimeArgument.help).", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var at: TimeArgument?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let (device, stack) = try await session.stack(self.stack)
      let names = try await NameDirectory.fetch(device: device.device.text, .widgets, session)
      let stacks = try await session.stacks(of: device.device)
      let widget = try NameDirectory.widgetToShow(self.widget, in: stack, of: stacks, on: names)
      let instant = try at?.instant(now: device.now, clock: try device.clock)
      let answer = try await session.operators.whyNot(widget, in: stack, on: device.device, at: instant)
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(
        json: answer.whyNot.json(on: device.device, clock, answer.names),
        lines: answer.whyNot.lines(on: device.device, clock, session.terminal, answer.names))
    }
  }
}

extension WhyNot {
  /// Returns the answer as JSON.
  func json(on device: DeviceID, _ clock: DeviceClock, _ names: SentenceNames = .none) -> JSONValue {
    .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("stack", .string(stack.text)),
        .init("widget", .string(widget.exactText)), .init("in_front", .boolean(obstacles.isEmpty)),
        .init("summary", .string(summary(format: { clock.shortly($0, now: at) }, name: names.name))),
        .init("obstacles", .array(obstacles.map { $0.json(at, clock, names) })),
      ])
  }

  /// Returns the answer as text.
  func lines(
    on device: DeviceID, _ clock: DeviceClock, _ terminal: Terminal, _ names: SentenceNames = .none
  ) -> [String] {
    let then = obstacles.dropFirst().map { obstacle in
      "  then: \(assumption(for: obstacle))\(obstacle.line(clock, now: at, names))"
    }
    return [
      terminal.styled("\(device)/\(stack)", .bold)
        + "  \(clock.day(at)) \(clock.timeOfDay(at)), \(clock.zone.identifier)",
      summary(format: { clock.shortly($0, now: at) }, name: names.name)
        + (first.map { $0.exact + $0.clearing(clock, now: at) } ?? "") + ".",
    ] + then
  }
}

extension WhyNot {
  /// Returns the beginning of the sentence for an obstacle with numbers that assume evidence, which the widget lacks.
  private func assumption(for obstacle: Obstacle) -> String {
    guard case .noEvidence(let gap) = first, case .gate(let result) = obstacle,
      [.margin, .occupancy, .threshold].contains(result.gate)
    else { return "" }
    return switch gap {
    case .entryExpired, .pinNotInForce: ""
    case .scoreAhead, .scoreEnded: "even with that score, "
    default: "even while its app marks it as relevant, "
    }
  }
}

extension Obstacle {
  /// Returns the obstacle as a sentence, with the time at which it ends by itself.
  fileprivate func line(_ clock: DeviceClock, now: Instant, _ names: SentenceNames) -> String {
    summary(format: { clock.shortly($0, now: now) }, name: names.name) + exact + clearing(clock, now: now) + "."
  }

  /// The other widget in the form that arguments accept.
  fileprivate var exact: String { other.map { " (\($0.exactText))" } ?? "" }

  /// Returns the time at which the obstacle ends by itself, unless its summary states that.
  fileprivate func clearing(_ clock: DeviceClock, now: Instant) -> String {
    switch self {
    case .noEvidence: return ""
    case .gate(let result) where result.gate == .blocked: return ""
    case .gate, .elsewhereOnHomeScreen, .suggested, .covered, .pinned, .represented, .outranked: break
    }
    return clears.map { "; that ends at \(clock.shortly($0, now: now))" } ?? ""
  }

  fileprivate func json(_ now: Instant, _ clock: DeviceClock, _ names: SentenceNames) -> JSONValue {
    let (name, details) = parts(now, clock)
    return .object(
      [
        .init("obstacle", .string(name)),
        .init("summary", .string(summary(format: { clock.shortly($0, now: now) }, name: names.name))),
      ] + .time("clears", clears, clock)
        + ["gap", "gate", "by", "on"].map { key in details.first { $0.name == key } ?? .init(key, .null) })
  }

  /// Returns the obstacle's name and its specific fields.
  private func parts(_ now: Instant, _ clock: DeviceClock) -> (name: String, details: [JSONValue.Field]) {
    switch self {
    case .elsewhereOnHomeScreen: ("elsewhere_on_home_screen", [])
    case .suggested(let stack): ("suggested", [.init("on", .string(stack.text))])
    case .covered(let widget): ("covered", [.init("by", .string(widget.exactText))])
    case .noEvidence(let gap): ("no_evidence", [.init("gap", .string(gap.name))])
    case .gate(let result): ("gate", [.init("gate", result.json(now, clock))])
    case .pinned(let widget, _): ("pinned", [.init("by", .string(widget.exactText))])
    case .represented(let widget): ("represented", [.init("by", .string(widget.exactText))])
    case .outranked(let widget): ("outranked", [.init("by", .string(widget.exactText))])
    }
  }
}

extension EvidenceGap {
  /// The name of the gap in JSON.
  fileprivate var name: String {
    switch self {
    case .unknown: "unknown"
    case .entryExpired: "entry_expired"
    case .scoreEnded: "score_ended"
    case .scoreNotPositive: "score_not_positive"
    case .scoreNotCounted: "score_not_counted"
    case .pinNotInForce: "pin_not_in_force"
    case .scoreAhead: "score_ahead"
    case .windowAhead: "window_ahead"
    case .windowEnded: "window_ended"
    case .onlyWatchFace: "only_watch_face"
    case .useNotLearned: "use_not_learned"
    case .useUnlikely: "use_unlikely"
    case .unlikely: "unlikely"
    }
  }
}
