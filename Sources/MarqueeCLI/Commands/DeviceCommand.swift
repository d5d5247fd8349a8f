import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeSimulator

/// `marquee device`
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Adds a device, or moves one to another time zone.", subcommands: [Add.self])

  /// `marquee device add`
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Adds a device; one that exists moves to the time zone.")

    @Argument(help: "The device's name.", transform: Arguments.device)
    var device: DeviceID

    @Option(
      help: ArgumentHelp("An IANA name, such as Europe/Berlin; this machine's unless given.", valueName: "zone"),
      completion: .list(TimeZone.knownTimeZoneIdentifiers))
    var timeZone = TimeZone.current.identifier

    @OptionGroup var server: ServerOptions

    func run() async throws {
      _ = try DeviceClock(timeZone)
      let zone = try Arguments.check { () throws(Refusal) in try TimeZoneID(timeZone) }
      try await server.run { session in
        let isCreated = try await session.display.registerDevice(device, timeZone: zone)
        session.write(
          json: .object([
            .init("device", .string(device.text)), .init("time_zone", .string(zone.text)),
            .init("created", .boolean(isCreated)),
          ]),
          lines: ["\(device) is \(isCreated ? "added" : "there already"), in \(zone)."])
      }
    }
  }
}

/// `marquee developer-mode`
struct DeveloperModeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "developer-mode", abstract: "Lifts dwell, hold and budgets on a device, or puts them back.")

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: "on or off.")
  var state: Switch

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session.operators).device
      try await session.operators.setDeveloperMode(state == .on, on: device)
      session.write(
        json: .object([.init("device", .string(device.text)), .init("developer_mode", .boolean(state == .on))]),
        lines: ["Developer mode of \(device) is \(state.rawValue)."])
    }
  }
}
