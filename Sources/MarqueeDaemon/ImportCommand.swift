import ArgumentParser
import MarqueeJournal
import MarqueeServer
import MarqueeTerminal

/// `marqueed import`
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Copy the devices of a data directory to a PostgreSQL database.",
    usage: "marqueed import <directory> --store postgres:<conninfo> --keys <directory>",
    discussion: """
      The servers of both must have ended. The devices of the data directory are not changed, and the database has \
      the same history of each one. If the copy is interrupted, repeat the command before a server uses the \
      directory. Afterwards, "marqueed cluster init" makes the database that of a cluster.
      """)

  @ParentCommand var server: Marqueed

  @Argument(help: "The data directory.", completion: .directory)
  var directory: String

  func validate() throws { try server.checkOptionsUnused(acceptsStore: true) }

  func run() async throws {
    let copied = try await copy()
    let devices = "\(copied.devices) device\(copied.devices == 1 ? "" : "s")"
    let events = "\(copied.events) event\(copied.events == 1 ? "" : "s")"
    Terminal.standard.write(["Imported \(directory): \(devices), \(events)."])
  }

  /// Copies the devices, and shows progress.
  private func copy() async throws -> CopiedCount {
    let progress = ProgressMeter("Importing \(directory)")
    defer { progress.end() }
    do {
      return try await server.requiredDatabase().importDevices(from: directory) {
        progress.note(.count($0, of: $1, "devices"))
      }
    } catch let error as JournalError {
      throw Marqueed.Failure(error.message)
    }
  }
}
