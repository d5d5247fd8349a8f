import ArgumentParser
import MarqueeClient
import MarqueeModel

/// `marquee remove-intent-types`
struct RemoveIntentTypesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-intent-types", abstract: "Remove intent types of an app, with everything kept of them.",
    discussion: """
      The types' donations, shortcuts and everything learned from them are removed from all of the server's files \
      before the command returns. There is no confirmation. The device's earlier states can no longer be queried. \
      Remove the kinds that a type configures first.
      """)

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: "The app's bundle identifier.", transform: Arguments.app)
  var app: AppID

  @Argument(help: "The intent types' names.", transform: Arguments.intentType)
  var types: [IntentType]

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard Set(types).count == types.count else { throw ValidationError("duplicate intent type") }
  }

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let provider = try ProviderClient(session.connection, device: device, app: app, kinds: [])
      let count = try await provider.removeIntentTypes(types)
      session.write(
        json: .object([
          .init("device", .string(device.text)), .init("app", .string(app.text)),
          .init("removed_count", .integer(Int64(count))),
        ]),
        lines: ["Removed \(count) intent type\(count == 1 ? "" : "s") of \(app) from \(device)."])
    }
  }
}
