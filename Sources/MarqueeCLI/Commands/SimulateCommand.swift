import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee simulate`
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Replay a scenario in virtual time and print what each stack showed, when, and why.",
    discussion: """
      SCENARIO is YAML: the initial state of a device and its events. A calendar, a table or the YAML of "lint" is \
      converted to a scenario with its timelines and a clock in one stack. No server is needed; the decisions are \
      identical to a server's. With --remote, the server runs the scenario, and the output is that of "foresee". Times \
      use the scenario's time zone and first day, and offsets count from its start.
      """)

  @Argument(
    help: "A scenario file, or a file whose name ends in .ics or .csv.",
    completion: .file(extensions: ["yaml", "yml", "ics", "csv"]))
  var scenario: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The end of the simulation; defaults to the end of the last event's day.", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var until: TimeArgument?

  @Option(help: "Only this stack.")
  var stack: String?

  @Flag(help: "Have the server run the scenario.")
  var remote = false

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("With --remote, a policy setting to override from the beginning on.", valueName: "name=value"))
  var settings: [String] = []

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

  @Flag(help: "Print the scenario, to which another file is converted, instead of simulating it.")
  var showScenario = false

  @OptionGroup var feed: FeedFileOptions
  @OptionGroup var server: ServerOptions

  func validate() throws {
    try feed.validate(dayCountMax: FeedOptions.dayCountMax)
    guard !showScenario || !remote else { throw ValidationError("--remote and --show-scenario are mutually exclusive") }
    guard !remote || svg == nil && png == nil && explain == nil && whyNot == nil else {
      throw ValidationError("--remote cannot be combined with --svg, --png, --explain or --why-not")
    }
    guard remote || settings.isEmpty else { throw ValidationError("--set requires --remote") }
    guard (whyNot == nil) == (at == nil) else { throw ValidationError("--why-not and --at must be given together") }
    guard whyNot == nil || explain == nil else {
      throw ValidationError("--why-not and --explain are mutually exclusive")
    }
  }

  func run() async throws {
    if remote { try await runRemotely() } else { try runLocally() }
  }

  private func runLocally() throws {
    let progress = ProgressMeter("Reading \(scenario)")
    defer { progress.end() }
    let source = try readSource()
    let scenario = source.scenario
    if showScenario { return write(source.converted ?? scenario.yaml) }
    let clock = scenario.clock
    func instant(_ time: TimeArgument) throws(CommandFailure) -> Instant {
      try time.instant(now: scenario.begin, clock: clock)
    }
    let end = try until.map { (time) throws(CommandFailure) in
      try time.instant(now: scenario.begin, clock: clock, isAhead: true)
    }
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
    let view = DayView(day: day, stack: try stack.map { text in try Self.stack(text, among: day.stacks.map(\.id)) })
    if svg != nil || png != nil { try draw(view) }
    if let explain {
      write(try view.explanations(at: try instant(explain)))
    } else if let whyNot, let at {
      write(try view.whyNot(whyNot, at: try instant(at)))
    } else if svg == nil && png == nil || server.json {
      write((view.json, view.lines))
    }
  }

  private func runRemotely() async throws {
    let (text, options) = (try readText(), try feed.request())
    // The text is read here only if the end depends on its time zone and first day.
    let until = try until.map { time throws(CommandFailure) in
      let scenario = try readSource().scenario
      return try time.instant(now: scenario.begin, clock: scenario.clock, isAhead: true)
    }
    let numbers = try settings.map(PolicyWords(PolicyField.all.map(PolicySetting.init)).number)
    try await server.run { session in
      let answer: SimulateResponse
      do {
        answer = try await session.operators.simulate(text, setting: numbers, until: until, feed: options)
      } catch let status as RPCStatus where status.code == .invalidArgument {
        throw CommandFailure(.rejected, "\(scenario): \(status.message)")
      } catch let error as RequestError {
        throw CommandFailure(.rejected, "\(scenario): \(error)")
      }
      let found = try stack.map { name throws(CommandFailure) in
        try Self.stack(name, among: answer.result.stacks.map(\.stack))
      }
      let result = answer.result.only(found)
      let clock = try DeviceClock(result.timeZone.text)
      let skipped = answer.skippedEventCount
      session.write(
        json: result.json(
          on: answer.device, clock, with: [.init("skipped_event_count", .integer(Int64(clamping: skipped)))]),
        lines: result.lines(clock, ending: ".", hasEvents: true)
          + (skipped > 0 ? ["Events skipped, because the device refuses them with these settings: \(skipped)."] : []))
    }
  }

  private func write(_ answer: (json: JSONValue, lines: [String])) {
    if server.json {
      Terminal.standard.write(answer.json)
    } else {
      Terminal.standard.write(answer.lines)
    }
  }

  private func write(_ scenario: String) {
    if server.json {
      Terminal.standard.write(.object([.init("scenario", .string(scenario))]))
    } else {
      Terminal.standard.write(exactly: scenario.hasSuffix("\n") ? String(scenario.dropLast()) : scenario)
    }
  }

  private func readSource() throws(CommandFailure) -> ScenarioSource {
    let settings = try feed.settings()
    do throws(ScenarioError) {
      guard let format = SourceFormat(path: scenario), format != .yaml else {
        return try ScenarioSource(try text(), settings)
      }
      return try ScenarioSource(try LintCase.bytes(scenario, format), format, settings)
    } catch {
      throw CommandFailure(.rejected, "\(scenario): \(error)")
    }
  }

  private func readText() throws(CommandFailure) -> String {
    do throws(ScenarioError) {
      guard let format = SourceFormat(path: scenario), format != .yaml else { return try text() }
      return String(decoding: try LintCase.bytes(scenario, format), as: UTF8.self)
    } catch {
      throw CommandFailure(.rejected, "\(scenario): \(error)")
    }
  }

  private func text() throws(ScenarioError) -> String {
    do { return try TextFile.text(path: scenario, sizeMax: Scenario.textSizeMax) } catch {
      throw ScenarioError(error.message)
    }
  }

  private func draw(_ view: DayView) throws(CommandFailure) {
    let picture = DayPicture(view.day, stack: view.stack)
    if let svg { try OutputFile.write(Array(picture.svg.utf8), to: svg) }
    if let png { try OutputFile.write(try PNGImage(svg: picture.svg, size: picture.size, scale: 2).bytes, to: png) }
  }

  private static func stack(_ text: String, among stacks: [StackID]) throws(CommandFailure) -> StackID {
    guard let found = stacks.first(where: { $0.text.hasBytes(of: text) }) else {
      throw .notFound("stack", text, known: stacks.map(\.text))
    }
    return found
  }
}

extension PolicySetting {
  /// Creates the setting of a field with its default value.
  fileprivate init(_ field: PolicyField) {
    let value = field.value(in: .default)
    self.init(name: field.name, value: value, isOverridden: false, unit: field.unit.rawValue, configured: value)
  }
}
