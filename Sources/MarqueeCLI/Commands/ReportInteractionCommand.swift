import ArgumentParser
import MarqueeClient
import MarqueeModel

/// `marquee report-interaction`
struct ReportInteractionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report-interaction", abstract: "Report a user interaction, as a display does, for testing.",
    subcommands: [
      Scrolled.self, Tapped.self, Shown.self, Hidden.self, Opened.self, Closed.self, Reload.self, Dismissed.self,
      Kept.self, Blocked.self, BlockedApp.self, Snoozed.self, SnoozedApp.self, Suggestion.self, Home.self, Place.self,
      Focus.self, Routine.self, Resized.self,
    ])

  /// `marquee report-interaction scrolled`
  struct Scrolled: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report that the user scrolled a stack to a widget.")
    @OptionGroup var member: MemberArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack, widget) = try await member.resolve(session)
        try await session.report(.scrolled(stack, to: widget), on: device)
      }
    }
  }

  /// `marquee report-interaction tapped`
  struct Tapped: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report that the user tapped a widget in a stack.")
    @OptionGroup var member: MemberArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack, widget) = try await member.resolve(session)
        try await session.report(.tapped(stack, widget), on: device)
      }
    }
  }

  /// `marquee report-interaction shown`
  struct Shown: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report that a stack came into view.")
    @Argument(help: "The stack.", completion: .stackNames) var stack: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack) = try await session.stack(self.stack)
        try await session.report(.shown(stack), on: device.device)
      }
    }
  }

  /// `marquee report-interaction hidden`
  struct Hidden: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report that a stack went out of view.")
    @Argument(help: "The stack.", completion: .stackNames) var stack: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack) = try await session.stack(self.stack)
        try await session.report(.hidden(stack), on: device.device)
      }
    }
  }

  /// `marquee report-interaction opened`
  struct Opened: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report that an app came to the foreground.")
    @OptionGroup var app: AppArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        try await session.report(.appOpened(app.app), on: try await app.resolve(session))
      }
    }
  }

  /// `marquee report-interaction closed`
  struct Closed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report that an app left the foreground.")
    @OptionGroup var app: AppArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        try await session.report(.appClosed(app.app), on: try await app.resolve(session))
      }
    }
  }

  /// `marquee report-interaction reload`
  struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report that the user requested a reload of a widget.")
    @Argument(help: "The widget; an unambiguous short name is sufficient.", completion: .widgetNames) var widget: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, widget) = try await session.widget(self.widget)
        try await session.report(.reload(widget), on: device.device)
      }
    }
  }
}

/// The arguments for an app on a device.
struct AppArguments: ParsableArguments {
  @Argument(help: "The app's bundle identifier.", transform: Arguments.app)
  var app: AppID

  @Option(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  func resolve(_ session: Session) async throws -> DeviceID {
    try await NameDirectory.fetch(device: device, .devices, session).device
  }
}

extension Session {
  /// Sends the report and prints a confirmation.
  func report(_ report: UserReport, on device: DeviceID) async throws {
    try await display.report(report, on: device)
    write(json: .object([.init("device", .string(device.text)), .init("reported", true)]), lines: ["Reported."])
  }
}
