import ArgumentParser
import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTerminal

/// `marquee simulate`
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Replay a scenario in virtual time and print what each stack showed, when, and why.",
    discussion: """
      SCENARIO is YAML: the initial state of a device and its events. No server is needed; the decisions are identical \
      to a server's. Times use the scenario's time zone and first day, and offsets count from its start.
      """)

  @Argument(help: "The scenario file.", completion: .file(extensions: ["yaml", "yml"]))
  var scenario: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The end of the simulation; defaults to the end of the last event's day.", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var until: TimeArgument?

  @Option(help: "Only this stack.")
  var stack: String?

  @Flag(help: "Write JSON.")
  var json = false

  @Option(help: ArgumentHelp("Write a chart of the day to this SVG file.", valueName: "file"), completion: .file())
  var svg: String?

  @Option(help: ArgumentHelp("Write a chart of the day to this PNG file.", valueName: "file"), completion: .file())
  var png: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Explain the stacks at this time instead of printing the day.", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var explain: TimeArgument?

  @Option(
    help: ArgumentHelp("Explain why this widget is not in front; requires --at.", valueName: "widget")
  )
  var whyNot: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The time for --why-not.", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var at: TimeArgument?

  func validate() throws {
    guard (whyNot == nil) == (at == nil) else { throw ValidationError("--why-not and --at must be given together") }
    guard whyNot == nil || explain == nil else {
      throw ValidationError("--why-not and --explain are mutually exclusive")
    }
  }

  func run() throws {
    let progress = ProgressMeter("Reading \(scenario)")
    defer { progress.end() }
    let scenario = try readScenario()
    let clock = scenario.clock
    func instant(_ time: TimeArgument) throws(CommandFailure) -> Instant {
      try time.instant(now: scenario.begin, clock: clock)
    }
    let end = try until.map(instant)
    let day: SimulatedDay
    progress.begin("Simulating \(self.scenario)")
    do {
      day = try Simulation.day(of: scenario, until: end) { now, end in
        progress.note(.share(scenario.begin.span(to: now).seconds / scenario.begin.span(to: end).seconds))
      }
    } catch {
      throw CommandFailure(.rejected, "\(self.scenario): \(error)")
    }
    progress.begin("Writing the results of \(self.scenario)")
    let view = DayView(day: day, stack: try stack.map { text in try Self.stack(text, of: day) })
    if svg != nil || png != nil { try draw(view) }
    if let explain {
      write(try view.explanations(at: try instant(explain)))
    } else if let whyNot, let at {
      write(try view.whyNot(whyNot, at: try instant(at)))
    } else if svg == nil && png == nil || json {
      write((view.json, view.lines))
    }
  }

  private func write(_ answer: (json: JSONValue, lines: [String])) {
    if json {
      Terminal.standard.write(answer.json)
    } else {
      Terminal.standard.write(answer.lines)
    }
  }

  private func readScenario() throws(CommandFailure) -> Scenario {
    let message: String
    do {
      let text = try TextFile.text(path: scenario, sizeMax: Scenario.textSizeMax)
      return try Scenario(yaml: text)
    } catch let failure as TextFile.Failure {
      message = failure.message
    } catch {
      message = "\(error)"
    }
    throw CommandFailure(.rejected, "\(scenario): \(message)")
  }

  private func draw(_ view: DayView) throws(CommandFailure) {
    let picture = DayPicture(view.day, stack: view.stack)
    if let svg { try OutputFile.write(Array(picture.svg.utf8), to: svg) }
    if let png { try OutputFile.write(try PNGImage(svg: picture.svg, size: picture.size, scale: 2).bytes, to: png) }
  }

  private static func stack(_ text: String, of day: SimulatedDay) throws(CommandFailure) -> StackID {
    guard let found = day.stacks.first(where: { $0.id.text.hasBytes(of: text) }) else {
      throw .notFound("stack", text, known: day.stacks.map(\.id.text))
    }
    return found.id
  }
}
