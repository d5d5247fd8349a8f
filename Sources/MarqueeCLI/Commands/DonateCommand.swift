import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeSimulator

/// `marquee donate`
struct DonateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "donate", abstract: "Donates what a person did in an app, as the app would, to try things out.",
    discussion: "Values are written as in the names of widgets: com.example.soup/OrderSoup(soup=object:tomato, "
      + "quantity=1). An intent counts for the combinations of its type that the app has registered.")

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: "APP/TYPE(PARAMETER=VALUE, …).")
  var donation: String

  @Flag(help: "It is a user activity, and the values are its user info; else it is an intent.")
  var activity = false

  @Option(
    name: .customLong("required-key"),
    help: ArgumentHelp("A value that tells the activity from others; may be repeated.", valueName: "key"))
  var requiredKeys: [String] = []

  @Option(help: ArgumentHelp("The donation's name, which replaces that of the same name; made up unless given."))
  var identifier: String?

  @Option(help: "The group that it belongs to.")
  var group: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "When it was done, such as \"yesterday 9:41\"; now by the server's clock unless given.", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var at: TimeArgument?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard activity || requiredKeys.isEmpty else { throw ValidationError("--required-key is for an --activity") }
  }

  func run() async throws {
    let deed = try DeedText(donation)
    let done: Donation.Deed =
      activity ? .userActivity(try deed.userActivity(requiring: requiredKeys)) : .intent(try deed.intent())
    let name = identifier ?? UUID().uuidString
    let id = try Arguments.check { () throws(Refusal) in try Donation.ID(name) }
    let group = try Arguments.check { () throws(Refusal) in
      try self.group.map { (text) throws(Refusal) in try Donation.Group(text) }
    }
    try await server.run { session in
      let names = try await NameDirectory.fetch(device: device, .devices, session.operators)
      let clock = try names.clock
      let now = try await session.now(on: names.device)
      let date = try at?.instant(now: now, clock: clock) ?? now
      let provider = try ProviderClient(session.connection, device: names.device, app: deed.app, kinds: [])
      let warnings = try await provider.donate([Donation(id: id, group: group, date: date, deed: done)])
      session.write(
        json: .object(
          .time("date", date, clock) + [
            .init("device", .string(names.device.text)), .init("identifier", .string(id.text)),
            .init("donation", .string(done.exactText(of: deed.app))),
            .init("warnings", .array(warnings.map(\.json))),
          ]),
        lines: ["Donated \(done.exactText(of: deed.app)) as \(id)."] + warnings.map { "\($0.code): \($0.message)" })
    }
  }
}
