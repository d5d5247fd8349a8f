import ArgumentParser
import MarqueeClient
import MarqueeModel

/// `marquee delete-donations`
struct DeleteDonationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-donations", abstract: "Delete donations and everything learned from them.",
    discussion: """
      The deleted data is removed from all of the server's files before the command returns. There is no confirmation, \
      so the scope must be given: one of \(scopes).
      """)

  private static let scopes =
    "--everything, --group, --identifier, --persistent-id, --related-item, --all-related-items, --activities, "
    + "--intent-type and --intents"

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

  @Option(
    name: .customLong("persistent-id"),
    help: ArgumentHelp("The app's user activity with this persistent identifier; can be repeated.", valueName: "id"))
  var persistentIDs: [String] = []

  @Option(
    name: .customLong("related-item"),
    help: ArgumentHelp(
      "The app's user activities that belong to this searchable item; can be repeated.", valueName: "id"))
  var relatedItems: [String] = []

  @Flag(help: "The app's user activities that belong to any searchable item.")
  var allRelatedItems = false

  @Flag(help: "The app's user activities.")
  var activities = false

  @Option(help: ArgumentHelp("The app's intents of this type, performed or received.", valueName: "type"))
  var intentType: String?

  @Flag(help: "The app's intents.")
  var intents = false

  @Flag(help: "All donations of the app or, without --app, of the device.")
  var everything = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    let chosen = [
      everything, group != nil, !identifiers.isEmpty, !persistentIDs.isEmpty, !relatedItems.isEmpty, allRelatedItems,
      activities, intentType != nil, intents,
    ]
    guard chosen.count(where: \.self) == 1 else {
      throw ValidationError("exactly one of \(Self.scopes) is required")
    }
    guard everything || app != nil else { throw ValidationError("--app is required without --everything") }
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
      if relatedItems.count == 1 { return .relatedItem(try SearchableItemID(relatedItems[0])) }
      if !relatedItems.isEmpty {
        return .relatedItems(try relatedItems.map { (name) throws(RequestError) in try SearchableItemID(name) })
      }
      if allRelatedItems { return .allRelatedItems }
      if let intentType { return .intentType(try IntentType(intentType)) }
      if activities { return .userActivities }
      if intents { return .intents }
      if !persistentIDs.isEmpty {
        return .persistentIDs(
          try persistentIDs.map { (name) throws(RequestError) in try UserActivity.PersistentID(name) })
      }
      guard !identifiers.isEmpty else { return .everything }
      return .identifiers(try identifiers.map { (name) throws(RequestError) in try Donation.ID(name) })
    }
  }
}
