import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeRPC
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
    @Option(name: .customLong("on"), help: ArgumentHelp("The surface.", valueName: "surface"))
    var surface: SuggestionSurface

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
      try await server.run { session in
        let (device, stack, widget) = try await member.resolveSnapshot(session)
        let link = try await tap.link(of: WidgetInstance(widget, in: stack.family), on: device, session)
        try await session.ask(widget.kind.app) {
          let item = TappedItem.stackWidget(widget, in: stack.id, link: link)
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
      try await server.run { session in
        let (names, widget) = try await session.widget(self.widget)
        let instance = WidgetInstance(widget, in: family)
        let link = try await tap.link(of: instance, on: names.device, session)
        try await session.ask(widget.kind.app) {
          try await session.continueInApp(.homeWidget(instance, link: link), on: names.device)
        }
      }
    }
  }
}

/// The argument for a call that is repeated, for example once the app is running.
struct InteractionArguments: ParsableArguments {
  @Flag(help: "The interaction is recorded already, by an earlier command.") var `repeat` = false
}

/// The arguments for the link of the tapped content.
struct LinkArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The link of the tapped content, such as transit://lines/U2; by default that of the entry that the widget shows.",
      valueName: "url"))
  var link: String?

  @Flag(help: "Tap content without a link.") var withoutLink = false

  func validate() throws {
    guard link == nil || !withoutLink else { throw ValidationError("--link and --without-link exclude each other") }
    do { _ = try givenLink() } catch { throw ValidationError("link: \(error)") }
  }

  /// Returns the link that a tap has: the given one, or else that of the entry that the widget shows.
  func link(of instance: WidgetInstance, on device: DeviceID, _ session: Session) async throws -> EntryLink? {
    guard link == nil, !withoutLink else { return try givenLink() }
    do {
      let answer = try await session.operators.currentEntry(of: instance.widget, in: instance.family, on: device)
      return answer.shown?.entry.details.link
    } catch let status as RPCStatus where [.notFound, .permissionDenied].contains(status.code) {
      // A display's token cannot read entries, and the call that follows names an unknown widget.
      return nil
    }
  }

  private func givenLink() throws(RequestError) -> EntryLink? {
    guard let link else { return nil }
    return try EntryLink(link)
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
