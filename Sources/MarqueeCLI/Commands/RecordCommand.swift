import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeScheduler
import MarqueeServer
import MarqueeSimulator
import MarqueeWire

/// `marquee record`
struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Writes a device's whole history as a scenario, of which \"simulate\" makes the same decisions again.",
    discussion: """
      The history ends with the call. It holds what apps sent, down to the content of entries, and what the person \
      did: mind whom the file is given to. The server's limits are not part of it.
      """)

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Option(
    name: [.long, .short], help: ArgumentHelp("The scenario's file; standard output unless given.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var output: String?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard !server.json || output != nil else { throw ValidationError("--json tells of a file: give --output, too") }
  }

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session.operators).device
      let (scenario, until) = try await Self.scenario(of: device, session.operators)
      let progress = ProgressMeter("Writing down the history of \(device)")
      defer { progress.end() }
      let text = scenario.yaml
      guard text.utf8.count <= Scenario.textSizeMax else {
        throw CommandFailure(
          .refused, "a scenario of \(text.utf8.count) bytes, at most \(Scenario.textSizeMax)")
      }
      guard let output else { return session.terminal.write([String(text.dropLast())]) }
      try OutputFile.write(Array(text.utf8), to: output)
      let (clock, count) = (try DeviceClock(scenario.timeZone.text), scenario.occurrences.count)
      session.write(
        json: .object(
          [.init("device", .string(device.text)), .init("time_zone", .string(scenario.timeZone.text))]
            + .time("from", scenario.begin, clock) + .time("to", until, clock) + [
              .init("event_count", .integer(Int64(count))), .init("file", .string(output)),
            ]),
        lines: [
          "\(count) events from \(clock.rfc3339(scenario.begin)) to \(clock.rfc3339(until)). Live through them with:",
          "marquee simulate \(output) --until \(clock.rfc3339(until))",
        ])
    }
  }

  /// The device's history as a scenario, and until when it tells of the device.
  private static func scenario(
    of device: DeviceID, _ client: OperatorClient
  ) async throws -> (scenario: Scenario, until: Instant) {
    var records = client.record(device).makeAsyncIterator()
    guard let first = try await records.next(), case .origin(let origin) = first.step else {
      throw CommandFailure(.internalError, "the record does not begin with the device's beginning")
    }
    guard origin.eventCount <= UInt64(Scenario.occurrenceCountMax) else {
      throw CommandFailure(
        .refused, "a history of \(origin.eventCount) events, at most \(Scenario.occurrenceCountMax) in a scenario")
    }
    let progress = ProgressMeter("Reading the history of \(device)")
    defer { progress.end() }
    var events: [(at: Instant, event: Event)] = []
    while let record = try await records.next() {
      guard events.count < Scenario.occurrenceCountMax else {
        throw CommandFailure(.internalError, "the record has more events than the \(origin.eventCount) announced")
      }
      events.append((record.at, try known { () throws(Refusal) in try Event(record) }))
      progress.note(.count(events.count, of: Int(clamping: origin.eventCount), "events"))
    }
    let scenario = try known { () throws(Refusal) in
      try Scenario(
        recordingOf: origin.device, timeZone: origin.timeZone, createdAt: first.at, policy: try Policy(origin.policy),
        events: events)
    }
    return (scenario, origin.until)
  }

  /// What `make` gives of a record, which a server of this version would not have refused.
  private static func known<Value>(_ make: () throws(Refusal) -> Value) throws(CommandFailure) -> Value {
    do {
      return try make()
    } catch {
      throw CommandFailure(.internalError, "the record cannot be used: \(error)")
    }
  }
}
