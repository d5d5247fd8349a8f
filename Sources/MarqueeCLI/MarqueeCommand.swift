import ArgumentParser
import Foundation
import MarqueeModel
import MarqueeTerminal

/// The command `marquee`.
@main
struct MarqueeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marquee",
    abstract: "Inspect and control a Marquee server, and explain what its stacks show and why.",
    discussion: """
      STACK is written DEVICE/STACK, or STACK alone if only one device has it. WIDGET is written \
      DEVICE:APP/KIND(PARAMETER=VALUE, …); everything but KIND can be omitted if only one widget, or only one that is \
      placed, has the name. "inspect" prints full widget names. Times use the device's time zone, for example 9:41, \
      "yesterday 9:41 pm" or -10m.

      The server is selected by --server or the environment variable MARQUEE_SERVER. The default is the socket \
      marquee/marqueed.sock in XDG_RUNTIME_DIR, or /tmp/marquee-UID/marqueed.sock; without it, \
      /run/marquee/marqueed.sock if it exists.

      Exit status: 0 on success; 1 if the server rejects the request, a name is unknown, a file is invalid or "lint" \
      reports findings; 64 for invalid arguments; 69 if no server answers or a program \
      next to marquee is missing; 70 for an internal error; 74 if the output cannot be written.
      """,
    version: MarqueeVersion.current,
    groupedSubcommands: [
      CommandGroup(
        name: "Inspect",
        subcommands: [
          DevicesCommand.self, StacksCommand.self, WidgetsCommand.self, InspectCommand.self, TimelineCommand.self,
          EntryCommand.self, WatchCommand.self, ExplainCommand.self, WhyNotCommand.self, DecisionsCommand.self,
          ForeseeCommand.self, ShortcutsCommand.self, ActionsCommand.self, WatchFaceCommand.self,
          StatisticsCommand.self,
          EventsCommand.self, ActivityCommand.self, TopCommand.self, StreamsCommand.self, DonationsCommand.self,
          PredictCommand.self,
          SuggestCommand.self,
          PeopleCommand.self, BlockedCommand.self, OptionsCommand.self, PhraseCommand.self, LimitsCommand.self,
          HealthCommand.self,
        ]),
      CommandGroup(
        name: "Modify",
        subcommands: [
          DeviceCommand.self, StackCommand.self, PublishCommand.self, ReportInteractionCommand.self, DonateCommand.self,
          DeleteDonationsCommand.self, ConfigureCommand.self, PerformCommand.self, ContinueCommand.self,
          FocusFilterCommand.self, PolicyCommand.self, DeveloperModeCommand.self, ClockCommand.self,
          RemoveKindsCommand.self,
          RemoveIntentTypesCommand.self, RemoveAppCommand.self, RemoveDeviceCommand.self,
        ]),
      CommandGroup(
        name: "Browsers", subcommands: [ConsoleCommand.self, SessionsCommand.self, RevokeSessionCommand.self]),
      CommandGroup(name: "Clusters", subcommands: [ClusterCommand.self]),
      CommandGroup(name: "Backup", subcommands: [BackupCommand.self]),
      CommandGroup(
        name: "Simulate and test",
        subcommands: [
          DemoCommand.self, ExportScenarioCommand.self, SimulateCommand.self, LintCommand.self,
          EvaluatePredictorCommand.self,
          BacktestCommand.self,
        ]),
    ])

  /// Runs the command given by the arguments and exits with an ``ExitStatus``.
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
    let isJSON = arguments.contains("--json")
    do {
      if let failure = CommandFailure.backwardAdvance(in: arguments) { throw failure }
      if let failure = CommandFailure.negativeShard(in: arguments) { throw failure }
      var command = try await asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as CommandFailure {
      Terminal.standard.fail(failure, isJSON: isJSON)
    } catch {
      let message = fullMessage(for: error)
      let completed = BashCompletion.complete(message)
      guard completed == message else { return Terminal.standard.write(exactly: completed) }
      guard exitCode(for: error) != .success else { exit(withError: error) }
      if exitCode(for: error) == .validationFailure, let failure = CommandFailure.unknownCommand(in: arguments) {
        Terminal.standard.fail(failure, isJSON: isJSON)
      }
      if isJSON, !message.isEmpty { Terminal.standard.fail(CommandFailure(converting: error), isJSON: true) }
      // Parsing errors quote user input and file contents, so they are escaped before printing.
      if !message.isEmpty { Terminal.standard.writeError(message.components(separatedBy: "\n")) }
      Foundation.exit(exitCode(for: error).rawValue)
    }
  }
}
