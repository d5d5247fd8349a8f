import ArgumentParser
import MarqueeClient
import MarqueeModel

/// `marquee delete-donations`
struct DeleteDonationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-donations", abstract: "Delete donations and everything learned from them.",
    discussion: "The deleted data is removed from all of the server's files before the command returns. There is no "
      + "confirmation, so the scope must be given: --everything, --group or --identifier.")

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Option(help: "Only donations of the app with this bundle identifier.", transform: Arguments.app)
  var app: AppID?

  @Option(help: "The app's donations in this group.")
  var group: String?

  @Option(
    name: .customLong("identifier"),
    help: ArgumentHelp("The app's donation with this identifier; can be repeated.", valueName: "name"))
  var identifiers: [String] = []

  @Flag(help: "All donations of the app or, without --app, of the device.")
  var everything = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    let count = [everything, group != nil, !identifiers.isEmpty].count { $0 }
    guard count == 1 else { throw ValidationError("exactly one of --everything, --group and --identifier is required") }
    guard everything || app != nil else { throw ValidationError("--group and --identifier require --app") }
  }

  func run() async throws {
    let selection = try selection()
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let count: Int
      if let app, selection != .everything {
        let provider = try ProviderClient(session.connection, device: device, app: app, kinds: [])
        count = try await provider.deleteDonations(selection)
      } else {
        count = try await session.operators.deleteAllDonations(on: device, of: app)
      }
      session.write(
        json: .object([
          .init("device", .string(device.text)), .init("app", app.map { .string($0.text) } ?? .null),
          .init("deleted_count", .integer(Int64(count))),
        ]),
        lines: ["Deleted \(count) donation\(count == 1 ? "" : "s")\(app.map { " of \($0)" } ?? "") on \(device)."])
    }
  }

  private func selection() throws(CommandFailure) -> DonationSelection {
    try Arguments.check { () throws(RequestError) in
      if let group { return .group(try Donation.Group(group)) }
      guard !identifiers.isEmpty else { return .everything }
      return .identifiers(try identifiers.map { (name) throws(RequestError) in try Donation.ID(name) })
    }
  }
}
