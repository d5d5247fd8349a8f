import ArgumentParser
import MarqueeClient
import MarqueeModel

/// `marquee remove-kinds`
struct RemoveKindsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-kinds", abstract: "Remove widget kinds of an app, with everything kept of them.",
    discussion: """
      The kinds' widgets disappear from stacks and the Home Screen, and the data is removed from all of the server's \
      files before the command returns. There is no confirmation. The device's earlier states can no longer be \
      queried. A provider that still has a kind registers it again when it reconnects.
      """)

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: "The app's bundle identifier.", completion: .appNames, transform: Arguments.app)
  var app: AppID

  @Argument(help: "The kinds' names.", completion: .kindNames, transform: Arguments.kind)
  var kinds: [KindName]

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard Set(kinds).count == kinds.count else { throw ValidationError("duplicate kind") }
  }

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let provider = try ProviderClient(session.connection, device: device, app: app, kinds: [])
      let count = try await provider.removeKinds(kinds)
      session.write(
        json: .object([
          .init("device", .string(device.text)), .init("app", .string(app.text)),
          .init("removed_count", .integer(Int64(count))),
        ]),
        lines: ["Removed \(count) kind\(count == 1 ? "" : "s") of \(app) from \(device)."])
    }
  }
}
