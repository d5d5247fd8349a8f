import ArgumentParser
import MarqueeClient
import MarqueeModel

extension PublishCommand {
  /// `marquee publish media`
  struct Media: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set an app's upcoming media, replacing the previous list.",
      discussion: "An item is INPlayMediaIntent(PARAMETER=VALUE, …), in the app's order of preference. Items from a "
        + "mediaContainer that the user plays are ranked first, and donated items count as played. Without items, the "
        + "list is cleared.")

    @Argument(help: ArgumentHelp("A media item.", valueName: "item"))
    var items: [String] = []

    @Option(help: "The app.", completion: .appNames, transform: Arguments.app)
    var app: AppID

    // Optional, because the argument parser describes the default of an enumeration by its raw value.
    @Option(help: "Whether media that the user habitually plays is also suggested; defaults to predictive.")
    var mode: UpcomingMedia.Mode?

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      let intents = try items.map { try ActivityText("\(app)/\($0)").intent() }
      let mode = mode ?? .predictive
      let media = try Arguments.check { () throws(RequestError) in try UpcomingMedia(intents: intents, mode: mode) }
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session).device
        let provider = try ProviderClient(session.connection, device: device, app: app, kinds: [])
        try await provider.setUpcomingMedia(media)
        session.write(
          json: .object([
            .init("device", .string(device.text)), .init("app", .string(app.text)),
            .init("item_count", .integer(Int64(intents.count))), .init("mode", .string("\(mode)")),
          ]),
          lines: ["Upcoming media of \(app) set on \(device): \(intents.count)."])
      }
    }
  }
}
