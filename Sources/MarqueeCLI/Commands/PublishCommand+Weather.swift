import ArgumentParser
import MarqueeFeeds
import MarqueeModel
import MarqueeTerminal

extension PublishCommand {
  /// `marquee publish weather`
  struct Weather: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "weather",
      abstract: "Publish cards of a weather forecast; relevance rises before rain, snow and storms.",
      discussion: """
        FILE is the JSON of an hourly forecast of Open-Meteo, with the variables weather_code and, if wanted, \
        temperature_2m and precipitation. Each family gets cards with as much as it has room for. The article \
        "Weather" of MarqueeFeeds describes the format and the scores. \(PublishCommand.period)
        """)

    @Argument(help: "A JSON file.", completion: .file(extensions: ["json"]))
    var file: String

    @Option(help: "The app.", transform: Arguments.app)
    var app = TimelinePublisher.weatherApp

    @Option(help: "The widget's kind.", transform: Arguments.kind)
    var kind = TimelinePublisher.weatherKind

    @Option(help: "The number of days to publish, or to print in a dry run.")
    var days = 2

    @OptionGroup var placement: PlacementOptions
    @OptionGroup var entries: EntryOptions
    @OptionGroup var dryRun: DryRunOptions
    @OptionGroup var server: ServerOptions

    func validate() throws {
      guard (1...16).contains(days) else { throw ValidationError("--days must be from 1 to 16") }
    }

    func run() async throws {
      if dryRun.dryRun { return try printDryRun() }
      try await server.run(follows: true) { session in
        let (names, stack) = try await TimelinePublisher.target(placement, session)
        let (kind, file, span) = (WidgetKind(app: app, name: kind), file, TimeSpan.days(Int64(days)))
        let known = names.kinds.first { $0.kind == kind }
        let descriptor =
          try known
          ?? Arguments.check { () throws(RequestError) in
            try WidgetDescriptor(kind: kind, displayName: "Weather", families: WidgetFamily.allCases)
          }
        let families = placement.family.map { [$0] } ?? WidgetFamily.allCases.filter(descriptor.families.contains)
        let publisher = TimelinePublisher(
          session: session, device: names.device, descriptor: descriptor, isNewKind: known == nil,
          widget: Widget(kind: kind), family: placement.family, stack: stack, timeZone: dryRun.timeZone,
          details: entries.details, path: file
        ) { now, zone throws(FeedError) in
          let (forecast, rules) = (try WeatherForecast(path: file, zone: zone), WeatherTimeline(zone: zone))
          return families.map { family in
            SubmittedTimeline(rules.timeline(of: forecast, from: now, to: now.advanced(by: span), family: family))
          }
        }
        try await withInterruption { try await publisher.run() }
      }
    }

    private func printDryRun() throws {
      let clock = try dryRun.clock
      let zone = try TimelinePublisher.zone(named: clock.zone.identifier)
      let span = try dryRun.span(days: days, clock)
      do {
        let forecast = try WeatherForecast(path: file, zone: zone)
        let rules = WeatherTimeline(zone: zone)
        let timeline = rules.timeline(of: forecast, from: span.start, to: span.end, family: placement.family)
        try TimelinePrinter(clock: clock, isJSON: server.json).write(nil, timeline, entries.details)
      } catch let error as FeedError {
        throw CommandFailure(error, file)
      }
    }
  }
}
