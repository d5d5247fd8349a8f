import ArgumentParser
import MarqueeServer

/// `marqueed settings`
struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Print a settings file that lists every setting with its description, range and default.",
    discussion: "The settings in it are commented out. Use the file with 'marqueed --config FILE'.")

  @ParentCommand var server: Marqueed

  func validate() throws {
    try server.checkOptionsUnused()
  }

  func run() throws {
    throw CleanExit.message(SettingsTemplate.text)
  }
}
