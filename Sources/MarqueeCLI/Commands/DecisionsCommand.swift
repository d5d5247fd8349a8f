import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee decisions`
struct DecisionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decisions", abstract: "List decisions with their reasons, newest first.")

  @Argument(
    help: "Only decisions of this stack: DEVICE/STACK, or STACK if only one device has it.", completion: .stackNames)
  var stack: String?

  @Option(help: "The device; required without a stack if there are several.", completion: .deviceNames)
  var device: String?

  @Option(name: [.long, .short], help: "The maximum number of results.")
  var count = 20

  @Option(help: ArgumentHelp("Only decisions with a lower number.", valueName: "number"))
  var before: UInt64?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard (1...ListDecisionsRequest.countMax).contains(count) else {
      throw ValidationError("--count must be from 1 to \(ListDecisionsRequest.countMax)")
    }
  }

  func run() async throws {
    try await server.run { session in
      let device: DeviceID
      var stack: StackID?
      if let text = self.stack {
        let found = try await session.stack(self.device.map { "\($0)/\(text)" } ?? text)
        (device, stack) = (found.device.device, found.stack)
      } else {
        device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      }
      let answer = try await session.operators.decisions(on: device, stack: stack, before: before, count: count)
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(
        json: .object([.init("decisions", .array(answer.decisions.map { $0.json(on: device, clock, answer.names) }))]),
        lines: Self.lines(answer.decisions, clock, answer.names))
    }
  }

  private static func lines(_ decisions: [Decision], _ clock: DeviceClock, _ names: SentenceNames) -> [String] {
    guard !decisions.isEmpty else { return ["No decisions."] }
    var table = Table(
      .init("#", .right), .init("TIME"), .init("STACK"), .init("WHAT"), .init("TITLE"), .init("TO"),
      .init("REASON"))
    for decision in decisions {
      table.append(
        String(decision.number), "\(clock.day(decision.at)) \(clock.timeOfDay(decision.at))", decision.stack.text,
        "\(decision.kind)", names.name(of: decision.to), decision.to.exactText,
        decision.explanation.summary(format: { clock.shortly($0, now: decision.at) }, name: names.name))
    }
    return table.lines
  }
}

extension Decision {
  /// The decision as JSON.
  func json(on device: DeviceID, _ clock: DeviceClock, _ names: SentenceNames) -> JSONValue {
    .object(
      [.init("number", .integer(Int64(clamping: number)))] + .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("stack", .string(stack.text)), .init("kind", .string("\(kind)")),
        .init("from", from.map { .string($0.exactText) } ?? .null), .init("to", .string(to.exactText)),
        .init("reason", .string(explanation.summary(format: { clock.shortly($0, now: at) }, name: names.name))),
        .init("explanation", explanation.json(on: device, clock, names)),
      ])
  }
}
