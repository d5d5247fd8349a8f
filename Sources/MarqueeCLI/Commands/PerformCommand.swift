import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// `marquee perform`
struct PerformCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perform",
    abstract: "Have an app perform an intent, as a button or toggle in a widget does.",
    discussion: """
      Confirmation prompts of the intent are answered with y or n. Without a terminal they are declined unless --yes \
      is given. Ctrl-C cancels the intent.
      """)

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: ActivityText.help)
  var intent: String

  @Option(help: ArgumentHelp("The widget with the button; its timeline is reloaded.", valueName: "widget"))
  var from: String?

  @Flag(help: "Confirm all prompts.")
  var yes = false

  @Option(help: ArgumentHelp("The maximum duration; defaults to 600.", valueName: "seconds"))
  var timeMax: Int?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard timeMax.map({ (1...86_400).contains($0) }) ?? true else {
      throw ValidationError("--time-max must be from 1 to 86400 seconds")
    }
  }

  func run() async throws {
    let activity = try ActivityText(intent)
    let intent = try activity.intent()
    try await server.run(follows: true) { session in
      let names = try await NameDirectory.fetch(device: device, .widgets, session)
      let widget: Widget? =
        if let from { try await session.widget(from, on: names.device.text).widget } else { nil }
      let (app, device, terminal) = (try await activity.app(on: names, session), names.device, session.terminal)
      let (limit, agrees) = (timeMax.map { Duration.seconds($0) }, yes)
      try await withInterruption {
        let outcome = try await session.ask(app) {
          try await session.display.perform(
            IntentInvocation(intent, from: widget), of: app, on: device, timeMax: limit,
            progress: { terminal.writeError([$0.words]) },
            agree: { agrees || terminal.asks($0.words) })
        }
        session.write(json: outcome.json(on: device, app, intent), lines: outcome.lines)
      }
    }
  }
}

extension PerformCommand {
  /// Returns the command line that performs an intent.
  static func line(_ intent: Intent, of app: AppID, on device: DeviceID) -> String {
    "marquee perform \(PhraseCommand.shellArguments([device.text, "\(app)/\(intent.exactText)"]))"
  }
}

extension Terminal {
  /// Prompts the user for confirmation. Returns `false` if there is no terminal.
  fileprivate func asks(_ question: String) -> Bool {
    guard isatty(STDIN_FILENO) != 0 else {
      writeError(["\(question) Declined: no terminal for confirmation. Use --yes to confirm."])
      return false
    }
    writeError(["\(question) [y/N]"])
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }
}

extension IntentProgress {
  fileprivate var words: String {
    let share = totalUnitCount > 0 ? "\(completedUnitCount) of \(totalUnitCount)" : "\(completedUnitCount)"
    return description.isEmpty ? share : "\(share): \(description)"
  }
}

extension IntentPrompt {
  fileprivate var words: String {
    let asked = purpose == .foreground ? "The app wants to come to the foreground." : "The app requests confirmation."
    return dialog.isEmpty ? asked : dialog
  }
}

extension IntentOutcome {
  fileprivate var lines: [String] {
    let name = valueName.isEmpty ? "Value" : valueName
    let lines = [
      dialog.isEmpty ? nil : dialog, value.map { "\(name): \($0.exactText)" },
      opensApp ? "The app comes to the foreground." : nil,
    ].compactMap(\.self)
    return lines.isEmpty ? ["Done."] : lines
  }

  fileprivate func json(on device: DeviceID, _ app: AppID, _ intent: Intent) -> JSONValue {
    .object([
      .init("device", .string(device.text)), .init("performed", .string("\(app)/\(intent.exactText)")),
      .init("value", value.map { .string($0.exactText) } ?? .null), .init("value_name", .string(valueName)),
      .init("dialog", .string(dialog)), .init("opens_app", .boolean(opensApp)),
    ])
  }
}
