import ArgumentParser
import MarqueeClient
import MarqueeModel

/// `marquee report`
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Reports what the person did, as a display would, to try things out.",
    subcommands: [
      Scrolled.self, Tapped.self, Shown.self, Hidden.self, Opened.self, Closed.self, Reload.self, Dismissed.self,
      Kept.self, Blocked.self, Suggestion.self, Home.self, Place.self, Focus.self, Routine.self,
    ])

  /// `marquee report scrolled`
  struct Scrolled: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The person scrolled a stack to a widget.")
    @OptionGroup var member: MemberArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack, widget) = try await member.resolve(session)
        try await session.report(.scrolled(stack, to: widget), on: device)
      }
    }
  }

  /// `marquee report tapped`
  struct Tapped: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The person tapped a widget in a stack.")
    @OptionGroup var member: MemberArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack, widget) = try await member.resolve(session)
        try await session.report(.tapped(stack, widget), on: device)
      }
    }
  }

  /// `marquee report shown`
  struct Shown: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "A stack came into view.")
    @Argument(help: "The stack.", completion: .stackNames) var stack: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack) = try await session.stack(self.stack)
        try await session.report(.shown(stack), on: device.device)
      }
    }
  }

  /// `marquee report hidden`
  struct Hidden: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "A stack went out of view.")
    @Argument(help: "The stack.", completion: .stackNames) var stack: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack) = try await session.stack(self.stack)
        try await session.report(.hidden(stack), on: device.device)
      }
    }
  }

  /// `marquee report opened`
  struct Opened: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "An app came to the foreground.")
    @OptionGroup var app: AppArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        try await session.report(.appOpened(app.app), on: try await app.resolve(session))
      }
    }
  }

  /// `marquee report closed`
  struct Closed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "An app left the foreground.")
    @OptionGroup var app: AppArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        try await session.report(.appClosed(app.app), on: try await app.resolve(session))
      }
    }
  }

  /// `marquee report reload`
  struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The person asked for a widget's newest content.")
    @Argument(help: "The widget, as short as is clear.", completion: .widgetNames) var widget: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, widget) = try await session.widget(self.widget)
        try await session.report(.reload(widget), on: device.device)
      }
    }
  }
}

/// An app on a device.
struct AppArguments: ParsableArguments {
  @Argument(help: "The app's bundle identifier.", transform: Arguments.app)
  var app: AppID

  @Option(help: "The device; needed when there are several.", completion: .deviceNames)
  var device: String?

  func resolve(_ session: Session) async throws -> DeviceID {
    try await NameDirectory.fetch(device: device, .devices, session.operators).device
  }
}

extension Session {
  /// Reports, and says that it was taken.
  func report(_ report: PersonReport, on device: DeviceID) async throws {
    try await display.report(report, on: device)
    write(json: .object([.init("device", .string(device.text)), .init("reported", true)]), lines: ["Reported."])
  }
}
