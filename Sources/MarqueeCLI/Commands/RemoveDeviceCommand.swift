import ArgumentParser
import MarqueeClient
import MarqueeModel

/// `marquee remove-device`
struct RemoveDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-device", abstract: "Remove a device, with everything kept of it.",
    discussion: """
      The device's displays and providers stop, and its data is removed from all of the server's files before the \
      command returns. There is no confirmation. A device that is damaged can be removed, too.
      """)

  @Argument(help: "The device.", completion: .deviceNames, transform: Arguments.device)
  var device: DeviceID

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let isRemoved = try await session.operators.removeDevice(device)
      // An unknown name is reported with suggestions.
      if !isRemoved { _ = try await NameDirectory.fetchAll(.devices, session).device(device.text) }
      session.write(
        json: .object([.init("device", .string(device.text)), .init("removed", .boolean(isRemoved))]),
        lines: [isRemoved ? "Removed \(device)." : "There was no device \(device)."])
    }
  }
}
