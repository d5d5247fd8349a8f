import ArgumentParser
import Foundation
import MarqueeClient
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
      deleted on the server later: protect it and limit how long it is kept.
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
    let part = file + ".part"
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(part, errno) }
    defer {
      close(descriptor)
      // Only an incomplete file still has this name.
      unlink(part)
    }
    let progress = ProgressMeter("Waiting for the server's copy")
    defer { progress.end() }
    var size = 0
    for try await piece in parts {
      if size == 0 { progress.begin("Writing \(file)") }
      try write(piece.content, to: descriptor)
      size += piece.content.count
      progress.note(.bytes(size, of: nil))
    }
    guard fsync(descriptor) == 0 else { throw failure(part, errno) }
    // Unlike `rename`, `link` fails if the target exists.
    guard link(part, file) == 0 else { throw failure(file, errno) }
    return size
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws(CommandFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { throw failure(file, errno) }
      rest = rest.dropFirst(max(count, 0))
    }
  }

  private func failure(_ path: String, _ code: Int32) -> CommandFailure {
    CommandFailure(.rejected, "cannot write the file \(path): \(String(cString: strerror(code)))")
  }
}
