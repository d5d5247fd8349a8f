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
    help: ArgumentHelp(
      "The end, at most 48 hours ahead, such as +12h, 18:00 or \"tomorrow 9:00\"; defaults to +24h.",
      valueName: "time"),
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
      let until = try until?.instant(now: found.now, clock: try found.clock, isAhead: true)
      if let until, until < found.now || until > found.now.advanced(by: Foresight.durationMax) {
        throw CommandFailure(.usage, "--until must be within the 48 hours after the device's time")
      }
      let answer = try await session.operators.foresight(of: found.device, until: until).only(stack)
      let clock = try DeviceClock(answer.timeZone.text)
      let isCut = answer.until < until ?? answer.at.advanced(by: .hours(24))
      let ending = ", if nothing happens." + (isCut ? " The list ends early, because it would be too long." : "")
      session.write(
        json: answer.json(on: found.device, clock), lines: answer.lines(clock, ending: ending, hasEvents: false))
    }
  }
}
