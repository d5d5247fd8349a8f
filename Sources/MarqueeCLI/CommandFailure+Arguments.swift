import ArgumentParser

extension CommandFailure {
  /// Creates the failure for an error of the argument parser, or another error, with the usage text as hints.
  init(converting error: any Error) {
    let message = MarqueeCommand.message(for: error)
    let lines = MarqueeCommand.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
    let usage = lines.dropFirst(message.split(separator: "\n", omittingEmptySubsequences: false).count)
    self.init(
      ExitStatus(rawValue: MarqueeCommand.exitCode(for: error).rawValue) ?? .internalError, message,
      hints: usage.map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty })
  }

  /// Returns the failure for a mistyped command, or `nil` if the arguments name a command.
  ///
  /// The argument parser would report the name as an unexpected argument, or an option after it as unknown.
  static func unknownCommand(in arguments: some Sequence<String>) -> CommandFailure? {
    var command: any ParsableCommand.Type = MarqueeCommand.self
    var path: [String] = []
    for argument in arguments {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
      guard let next = subcommands.first(where: { $0._commandName == argument }) else {
        let known = subcommands.map { $0._commandName } + (path.isEmpty ? ["help"] : [])
        let failure = notFound((path + ["command"]).joined(separator: " "), argument, known: known)
        let nested = nestedCommands(argument, in: subcommands)
        let help = (["marquee"] + path + ["--help"]).joined(separator: " ")
        return CommandFailure(
          .usage, failure.message, hints: (nested.isEmpty ? failure.hints : [didYouMean(nested)]) + ["See \"\(help)\"."]
        )
      }
      command = next
      path.append(argument)
    }
    return nil
  }

  /// Returns the failure for `clock advance` with a time in the past such as `-1h`, or `nil` for other arguments.
  ///
  /// The argument parser would take it for options, of which `-h` prints the help.
  static func backwardAdvance(in arguments: some Sequence<String>) -> CommandFailure? {
    let arguments = Array(arguments)
    guard arguments.starts(with: ["clock", "advance"]),
      let time = arguments.first(where: { $0.wholeMatch(of: /-([0-9]+[dhms])+/) != nil })
    else { return nil }
    return CommandFailure(
      .usage, "\"\(time)\" is in the past, and the clock never goes back",
      hints: ["Give a duration such as 1h30m, or a time that is ahead."])
  }

  /// Returns the failure for `cluster move` with a negative number, which the argument parser would take for an option,
  /// or `nil` for other arguments.
  static func negativeShard(in arguments: some Sequence<String>) -> CommandFailure? {
    let arguments = Array(arguments)
    guard arguments.starts(with: ["cluster", "move"]),
      let number = zip(arguments, arguments.dropFirst())
        .first(where: { $0 != "--wait" && $1.wholeMatch(of: /-[0-9]+/) != nil })?.1
    else { return nil }
    return CommandFailure(.usage, "\"\(number)\" is not the number of a shard", hints: ["The first shard is 0."])
  }

  /// Returns the commands, such as `device add`, whose two words `text` joins in any order, as in `add-device`.
  private static func nestedCommands(_ text: String, in commands: [any ParsableCommand.Type]) -> [String] {
    let words = text.split(separator: "-").map(String.init)
    guard words.count == 2 else { return [] }
    return commands.flatMap { command in
      command.configuration.subcommands.map { [command._commandName, $0._commandName] }
    }.filter { $0 == words || $0 == words.reversed() }.map { $0.joined(separator: " ") }
  }
}
