import ArgumentParser
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

extension PublishCommand {
  /// `marquee publish shortcuts`
  struct Shortcuts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set an app's relevant shortcuts and intents from a file, replacing all existing ones.",
      discussion: """
        FILE is YAML as for "lint": one case with shortcuts or relevantIntents, and intentTypes. If the case has \
        several sets, the last is sent. Minutes count from the case's "from" in the device's time zone, or from now. \
        Missing widget kinds (with all families) and intent types are registered.
        """)

    @Argument(help: "A YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(help: "The app.", completion: .appNames, transform: Arguments.app)
    var app: AppID

    @Option(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let names = try await NameDirectory.fetch(device: device, .widgets, session)
        let clock = try names.clock
        let content = try content(.at(names.now, clock: clock), session.terminal)
        let publisher = ShortcutPublisher(session: session, names: names, app: app, content: content)
        let warnings = try await publisher.publish()
        let (shortcuts, intents) = (publisher.shortcuts, publisher.intents)
        session.write(
          json: .object(
            .time("at", names.now, clock) + [
              .init("device", .string(names.device.text)), .init("app", .string(app.text)),
              .init("shortcut_count", shortcuts.map { .integer(Int64($0.count)) } ?? .null),
              .init("intent_count", intents.map { .integer(Int64($0.count)) } ?? .null),
              .init("warnings", .array(warnings.map(\.json))),
            ]),
          lines: [
            shortcuts.map { "Shortcuts of \(app) set on \(names.device): \($0.count)." },
            intents.map { "Relevant intents of \(app) set on \(names.device): \($0.count)." },
          ].compactMap(\.self) + warnings.map { "  \($0.code): \($0.message)" })
      }
    }

    /// Returns the case to send.
    private func content(_ reader: LintCaseReader, _ terminal: Terminal) throws(CommandFailure) -> LintCase {
      let cases: [LintCase]
      do {
        cases = try LintCase.cases(path: file, reader, note: terminal.warn)
      } catch {
        throw CommandFailure(.rejected, error.message)
      }
      let sending = cases.filter { !$0.shortcutSets.isEmpty || !$0.intentSets.isEmpty }
      guard sending.count == 1 else {
        throw CommandFailure(.rejected, "\(file): expected one case with shortcuts or intents, found \(sending.count)")
      }
      return sending[0]
    }
  }
}
