import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeFiles
import MarqueeTerminal

/// `marquee backup`
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up a running server to a file, and verify the backup.",
    discussion: """
      The backup is a consistent snapshot. The server keeps running; only deletions of donations wait until the copy \
      is made. The file is verified by "marqueed verify", so marqueed must be installed next to marquee; success means \
      that the backup is intact. The file contains all data that apps and displays sent, including data that is \
      deleted on the server later: protect it and limit how long it is kept. Until it is complete, it is called \
      FILE.part; an interrupted backup leaves that file, which the next backup to FILE replaces.
      """)

  @Argument(help: "The backup file, which must not exist.", completion: .file())
  var file: String

  @Flag(inversion: .prefixedNo, help: "Verify the backup with marqueed.")
  var verify = true

  @OptionGroup var server: ServerOptions

  func run() async throws {
    let verifier = verify ? try BackupVerifier() : nil
    var size = 0
    try await server.run { session in size = try await write(session.operators.backup()) }
    let verification = try await verifier?.verify(file, isJSON: server.json)
    let terminal = Terminal.standard
    if server.json {
      let members = try Self.members(of: verification)
      terminal.write(.object([.init("file", .string(file)), .init("size", .integer(Int64(size)))] + members))
    } else {
      terminal.write(["\(file): \(size) bytes."])
      if let verification { terminal.write(exactly: verification.text) }
    }
    guard let verification else {
      return terminal.warn("the backup is not verified; verify it with: marqueed verify \(file)")
    }
    guard verification.isIntact else { throw CommandFailure(.internalError, "the server's store is damaged") }
  }

  /// Returns the fields of a verification's JSON document, which are `null` without one.
  private static func members(of verification: BackupVerifier.Verification?) throws -> [JSONValue.Field] {
    let document = try verification?.document()
    func count(_ count: Int?) -> JSONValue { count.map { JSONValue.integer(Int64($0)) } ?? .null }
    return [
      .init("device_count", count(document?.deviceCount)), .init("event_count", count(document?.eventCount)),
      .init("snapshot_count", count(document?.snapshotCount)),
      .init("decision_count", count(document?.decisionCount)),
      .init("format", document.map { JSONValue.string($0.format) } ?? .null),
      .init("findings", document.map { JSONValue.array($0.findings.map(JSONValue.string)) } ?? .null),
    ]
  }

  /// Writes the file completely, or throws and writes nothing. Returns the size in bytes.
  private func write(_ parts: BackupParts) async throws -> Int {
    do {
      let target = try BackupFile(path: file)
      let size: Int
      do { size = try await copy(parts, to: target) } catch {
        target.discard()
        throw error
      }
      try target.publish()
      return size
    } catch let error as FileError {
      throw CommandFailure(.rejected, "cannot write the file \(file): \(error)")
    }
  }

  private func copy(_ parts: BackupParts, to target: borrowing BackupFile) async throws -> Int {
    let progress = ProgressMeter("Waiting for the server's copy")
    defer { progress.end() }
    var size = 0
    for try await piece in parts {
      if size == 0 { progress.begin("Writing \(file)") }
      try target.write(piece.content)
      size += piece.content.count
      progress.note(.bytes(size, of: nil))
    }
    return size
  }
}
