import ArgumentParser

/// The command `marquee`.
@main
struct MarqueeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "marquee", abstract: "Look at a Marquee server.")
}
