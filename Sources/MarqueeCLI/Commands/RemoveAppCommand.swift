import ArgumentParser
import MarqueeClient
import MarqueeModel

/// `marquee remove-app`
struct RemoveAppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-app", abstract: "Remove an app from a device, with everything kept of it.",
    discussion: """
      The app's widgets disappear, its running providers stop, and the data, including the user's blocks of the app, \
      is removed from all of the server's files before the command returns. There is no confirmation. The device's \
      earlier states can no longer be queried. A provider that is started again registers the app again.
      """)

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: "The app's bundle identifier.", completion: .appNames, transform: Arguments.app)
  var app: AppID

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let isRemoved = try await session.display.removeApp(app, from: device)
      session.write(
        json: .object([
          .init("device", .string(device.text)), .init("app", .string(app.text)),
          .init("removed", .boolean(isRemoved)),
        ]),
        lines: [isRemoved ? "Removed \(app) from \(device)." : "There was nothing of \(app) on \(device)."])
    }
  }
}
