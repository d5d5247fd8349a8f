import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee device`
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Add a device, change its time zone or language, or reset its clock.",
    subcommands: [Add.self, ResetClock.self])

  /// `marquee device add`
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a device, or set the time zone and the language of an existing one.")

    @Argument(help: "The device's name.", transform: Arguments.device)
    var device: DeviceID

    @Option(
      help: ArgumentHelp(
        "An IANA time zone, such as Europe/Berlin; defaults to the present one, or this machine's.",
        valueName: "zone"), completion: .list(TimeZone.knownTimeZoneIdentifiers))
    var timeZone: String?

    @Option(
      help: ArgumentHelp(
        "The language of its user, a BCP 47 tag such as de-AT; defaults to the present one, or en.", valueName: "tag"),
      transform: Arguments.language)
    var language: LanguageTag?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      if let timeZone { _ = try DeviceClock(timeZone) }
      try await server.run { session in
        let zone = try await zone(session)
        let isCreated = try await session.display.registerDevice(device, timeZone: zone, language: language)
        let language = try await session.display.time(of: device).language
        session.write(
          json: .object([
            .init("device", .string(device.text)), .init("time_zone", .string(zone.text)),
            .init("language", .string(language.text)), .init("created", .boolean(isCreated)),
          ]),
          lines: ["\(device) is \(isCreated ? "added" : "already present"), in \(zone); its language is \(language)."])
      }
    }

    /// Returns the given time zone, else that of the device if it exists, else that of this machine.
    private func zone(_ session: Session) async throws -> TimeZoneID {
      if timeZone == nil {
        do {
          return try await session.display.time(of: device).timeZone
        } catch let status as RPCStatus where status.code == .notFound {
          // The device is new.
        }
      }
      return try Arguments.check { () throws(RequestError) in
        try TimeZoneID(timeZone ?? TimeZone.current.identifier)
      }
    }
  }
}

extension DeviceCommand {
  /// `marquee device reset-clock`
  struct ResetClock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset-clock", abstract: "Reset a device's clock that is ahead of the server's.",
      discussion: """
        A device's clock never goes back by itself. If the server's clock was temporarily far ahead, the device makes \
        no decisions until that time is reached again; this command sets its clock to the server's time. User and app \
        settings and learned habits are kept. The device's earlier states can no longer be queried.
        """)

    @Argument(help: "The device.", completion: .deviceNames)
    var device: String?

    @Flag(name: .customLong("all-ahead"), help: "Reset all devices whose clocks are more than a minute ahead.")
    var isForAllAhead = false

    @OptionGroup var server: ServerOptions

    func validate() throws {
      guard (device == nil) == isForAllAhead else { throw ValidationError("specify either a device or --all-ahead") }
    }

    func run() async throws {
      try await server.run { session in
        guard !isForAllAhead else { return try await Self.resetAll(session) }
        let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
        let reset = try await session.operators.resetClock(of: device)
        session.write(json: .object(Self.fields(device, reset)), lines: [Self.line(device, reset)])
      }
    }

    private static func resetAll(_ session: Session) async throws {
      var resets: [(device: DeviceID, answer: ResetDeviceClockResponse)] = []
      for device in try await DevicesCommand.devices(session).devices where device.isFarAhead {
        resets.append((device.device, try await session.operators.resetClock(of: device.device)))
      }
      session.write(
        json: .object([.init("devices", .array(resets.map { .object(fields($0.device, $0.answer)) }))]),
        lines: resets.isEmpty
          ? ["No device's clock is more than a minute ahead of the server's."]
          : resets.map { line($0.device, $0.answer) })
    }

    private static func fields(_ device: DeviceID, _ reset: ResetDeviceClockResponse) -> [JSONValue.Field] {
      [.init("device", .string(device.text))] + .time("before", reset.before, .utc) + .time("now", reset.now, .utc)
    }

    private static func line(_ device: DeviceID, _ reset: ResetDeviceClockResponse) -> String {
      "The clock of \(device) was at \(reset.before), and is at \(reset.now)."
    }
  }
}

/// `marquee developer-mode`
struct DeveloperModeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "developer-mode",
    abstract: "Turn developer mode on or off: it lifts dwell, hold and budgets on a device.",
    discussion: "With developer mode on, the lock screen and search list recent donations before other suggestions.")

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: "Whether developer mode is on or off.")
  var state: Switch

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      try await session.operators.setDeveloperMode(state == .on, on: device)
      session.write(
        json: .object([.init("device", .string(device.text)), .init("developer_mode", .boolean(state == .on))]),
        lines: ["Developer mode of \(device) is \(state.rawValue)."])
    }
  }
}
