import ArgumentParser
import Foundation
import MarqueeFeeds
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// `marquee publish`
struct PublishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Publish a widget's timeline, shortcuts or media on behalf of an app.",
    discussion: period, subcommands: [Calendar.self, CSV.self, Weather.self, Shortcuts.self, Media.self])

  /// When timelines are published.
  static let period =
    "Timelines are published until Ctrl-C: again whenever the file changes or the server requests a reload."

  /// `marquee publish calendar`
  struct Calendar: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Publish a calendar's next events; relevance rises before each meeting until it starts.",
      discussion: PublishCommand.period)

    @Argument(help: "An iCalendar file (RFC 5545).", completion: .file(extensions: ["ics"]))
    var file: String

    @Option(help: "The app.", transform: Arguments.app)
    var app = TimelinePublisher.calendarApp

    @Option(help: "The widget's kind.", transform: Arguments.kind)
    var kind = TimelinePublisher.calendarKind

    @Option(help: "The number of days to publish, or to print in a dry run.")
    var days = 7

    @Flag(help: "Send cards with the summary, date and time, which displays show by themselves, instead of JSON.")
    var cards = false

    @OptionGroup var placement: PlacementOptions
    @OptionGroup var entries: EntryOptions
    @OptionGroup var dryRun: DryRunOptions
    @OptionGroup var server: ServerOptions

    func validate() throws {
      guard (1...366).contains(days) else { throw ValidationError("--days must be from 1 to 366") }
    }

    func run() async throws {
      if dryRun.dryRun { return try printDryRun() }
      try await server.run(follows: true) { session in
        let (names, stack) = try await TimelinePublisher.target(placement, session)
        let (kind, file, span, cards) = (WidgetKind(app: app, name: kind), file, TimeSpan.days(Int64(days)), cards)
        let descriptor = try Arguments.check { () throws(RequestError) in
          try WidgetDescriptor(kind: kind, displayName: "Next Event", families: WidgetFamily.allCases)
        }
        let publisher = TimelinePublisher(
          session: session, device: names.device, descriptor: descriptor,
          isNewKind: !names.kinds.contains { $0.kind == kind }, widget: Widget(kind: kind), family: placement.family,
          stack: stack, timeZone: dryRun.timeZone, details: entries.details, path: file
        ) { now, zone throws(FeedError) in
          let timeline = try TimelinePublisher.calendarTimeline(
            path: file, zone: zone, span: span, at: now, sendsCards: cards)
          return [SubmittedTimeline(timeline)]
        }
        try await withInterruption { try await publisher.run() }
      }
    }

    private func printDryRun() throws {
      let clock = try dryRun.clock
      let zone = try TimelinePublisher.zone(named: clock.zone.identifier)
      let span = try dryRun.span(days: days, clock)
      let progress = ProgressMeter("Reading \(file)")
      defer { progress.end() }
      do {
        let calendar = try CalendarFile(path: file)
        let occurrences =
          if let walls = dryRun.floatingSpan {
            try calendar.occurrences(
              from: CalendarTime(floatingSeconds: walls.start), to: CalendarTime(floatingSeconds: walls.end))
          } else {
            try calendar.occurrences(from: span.start, to: span.end, in: zone)
          }
        let timeline = CalendarTimeline(zone: zone).timeline(of: occurrences, from: span.start, to: span.end)
        try TimelinePrinter(clock: clock, isJSON: server.json).write(occurrences, timeline, entries.details)
      } catch let error as FeedError {
        throw CommandFailure(error, file)
      }
    }
  }

  /// `marquee publish csv`
  struct CSV: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "csv", abstract: "Publish a timeline from the columns date, score and duration of a CSV file.",
      discussion: PublishCommand.period)

    @Argument(help: "A CSV file with a header row.", completion: .file(extensions: ["csv"]))
    var file: String

    @Option(
      help: ArgumentHelp("APP/KIND, with its configuration if the kind is configurable.", valueName: "widget"),
      completion: .widgetNames)
    var widget: String?

    @Flag(help: "Send cards with the column title as heading and additional columns as facts, instead of no content.")
    var cards = false

    @OptionGroup var placement: PlacementOptions
    @OptionGroup var entries: EntryOptions
    @OptionGroup var dryRun: DryRunOptions
    @OptionGroup var server: ServerOptions

    func validate() throws {
      guard dryRun.dryRun || widget != nil else { throw ValidationError("--widget is required without --dry-run") }
    }

    func run() async throws {
      if dryRun.dryRun { return try printDryRun() }
      try await server.run(follows: true) { session in
        let (names, stack) = try await TimelinePublisher.target(placement, session)
        let (descriptor, widget) = try TimelinePublisher.widget(self.widget ?? "", on: names)
        let (file, cards) = (file, cards)
        let publisher = TimelinePublisher(
          session: session, device: names.device, descriptor: descriptor,
          isNewKind: !names.kinds.contains { $0.kind == widget.kind }, widget: widget, family: placement.family,
          stack: stack, timeZone: dryRun.timeZone, details: entries.details, path: file
        ) { _, zone throws(FeedError) in [try CSVTimeline.submitted(path: file, zone: zone, sendsCards: cards)] }
        try await withInterruption { try await publisher.run() }
      }
    }

    private func printDryRun() throws {
      let clock = try dryRun.clock
      let progress = ProgressMeter("Reading \(file)")
      defer { progress.end() }
      do {
        let zone = try TimelinePublisher.zone(named: clock.zone.identifier)
        let timeline = try CSVTimeline.timeline(path: file, zone: zone, sendsCards: cards)
        let span = dryRun.from == nil && dryRun.to == nil ? nil : try dryRun.span(days: 366, clock)
        let kept = timeline.entries.filter { entry in
          span.map { $0.start <= entry.date && entry.date < $0.end } ?? true
        }
        try TimelinePrinter(clock: clock, isJSON: server.json).write(
          nil, Timeline(submitted: kept, policy: timeline.policy), entries.details)
      } catch let error as FeedError {
        throw CommandFailure(error, file)
      }
    }
  }
}

/// Options for printing a timeline instead of publishing it.
struct DryRunOptions: ParsableArguments {
  @Flag(help: "Print what would be published, without contacting a server.")
  var dryRun = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The first day or time of a dry run; defaults to now.", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var from: TimeArgument?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The day or time at which a dry run ends, exclusive.", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var to: TimeArgument?

  @Option(
    help: ArgumentHelp(
      "The time zone of whole days and local times; defaults to the device's, or this machine's in a dry run.",
      valueName: "zone"))
  var timeZone: String?

  /// The clock of a dry run.
  var clock: DeviceClock {
    get throws(CommandFailure) {
      try timeZone.map { (name) throws(CommandFailure) in try DeviceClock(name) } ?? .system
    }
  }

  /// Returns the span from ``from`` to ``to``, or of `days` days if ``to`` is missing.
  func span(days: Int, _ clock: DeviceClock) throws(CommandFailure) -> (start: Instant, end: Instant) {
    let now = Instant.systemNow
    let start = try from?.instant(now: now, clock: clock) ?? now
    let end = try to?.instant(now: now, clock: clock) ?? start.advanced(by: .days(Int64(days)))
    guard start <= end else { throw CommandFailure(.usage, "--to is before --from") }
    return (start, end)
  }

  /// The span in local time if both ends are dates without an offset and no zone is given. Each event is then compared
  /// in its own time zone.
  var floatingSpan: (start: Int64, end: Int64)? {
    guard timeZone == nil, let start = from?.wallSeconds, let end = to?.wallSeconds else { return nil }
    return (start, end)
  }
}
