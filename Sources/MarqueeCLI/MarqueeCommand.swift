import ArgumentParser
import Foundation

/// The command `marquee`.
@main
struct MarqueeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marquee",
    abstract: "Looks into a Marquee server: what its stacks show, what they will show next, and why.",
    discussion: """
      STACK is written DEVICE/STACK, or STACK alone when only one device has it. WIDGET is written \
      DEVICE:APP/KIND(PARAMETER=VALUE, …), of which everything but KIND may be left out while it is clear what is \
      meant; "inspect" prints widgets in full. Times are the device's own, such as 9:41, "yesterday 9:41 pm" or -10m.

      The server is the one that --server or the variable MARQUEE_SERVER names, else the socket \
      marquee/marqueed.sock in XDG_RUNTIME_DIR, else /tmp/marquee-UID/marqueed.sock.

      The exit status is 0, or 1 when the server refuses, a name is unknown, a file is wrong or "lint" finds \
      something, 64 for wrong arguments, 69 when no server answers, and 70 for a fault of this program or the server.
      """,
    groupedSubcommands: [
      CommandGroup(
        name: "Looking",
        subcommands: [
          DevicesCommand.self, StacksCommand.self, WidgetsCommand.self, InspectCommand.self, TimelineCommand.self,
          WatchCommand.self, ExplainCommand.self, WhyNotCommand.self, LogCommand.self, ShortcutsCommand.self,
          WatchFaceCommand.self, TopCommand.self,
          DonationsCommand.self, PredictCommand.self, SuggestCommand.self, PeopleCommand.self, OptionsCommand.self,
          LimitsCommand.self, HealthCommand.self,
        ]),
      CommandGroup(
        name: "Changing",
        subcommands: [
          DeviceCommand.self, StackCommand.self, FeedCommand.self, ReportCommand.self, DonateCommand.self,
          ForgetCommand.self, ConfigureCommand.self, PerformCommand.self, PolicyCommand.self, DeveloperModeCommand.self,
          ClockCommand.self,
        ]),
      CommandGroup(
        name: "Keeping", subcommands: [BackupCommand.self, VerifyCommand.self, RestoreCommand.self]),
      CommandGroup(
        name: "Trying out",
        subcommands: [
          DemoCommand.self, RecordCommand.self, SimulateCommand.self, LintCommand.self, EvaluateCommand.self,
          ReplayCommand.self,
        ]),
    ])

  /// Runs the command that the arguments name, and ends the process as ``ExitStatus`` says.
  static func main() async {
    do {
      var command = try await asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as CommandFailure {
      Terminal.standard.fail(failure)
    } catch {
      let message = fullMessage(for: error)
      let completed = BashCompletion.complete(message)
      guard completed == message else { return Terminal.standard.write([completed]) }
      exit(withError: error)
    }
  }
}
