import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator

extension ReportInteractionCommand {
  /// `marquee report-interaction dismissed`
  struct Dismissed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report that the user dismissed a stack's suggestion.")
    @Argument(help: "The stack.", completion: .stackNames) var stack: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack) = try await session.stack(self.stack)
        try await session.report(.suggestionDismissed(stack), on: device.device)
      }
    }
  }

  /// `marquee report-interaction kept`
  struct Kept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report that the user added a stack's suggestion as a widget.")
    @Argument(help: "The stack.", completion: .stackNames) var stack: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack) = try await session.stack(self.stack)
        try await session.report(.suggestionKept(stack), on: device.device)
      }
    }
  }

  /// `marquee report-interaction blocked`
  struct Blocked: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report that the user blocked or, with off, unblocked suggestions of a widget.",
      discussion: "With off, a snooze is lifted, too. \"blocked\" lists the widgets and apps.")
    @Argument(help: "The widget; an unambiguous short name is sufficient.", completion: .widgetNames) var widget: String
    @Argument(help: "Whether suggestions are blocked: on or off.") var state = Switch.on

    @Option(help: "The device; required if several have such a widget.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, widget) =
          try await state == .on
          ? session.widget(self.widget, on: self.device) : session.blockedWidget(self.widget, on: self.device)
        try await session.report(.widgetSuggestionBlocked(widget, state == .on), on: device.device)
      }
    }
  }

  /// `marquee report-interaction blocked-app`
  struct BlockedApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report that the user blocked or, with off, unblocked suggestions of an app.",
      discussion: "With off, a snooze is lifted, too. \"blocked\" lists the widgets and apps.")
    @OptionGroup var app: AppArguments
    @Argument(help: "Whether suggestions are blocked: on or off.") var state = Switch.on
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        try await session.report(.appSuggestionBlocked(app.app, state == .on), on: try await app.resolve(session))
      }
    }
  }

  /// `marquee report-interaction snoozed`
  struct Snoozed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report that the user blocked suggestions of a widget for a time.",
      discussion: SnoozeArguments.discussion)
    @Argument(help: "The widget; an unambiguous short name is sufficient.", completion: .widgetNames) var widget: String
    @OptionGroup var snooze: SnoozeArguments

    @Option(help: "The device; required if several have such a widget.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (names, widget) = try await session.widget(self.widget, on: device)
        try await session.report(.widgetSuggestionSnoozed(widget, until: try snooze.end(on: names)), on: names.device)
      }
    }
  }

  /// `marquee report-interaction snoozed-app`
  struct SnoozedApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report that the user blocked suggestions of an app for a time.", discussion: SnoozeArguments.discussion
    )
    @OptionGroup var app: AppArguments
    @OptionGroup var snooze: SnoozeArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let names = try await NameDirectory.fetch(device: app.device, .devices, session)
        try await session.report(.appSuggestionSnoozed(app.app, until: try snooze.end(on: names)), on: names.device)
      }
    }
  }

  /// `marquee report-interaction home`
  struct Home: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report that a widget was placed on or, with off, removed from the Home Screen.",
      discussion: "This is for widgets outside stacks. Widgets on the Home Screen are not suggested.")
    @Argument(help: "APP/KIND(PARAMETER=VALUE, …), or an unambiguous short form.", completion: .widgetNames)
    var widget: String
    @Argument(help: "Whether the widget is on the Home Screen: on or off.") var state = Switch.on

    @Option(help: "The widget's family; defaults to the first one of its kind or, with off, to all.")
    var family: WidgetFamily?

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let names = try await NameDirectory.fetch(device: device, .widgets, session)
        let widget = try NameDirectory.widgetToShow(self.widget, on: names)
        let report =
          state == .on
          ? UserReport.homeWidgetAdded(widget, in: family) : UserReport.homeWidgetRemoved(widget, in: family)
        try await session.report(report, on: names.device)
      }
    }
  }

  /// `marquee report-interaction suggestion`
  struct Suggestion: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report that a suggestion was shown, acted on or dismissed on a surface.",
      discussion: "Report shown before acted or dismissed. Each showing has one outcome.")

    @Argument(help: "The suggestion's identifier, as printed by \"suggest\".") var name: String
    @Argument(help: "The outcome.") var outcome: SuggestionOutcome
    @Option(name: .customLong("on"), help: ArgumentHelp("The surface.", valueName: "surface"))
    var surface: SuggestionSurface

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      let id = try Arguments.suggestion(name)
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session).device
        try await session.report(.surfaceSuggestion(surface, id, outcome), on: device)
      }
    }
  }

  /// `marquee report-interaction place`
  struct Place: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report the user's place, or without coordinates that it is unknown.")

    @Option(parsing: .unconditional, help: ArgumentHelp("The latitude, positive to the north.", valueName: "degrees"))
    var latitude: Double?

    @Option(parsing: .unconditional, help: ArgumentHelp("The longitude, positive to the east.", valueName: "degrees"))
    var longitude: Double?

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func validate() throws {
      guard (latitude == nil) == (longitude == nil) else {
        throw ValidationError("--latitude and --longitude must be given together")
      }
    }

    func run() async throws {
      let place = try Arguments.check { () throws(RequestError) -> MarqueeModel.Place? in
        guard let latitude, let longitude else { return nil }
        return try MarqueeModel.Place(latitude: latitude, longitude: longitude, display: "")
      }
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session).device
        try await session.report(.contextChanged(.place(place)), on: device)
      }
    }
  }

  /// `marquee report-interaction focus`
  struct Focus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report the active focus, or without a name that none is active.")
    @Argument(help: "The focus, such as work.", transform: Arguments.focus) var focus: FocusID?

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session).device
        try await session.report(.contextChanged(.focus(focus)), on: device)
      }
    }
  }

  /// `marquee report-interaction routine`
  struct Routine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report that a daily routine situation began.")
    @Argument(help: "The situation, such as gym.") var situation: RoutineSituation

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session).device
        try await session.report(.contextChanged(.routine(situation)), on: device)
      }
    }
  }
}

/// The arguments for a snooze.
struct SnoozeArguments: ParsableArguments {
  /// The description of commands with a snooze.
  static let discussion = """
    Suggestions resume at the given time: with "--until tomorrow", there are none today. A snooze replaces an earlier \
    snooze or block. Lift it with "blocked" or "blocked-app" and off.
    """

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "When suggestions resume: tomorrow, monday, 18:00, \"tomorrow 9:41\" or +2h.", valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var until: TimeArgument

  /// Returns the end of the snooze by the device's clock.
  func end(on names: NameDirectory.DeviceNames) throws(CommandFailure) -> Instant {
    let clock = try names.clock
    let end = try until.instant(now: names.now, clock: clock, isAhead: true)
    guard end > names.now else {
      throw CommandFailure(
        .usage,
        "--until must be after the device's time: \(clock.rfc3339(end)) is not after \(clock.rfc3339(names.now))")
    }
    return end
  }
}

extension RoutineSituation: ExpressibleByArgument {
  /// Creates the situation with that name, such as `headphonesConnected`.
  public init?(argument: String) {
    guard let situation = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
    self = situation
  }

  /// The names of all situations.
  public static var allValueStrings: [String] { allCases.map { "\($0)" } }
}
