import ArgumentParser
import MarqueeStore

/// `marquee verify`
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Looks through a backup, or a data directory, and changes nothing.",
    discussion: """
      The file's structure and every record's checksum are compared, and each device is lived through again: the \
      events must lead to the snapshots and decisions that are stored, bit for bit. It needs no server; one that runs \
      may go on.
      """)

  @Argument(help: "A backup's file or a data directory.", completion: .file())
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
        .refused, "\(path) is damaged", hints: ["\"marquee restore\" makes a data directory of a backup."])
    }
  }
}

/// `marquee restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Makes a data directory of a backup, which is looked through first.",
    discussion: "Then start a server on the directory: marqueed --data-dir DIRECTORY.")

  @Argument(help: "The backup's file.", completion: .file())
  var file: String

  @Argument(help: "The data directory, which has no store yet. Made if it is not there.", completion: .directory)
  var directory: String

  func run() throws {
    let progress = ProgressMeter("Looking through \(file)")
    try StoreFailure.naming(file) {
      defer { progress.end() }
      try Store.restore(file, to: directory) { done, all in
        if done == all { progress.begin("Copying \(file)") } else { progress.note(.count(done, of: all, "devices")) }
      }
    }
    Terminal.standard.write(["Restored \(file) to \(directory)."])
  }
}

/// What goes wrong with a store, in words for the person at the keyboard.
enum StoreFailure {
  /// Looks through a backup or a data directory, and says how far it is.
  static func verify(_ path: String) throws -> Verification {
    let progress = ProgressMeter("Looking through \(path)")
    defer { progress.end() }
    return try naming(path) {
      try Store.verify(path) { done, all in progress.note(.count(done, of: all, "devices")) }
    }
  }

  /// Runs `body`, whose failures are told with the path that they are about.
  static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw CommandFailure(.refused, "\(path): \(error.message)")
    }
  }
}

extension Verification {
  /// What was looked through, in words.
  var summary: String {
    let counts = [
      (deviceCount, "device"), (eventCount, "event"), (snapshotCount, "snapshot"), (decisionCount, "decision"),
    ]
    let verdict = findings.isEmpty ? "intact" : Self.counted(findings.count, "finding")
    return counts.map(Self.counted).joined(separator: ", ") + ", format \"\(formats.last ?? "")\", \(verdict)"
  }

  private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  /// The same as members of a JSON object.
  var members: [JSONValue.Field] {
    [
      .init("device_count", .integer(Int64(deviceCount))), .init("event_count", .integer(Int64(eventCount))),
      .init("snapshot_count", .integer(Int64(snapshotCount))),
      .init("decision_count", .integer(Int64(decisionCount))), .init("format", .string(formats.last ?? "")),
      .init("findings", .array(findings.map { .string($0.description) })),
    ]
  }
}
