import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee foresee`
struct ForeseeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "foresee", abstract: "List the decisions that a device makes if nothing happens.",
    discussion: """
      Timelines, windows and habits continue, but no app publishes anything, and the user does nothing. The more \
      happens, the more the decisions differ.
      """)

  @Argument(
    help: "Only this stack: DEVICE/STACK, or STACK if only one device has it.", completion: .stackNames)
  var stack: String?

  @Option(help: "The device; required without a stack if there are several.", completion: .deviceNames)
  var device: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The end, at most 48 hours ahead: \(TimeArgument.help); defaults to +24h.", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var until: TimeArgument?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let found: NameDirectory.DeviceNames
      var stack: StackID?
      if let text = self.stack {
        (found, stack) = try await session.stack(device.map { "\($0)/\(text)" } ?? text)
      } else {
        found = try await NameDirectory.fetch(device: device, .devices, session)
      }
      let until = try until?.instant(now: found.now, clock: try found.clock)
      if let until, until < found.now || until > found.now.advanced(by: Foresight.durationMax) {
        throw CommandFailure(.usage, "--until must be within the 48 hours after the device's time")
      }
      let answer = try await session.operators.foresight(of: found.device, until: until).only(stack)
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(json: answer.json(on: found.device, clock), lines: answer.lines(clock))
    }
  }
}

extension ForeseeResponse {
  /// Returns the response with one stack, or with all stacks if `stack` is `nil`.
  fileprivate func only(_ stack: StackID?) -> ForeseeResponse {
    guard let stack else { return self }
    var response = self
    response.decisions.removeAll { $0.stack != stack }
    response.stacks.removeAll { $0.stack != stack }
    return response
  }

  fileprivate func json(on device: DeviceID, _ clock: DeviceClock) -> JSONValue {
    .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("time_zone", .string(timeZone.text)),
      ] + .time("until", until, clock) + [
        .init("decisions", .array(decisions.map { $0.json(on: device, clock, names) })),
        .init("stacks", .array(stacks.map { $0.json(clock) })),
      ])
  }

  /// The changes of fronts, oldest first, each with the reason of its decision, and the period.
  fileprivate func lines(_ clock: DeviceClock) -> [String] {
    var table = Table(.init("TIME"), .init("STACK"), .init("WHAT"), .init("TITLE"), .init("TO"), .init("REASON"))
    let changes = stacks.flatMap { stack in stack.fronts.dropFirst().map { (stack: stack.stack, front: $0) } }
    for change in changes.sorted(by: { $0.front.at < $1.front.at }) {
      let decision = decisions.first {
        $0.at == change.front.at && $0.stack == change.stack && $0.to == change.front.widget
      }
      table.append(
        "\(clock.day(change.front.at)) \(clock.timeOfDay(change.front.at))", change.stack.text,
        decision.map { "\($0.kind)" } ?? "suggestion ends", change.front.widget.map(names.name) ?? "",
        change.front.widget?.exactText ?? "",
        decision.map { decision in
          decision.explanation.summary(format: { clock.shortly($0, now: decision.at) }, name: names.name)
        } ?? "")
    }
    let end = "Until \(clock.day(until)) \(clock.timeOfDay(until)), if nothing happens."
    return changes.isEmpty ? ["No stack changes.", end] : table.lines + [end]
  }
}

extension ForeseenStack {
  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    .object([
      .init("stack", .string(stack.text)),
      .init(
        "fronts",
        .array(
          fronts.map { front in
            .object(
              .time("at", front.at, clock) + [
                .init("widget", front.widget.map { .string($0.exactText) } ?? .null)
              ])
          })),
      .init(
        "curves",
        .array(
          curves.map { curve in
            .object([
              .init("widget", .string(curve.widget.exactText)),
              .init("points", .array(curve.points.map { $0.json(clock) })),
            ])
          })),
    ])
  }
}

extension EvidenceCurve.Point {
  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    .object(.time("at", at, clock) + [.init("evidence", .number(evidence))])
  }
}
