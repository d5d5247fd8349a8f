import ArgumentParser
import MarqueeModel
import MarqueeSimulator

extension FeedCommand {
  /// `marquee feed shortcuts`
  struct Shortcuts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets an app's relevant shortcuts and intents, those of a file in place of all it has.",
      discussion: """
        FILE is YAML as "lint" reads it: one case with shortcuts or relevantIntents, and intentTypes. Of several sets \
        the last is sent. Minutes count from the case's "from" by the device's clock, or from now. What the sets name \
        is registered as they need it, unless the device knows it: kinds, of every family, and intent types.
        """)

    @Argument(help: "A file of YAML.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(help: "The app to speak for.", completion: .appNames, transform: Arguments.app)
    var app: AppID

    @Option(help: "The device; needed when there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let names = try await NameDirectory.fetch(device: device, .widgets, session.operators)
        let clock = try names.clock
        let reader = LintCaseReader(clock: clock, standardStart: .systemNow)
        let cases = try LintCase.cases(path: file, reader, note: session.terminal.warn)
          .filter { !$0.shortcutSets.isEmpty || !$0.intentSets.isEmpty }
        guard cases.count == 1 else {
          throw CommandFailure(.usage, "\(file): \(cases.count) cases with shortcuts or intents, and one is sent")
        }
        let feed = ShortcutFeed(session: session, names: names, app: app, content: cases[0])
        let warnings = try await feed.send()
        let (shortcuts, intents) = (feed.shortcuts, feed.intents)
        session.write(
          json: .object(
            .time("at", .systemNow, clock) + [
              .init("device", .string(names.device.text)), .init("app", .string(app.text)),
              .init("shortcut_count", shortcuts.map { .integer(Int64($0.count)) } ?? .null),
              .init("intent_count", intents.map { .integer(Int64($0.count)) } ?? .null),
              .init("warnings", .array(warnings.map(\.json))),
            ]),
          lines: [
            shortcuts.map { "Shortcuts of \(app) set on \(names.device): \($0.count)." },
            intents.map { "Relevant intents of \(app) set on \(names.device): \($0.count)." },
          ].compactMap(\.self) + warnings.map { "  \($0.code): \(Terminal.printable($0.message))" })
      }
    }
  }
}
