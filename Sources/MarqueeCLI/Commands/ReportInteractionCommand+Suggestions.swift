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
      abstract: "Report that the user blocked or, with off, unblocked suggestions of a widget.")
    @Argument(help: "The widget; an unambiguous short name is sufficient.", completion: .widgetNames) var widget: String
    @Argument(help: "Whether suggestions are blocked: on or off.") var state = Switch.on
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, widget) = try await session.widget(self.widget)
        try await session.report(.widgetSuggestionBlocked(widget, state == .on), on: device.device)
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

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let names = try await NameDirectory.fetch(device: device, .widgets, session)
        let widget = try NameDirectory.widgetToShow(self.widget, on: names)
        try await session.report(state == .on ? .homeWidgetAdded(widget) : .homeWidgetRemoved(widget), on: names.device)
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
    @Option(name: .customLong("on"), help: "The surface.") var surface: SuggestionSurface

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      guard let id = SuggestionID(name) else {
        throw CommandFailure(
          .usage, "\"\(name)\" is not a suggestion identifier; expected 32 lowercase hexadecimal digits")
      }
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

extension RoutineSituation: ExpressibleByArgument {
  /// Creates the situation with that name, such as `headphonesConnected`.
  public init?(argument: String) {
    guard let situation = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
    self = situation
  }

  /// The names of all situations.
  public static var allValueStrings: [String] { allCases.map { "\($0)" } }
}
