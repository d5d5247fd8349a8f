import ArgumentParser
import MarqueeJournal
import MarqueeStore
import MarqueeTerminal

/// `marqueed restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Create a data directory from a backup, verifying the backup first.",
    discussion: """
      The database file of a data directory is also accepted once its server has stopped. A copy of it elsewhere may \
      lack transactions of the write-ahead log (WAL), and is rejected. Afterwards, start a server with the directory: \
      marqueed --data-dir DIRECTORY --listen ENDPOINT.
      """)

  @ParentCommand var server: Marqueed

  @Argument(help: "The backup file.", completion: .file())
  var file: String

  @Argument(help: "The data directory, which must not contain a store. Created if missing.", completion: .directory)
  var directory: String

  func validate() throws {
    guard server.options.store == nil else {
      throw ValidationError("PostgreSQL is restored with its own tools, such as pg_restore or pgbackrest")
    }
    try server.checkOptionsUnused()
  }

  func run() throws {
    let progress = ProgressMeter("Verifying \(file)")
    do throws(JournalError) {
      defer { progress.end() }
      try Store.restore(file, to: directory) { done, all in
        if done == all { progress.begin("Copying \(file)") } else { progress.note(.count(done, of: all, "devices")) }
      }
    } catch {
      throw Marqueed.Failure("\(file): \(error.message)")
    }
    Terminal.standard.write(["Restored \(file) to \(directory)."])
  }
}
