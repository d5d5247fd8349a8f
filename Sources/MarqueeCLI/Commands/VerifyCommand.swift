import ArgumentParser
import MarqueeStore
import MarqueeTerminal

/// `marquee verify`
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify the integrity of a backup or data directory (read-only).",
    discussion: """
      Checks the file's structure, its tables, indexes and triggers, and the checksum of every record, and replays \
      each device: its events must reproduce the stored snapshots and decisions bit for bit. No server is needed; a \
      running one need not be stopped.
      """)

  @Argument(help: "A backup file or a data directory.", completion: .file())
  var path: String

  @Flag(help: "Write JSON.")
  var json = false

  func run() throws {
    let verification = try StoreFailure.verify(path)
    let terminal = Terminal.standard
    if json {
      terminal.write(.object(verification.members))
    } else {
      terminal.write(verification.findings.map(\.description) + ["\(path): \(verification.summary)."])
    }
    guard verification.findings.isEmpty else {
      throw CommandFailure(
        .refused, "\(path) is damaged",
        hints: [
          "A server that starts on a data directory rebuilds missing and damaged indexes and missing triggers.",
          "\"marquee restore\" creates a data directory from a backup.",
        ])
    }
  }
}

/// `marquee restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Create a data directory from a backup, verifying the backup first.",
    discussion: """
      The database file of a data directory is also accepted once its server has stopped. A copy of it elsewhere may \
      lack transactions of the write-ahead log (WAL), and is refused. Afterwards, start a server with the directory: \
      marqueed --data-dir DIRECTORY.
      """)

  @Argument(help: "The backup file.", completion: .file())
  var file: String

  @Argument(help: "The data directory, which must not contain a store. Created if missing.", completion: .directory)
  var directory: String

  func run() throws {
    let progress = ProgressMeter("Verifying \(file)")
    try StoreFailure.naming(file) {
      defer { progress.end() }
      try Store.restore(file, to: directory) { done, all in
        if done == all { progress.begin("Copying \(file)") } else { progress.note(.count(done, of: all, "devices")) }
      }
    }
    Terminal.standard.write(["Restored \(file) to \(directory)."])
  }
}

/// Helpers for reporting store errors to the user.
enum StoreFailure {
  /// Verifies a backup or a data directory, and shows progress.
  static func verify(_ path: String) throws -> Verification {
    let progress = ProgressMeter("Verifying \(path)")
    defer { progress.end() }
    return try naming(path) {
      try Store.verify(path) { done, all in progress.note(.count(done, of: all, "devices")) }
    }
  }

  /// Runs `body` and adds the path to its errors.
  static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw CommandFailure(.refused, "\(path): \(error.message)")
    }
  }
}

extension Verification {
  /// The result as text.
  var summary: String {
    let counts = [
      (deviceCount, "device"), (eventCount, "event"), (snapshotCount, "snapshot"), (decisionCount, "decision"),
    ]
    let verdict = findings.isEmpty ? "intact" : Self.counted(findings.count, "finding")
    return counts.map(Self.counted).joined(separator: ", ") + ", format \"\(formats.last ?? "")\", \(verdict)"
  }

  private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  /// The result as fields of a JSON object.
  var members: [JSONValue.Field] {
    [
      .init("device_count", .integer(Int64(deviceCount))), .init("event_count", .integer(Int64(eventCount))),
      .init("snapshot_count", .integer(Int64(snapshotCount))),
      .init("decision_count", .integer(Int64(decisionCount))), .init("format", .string(formats.last ?? "")),
      .init("findings", .array(findings.map { .string($0.description) })),
    ]
  }
}
