import ArgumentParser
import MarqueeClient
import MarqueeModel

/// `marquee forget`
struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Deletes donations, as if they had never been.",
    discussion: "What is deleted is in no file of the server any more when this ends. Nobody is asked first, so what "
      + "is meant has to be said: --everything, --group or --identifier.")

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Option(help: "Only this app's, by its bundle identifier.", transform: Arguments.app)
  var app: AppID?

  @Option(help: "Those of this group of the app.")
  var group: String?

  @Option(
    name: .customLong("identifier"),
    help: ArgumentHelp("The donation of the app that has this name; may be repeated.", valueName: "name"))
  var identifiers: [String] = []

  @Flag(help: "All donations: of the app, or of the device.")
  var everything = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    let count = [everything, group != nil, !identifiers.isEmpty].count { $0 }
    guard count == 1 else { throw ValidationError("one of --everything, --group and --identifier is needed") }
    guard everything || app != nil else { throw ValidationError("--app says whose group or donations are meant") }
  }

  func run() async throws {
    let selection = try selection()
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session.operators).device
      let count: Int
      if let app, selection != .everything {
        let provider = try ProviderClient(session.connection, device: device, app: app, kinds: [])
        count = try await provider.deleteDonations(selection)
      } else {
        count = try await session.operators.forgetDonations(on: device, of: app)
      }
      session.write(
        json: .object([
          .init("device", .string(device.text)), .init("app", app.map { .string($0.text) } ?? .null),
          .init("forgotten_count", .integer(Int64(count))),
        ]),
        lines: ["Forgot \(count) donation\(count == 1 ? "" : "s")\(app.map { " of \($0)" } ?? "") on \(device)."])
    }
  }

  private func selection() throws(CommandFailure) -> DonationSelection {
    try Arguments.check { () throws(Refusal) in
      if let group { return .group(try Donation.Group(group)) }
      guard !identifiers.isEmpty else { return .everything }
      return .identifiers(try identifiers.map { (name) throws(Refusal) in try Donation.ID(name) })
    }
  }
}
