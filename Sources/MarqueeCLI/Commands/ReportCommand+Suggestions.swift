import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator

extension ReportCommand {
  /// `marquee report dismissed`
  struct Dismissed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The person dismissed a stack's suggestion.")
    @Argument(help: "The stack.", completion: .stackNames) var stack: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack) = try await session.stack(self.stack)
        try await session.report(.suggestionDismissed(stack), on: device.device)
      }
    }
  }

  /// `marquee report kept`
  struct Kept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The person kept a stack's suggestion as a widget.")
    @Argument(help: "The stack.", completion: .stackNames) var stack: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack) = try await session.stack(self.stack)
        try await session.report(.suggestionKept(stack), on: device.device)
      }
    }
  }

  /// `marquee report blocked`
  struct Blocked: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "The person does not want a widget suggested, or with off wants it again.")
    @Argument(help: "The widget, as short as is clear.", completion: .widgetNames) var widget: String
    @Argument(help: "on or off.") var state = Switch.on
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, widget) = try await session.widget(self.widget)
        try await session.report(.widgetSuggestionBlocked(widget, state == .on), on: device.device)
      }
    }
  }

  /// `marquee report home`
  struct Home: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A widget is on the Home Screen outside its stacks, or with off no longer.",
      discussion: "What the Home Screen has is not suggested for it.")
    @Argument(help: "APP/KIND(PARAMETER=VALUE, …), as short as is clear.", completion: .widgetNames)
    var widget: String
    @Argument(help: "on or off.") var state = Switch.on

    @Option(help: "The device; needed when there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let names = try await NameDirectory.fetch(device: device, .widgets, session.operators)
        let widget = try NameDirectory.widgetToShow(self.widget, on: names)
        try await session.report(state == .on ? .homeWidgetAdded(widget) : .homeWidgetRemoved(widget), on: names.device)
      }
    }
  }

  /// `marquee report suggestion`
  struct Suggestion: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A surface showed something that \"suggest\" lists, or the person took it up or waved it off.",
      discussion: "What was not shown has no outcome: tell shown first. Each showing has one.")

    @Argument(help: "The suggestion's name, as \"suggest\" prints it.") var name: String
    @Argument(help: "What became of it.") var outcome: SuggestionOutcome
    @Option(name: .customLong("on"), help: "The surface.") var surface: SuggestionSurface

    @Option(help: "The device; needed when there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      guard let id = SuggestionID(name) else {
        throw CommandFailure(.usage, "\"\(name)\" is no name of a suggestion: 32 hexadecimal digits in lower case")
      }
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session.operators).device
        try await session.report(.surfaceSuggestion(surface, id, outcome), on: device)
      }
    }
  }

  /// `marquee report place`
  struct Place: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "The person is at a place, or without one nowhere known.")

    @Option(parsing: .unconditional, help: ArgumentHelp("North of the equator.", valueName: "degrees"))
    var latitude: Double?

    @Option(parsing: .unconditional, help: ArgumentHelp("East of Greenwich.", valueName: "degrees"))
    var longitude: Double?

    @Option(help: "The device; needed when there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func validate() throws {
      guard (latitude == nil) == (longitude == nil) else {
        throw ValidationError("--latitude and --longitude belong together")
      }
    }

    func run() async throws {
      let place = try Arguments.check { () throws(Refusal) -> MarqueeModel.Place? in
        guard let latitude, let longitude else { return nil }
        return try MarqueeModel.Place(latitude: latitude, longitude: longitude, display: "")
      }
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session.operators).device
        try await session.report(.contextChanged(.place(place)), on: device)
      }
    }
  }

  /// `marquee report focus`
  struct Focus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "A focus is on, or without a name none.")
    @Argument(help: "The focus, such as work.", transform: Arguments.focus) var focus: FocusID?

    @Option(help: "The device; needed when there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session.operators).device
        try await session.report(.contextChanged(.focus(focus)), on: device)
      }
    }
  }

  /// `marquee report routine`
  struct Routine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "A situation of the day began.")
    @Argument(help: "The situation, such as gym.") var situation: RoutineSituation

    @Option(help: "The device; needed when there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session.operators).device
        try await session.report(.contextChanged(.routine(situation)), on: device)
      }
    }
  }
}

extension RoutineSituation: ExpressibleByArgument {
  /// The situation of that name, such as `headphonesConnected`.
  public init?(argument: String) {
    guard let situation = Self.allCases.first(where: { "\($0)" == argument }) else { return nil }
    self = situation
  }

  /// The names of all situations.
  public static var allValueStrings: [String] { allCases.map { "\($0)" } }
}
