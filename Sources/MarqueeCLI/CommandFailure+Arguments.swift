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
}
