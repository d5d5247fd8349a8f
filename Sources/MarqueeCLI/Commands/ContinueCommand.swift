import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee continue`
struct ContinueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "continue",
    abstract: "Have an app continue a suggestion or a widget that the user taps, as a display does.",
    discussion: """
      The interaction is recorded, as by "report-interaction", even if the app is not running or does not respond \
      (then repeat the command with --repeat); that of leaving for a \
      reservation, or checking in, only if the app handles it. An app that does not handle it has no handler for such \
      a suggestion or widget. To continue performs no intent: for an intent that the app has performed instead, the \
      command that performs it is printed.
      """,
    subcommands: [Suggestion.self, Widget.self, Home.self])

  /// `marquee continue suggestion`
  struct Suggestion: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Continue a suggestion on a surface.")

    @Argument(help: "The suggestion's identifier, as printed by \"suggest\".") var name: String
    @Option(name: .customLong("on"), help: "The surface.") var surface: SuggestionSurface

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var interaction: InteractionArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      let id = try Arguments.suggestion(name)
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: device, .devices, session).device
        try await session.ask {
          try await session.continueInApp(.suggestion(id, on: surface), on: device, isRepeat: interaction.repeat)
        }
      }
    }
  }

  /// `marquee continue widget`
  struct Widget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Continue a widget in a stack.")
    @OptionGroup var member: MemberArguments
    @OptionGroup var tap: LinkArguments
    @OptionGroup var interaction: InteractionArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      let link = try tap.entryLink()
      try await server.run { session in
        let (device, stack, widget) = try await member.resolve(session)
        try await session.ask(widget.kind.app) {
          let item = TappedItem.stackWidget(widget, in: stack, link: link)
          try await session.continueInApp(item, on: device, isRepeat: interaction.repeat)
        }
      }
    }
  }

  /// `marquee continue home`
  struct Home: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Continue a widget on the Home Screen outside stacks.", discussion: "The interaction is not recorded.")
    @Argument(help: "The widget; an unambiguous short name is sufficient.", completion: .widgetNames)
    var widget: String

    @Option(help: "The family in which the widget is on the Home Screen.") var family: WidgetFamily
    @OptionGroup var tap: LinkArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      let link = try tap.entryLink()
      try await server.run { session in
        let (names, widget) = try await session.widget(self.widget)
        try await session.ask(widget.kind.app) {
          try await session.continueInApp(.homeWidget(WidgetInstance(widget, in: family), link: link), on: names.device)
        }
      }
    }
  }
}

/// The argument for a call that is repeated, for example once the app is running.
struct InteractionArguments: ParsableArguments {
  @Flag(help: "The interaction is recorded already, by an earlier command.") var `repeat` = false
}

/// The argument for the link of the tapped content.
struct LinkArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The link of the tapped content, such as transit://lines/U2.", valueName: "url"))
  var link: String?

  /// Returns the link, or throws a usage failure.
  func entryLink() throws(CommandFailure) -> EntryLink? {
    guard let link else { return nil }
    return try Arguments.check { () throws(RequestError) in
      do throws(RequestError) { return try EntryLink(link) } catch { throw error.within("link") }
    }
  }
}

extension Session {
  /// Has the app continue the item, and prints the outcome.
  fileprivate func continueInApp(_ item: TappedItem, on device: DeviceID, isRepeat: Bool = false) async throws {
    let answer = try await display.continueInApp(item, on: device, isRepeat: isRepeat)
    write(json: answer.json(on: device), lines: answer.lines(on: device))
  }
}

extension ContinueInAppResponse {
  fileprivate func lines(on device: DeviceID) -> [String] {
    switch outcome {
    case .handled: ["The app continues it."]
    case .notHandled: ["The app does not handle it."]
    case .performIntent:
      ["The app has the intent performed:"] + (intent.map { [PerformCommand.line($0, of: app, on: device)] } ?? [])
    }
  }

  fileprivate func json(on device: DeviceID) -> JSONValue {
    let name =
      switch outcome {
      case .handled: "handled"
      case .notHandled: "not_handled"
      case .performIntent: "perform_intent"
      }
    return .object([
      .init("device", .string(device.text)), .init("app", .string(app.text)), .init("outcome", .string(name)),
      .init("intent", intent.map { .string("\(app)/\($0.exactText)") } ?? .null),
    ])
  }
}
