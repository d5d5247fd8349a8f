import ArgumentParser
import MarqueeJournal
import MarqueeServer
import MarqueeStore
import MarqueeTerminal

/// `marqueed verify`
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify the integrity of a backup, data directory or PostgreSQL database (read-only).",
    usage: """
      marqueed verify <path> [--json]
      marqueed verify --store postgres:<conninfo> --keys <directory> [--json]
      """,
    discussion: """
      Checks the file's structure, its tables, indexes and triggers, and the checksum of every record, and replays \
      each device: its events must reproduce the stored snapshots and decisions bit for bit. No server is needed; a \
      running one need not be stopped. Exit status: 0 if the data is intact, 1 if it is not.
      """)

  @ParentCommand var server: Marqueed

  @Argument(help: "A backup file or a data directory.", completion: .file())
  var path: String?

  @Flag(help: "Write JSON.")
  var json = false

  func validate() throws {
    try server.checkOptionsUnused(acceptsStore: true)
    guard (path == nil) != (server.options.store == nil) else {
      throw ValidationError("either a path or --store is required")
    }
  }

  func run() async throws {
    let verification = try await verify()
    if json {
      Terminal.standard.write(.object(verification.members))
    } else {
      Terminal.standard.write(verification.findings.map(\.description) + ["\(name): \(verification.summary)."])
    }
    guard verification.findings.isEmpty || path != nil else { throw Marqueed.Failure("\(name) is damaged") }
    guard verification.findings.isEmpty else {
      throw Marqueed.Failure(
        """
        \(name) is damaged
        A server that starts on a data directory rebuilds missing and damaged indexes and missing triggers.
        "marqueed restore" creates a data directory from a backup.
        """)
    }
  }

  /// The name of the data in messages, which has nothing of a connection info.
  private var name: String { path ?? "the database" }

  /// Verifies the data, and shows progress.
  private func verify() async throws(Marqueed.Failure) -> Verification {
    let progress = ProgressMeter("Verifying \(name)")
    defer { progress.end() }
    do {
      if let path { return try Store.verify(path) { progress.note(.count($0, of: $1, "devices")) } }
      guard let database = try server.database() else {
        throw ConfigurationError("store", "required setting is missing")
      }
      return try await database.verify { progress.note(.count($0, of: $1, "devices")) }
    } catch let error as JournalError {
      throw Marqueed.Failure("\(name): \(error.message)")
    } catch {
      throw Marqueed.Failure("\(error)")
    }
  }
}

extension Verification {
  /// The result as text.
  fileprivate var summary: String {
    let counts = [
      (deviceCount, "device"), (eventCount, "event"), (snapshotCount, "snapshot"), (decisionCount, "decision"),
    ]
    let verdict = findings.isEmpty ? "intact" : Self.counted(findings.count, "finding")
    return counts.map(Self.counted).joined(separator: ", ") + ", format \"\(formats.last ?? "")\", \(verdict)"
  }

  private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  /// The result as fields of a JSON object, described in the article *JSON output* of MarqueeCLI.
  fileprivate var members: [JSONValue.Field] {
    [
      .init("device_count", .integer(Int64(deviceCount))), .init("event_count", .integer(Int64(eventCount))),
      .init("snapshot_count", .integer(Int64(snapshotCount))),
      .init("decision_count", .integer(Int64(decisionCount))), .init("format", .string(formats.last ?? "")),
      .init("findings", .array(findings.map { .string($0.description) })),
    ]
  }
}
