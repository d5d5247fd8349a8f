import ArgumentParser
import MarqueeClient
import MarqueeModel

extension FeedCommand {
  /// `marquee feed media`
  struct Media: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists what an app has for the person to play next, in place of what it had listed.",
      discussion: "An item is INPlayMediaIntent(PARAMETER=VALUE, …), the app's first choice first. Those of a "
        + "mediaContainer that the person plays come up first; what was donated is played. Without items the list is "
        + "empty.")

    @Argument(help: ArgumentHelp("What to play.", valueName: "item"))
    var items: [String] = []

    @Option(help: "The app to speak for.", completion: .appNames, transform: Arguments.app)
    var app: AppID

    @Option(help: "Whether what the person is used to play is suggested as well.")
    var mode = UpcomingMedia.Mode.predictive

    @Option(help: "The device; needed when there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      let intents = try items.map { try DeedText("\(app)/\($0)").intent() }
      let media = try Arguments.check { () throws(Refusal) in try UpcomingMedia(intents: intents, mode: mode) }
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session.operators).device
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
