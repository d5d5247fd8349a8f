import ArgumentParser
import MarqueeClient
import MarqueeExport
import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee export-scenario`
struct ExportScenarioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export-scenario",
    abstract: "Export a device's history as a scenario that \"simulate\" replays.",
    discussion: """
      The history ends at the time of the call. It contains everything that apps sent, including entry contents, and \
      the user's actions: treat the file as confidential. The server's limits are not included.
      """)

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @Option(
    name: [.long, .short], help: ArgumentHelp("The scenario file; defaults to standard output.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var output: String?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard !server.json || output != nil else { throw ValidationError("--json requires --output") }
  }

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let (scenario, until) = try await Self.scenario(of: device, session.operators)
      let progress = ProgressMeter("Exporting the history of \(device)")
      defer { progress.end() }
      let text = scenario.yaml
      guard text.utf8.count <= Scenario.textSizeMax else {
        throw CommandFailure(
          .rejected, "the scenario is too large: \(text.utf8.count) bytes (maximum: \(Scenario.textSizeMax))")
      }
      guard let output else { return session.terminal.write(exactly: String(text.dropLast())) }
      try OutputFile.write(Array(text.utf8), to: output)
      let (clock, count) = (try DeviceClock(scenario.timeZone.text), scenario.occurrences.count)
      session.write(
        json: .object(
          [.init("device", .string(device.text)), .init("time_zone", .string(scenario.timeZone.text))]
            + .time("from", scenario.begin, clock) + .time("to", until, clock) + [
              .init("event_count", .integer(Int64(count))), .init("file", .string(output)),
            ]),
        lines: [
          "\(count) events from \(clock.rfc3339(scenario.begin)) to \(clock.rfc3339(until)). Replay them with:",
          "marquee simulate \(output) --until \(clock.rfc3339(until))",
        ])
    }
  }

  /// Returns the device's history as a scenario, and the instant at which it ends.
  private static func scenario(
    of device: DeviceID, _ client: OperatorClient
  ) async throws -> (scenario: Scenario, until: Instant) {
    var records = client.history(of: device).makeAsyncIterator()
    guard let first = try await records.next(), case .origin(let origin) = first.step else {
      throw CommandFailure(.internalError, "the history does not begin with the device's creation")
    }
    guard origin.eventCount <= UInt64(Scenario.occurrenceCountMax) else {
      throw CommandFailure(
        .rejected,
        "the history has too many events for a scenario: \(origin.eventCount) (maximum: \(Scenario.occurrenceCountMax))"
      )
    }
    let progress = ProgressMeter("Reading the history of \(device)")
    defer { progress.end() }
    var events: [(at: Instant, event: Event)] = []
    while let record = try await records.next() {
      guard events.count < Scenario.occurrenceCountMax else {
        throw CommandFailure(.internalError, "the history has more events than the \(origin.eventCount) announced")
      }
      events.append((record.at, try known { () throws(RequestError) in try Event(record) }))
      progress.note(.count(events.count, of: Int(clamping: origin.eventCount), "events"))
    }
    let scenario = try known { () throws(RequestError) in
      try Scenario(
        recordingOf: origin.device, timeZone: origin.timeZone, createdAt: first.at, policy: try Policy(origin.policy),
        events: events)
    }
    return (scenario, origin.until)
  }

  /// Runs `make` on data from the server, where an error means that its version is incompatible or its data corrupt.
  private static func known<Value>(_ make: () throws(RequestError) -> Value) throws(CommandFailure) -> Value {
    do {
      return try make()
    } catch {
      throw CommandFailure(.internalError, "the history is invalid: \(error)")
    }
  }
}
