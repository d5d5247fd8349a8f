import Foundation
import MarqueeTerminal
import Synchronization

/// Verifies backups with `marqueed verify`.
struct BackupVerifier {
  /// The result of a verification.
  struct Verification {
    /// The JSON document of `marqueed verify`.
    struct Document: Decodable {
      let deviceCount: Int
      let eventCount: Int
      let snapshotCount: Int
      let decisionCount: Int
      let format: String
      let findings: [String]
    }

    let isIntact: Bool
    /// The output of `marqueed verify`, without the last line break.
    let text: String

    /// Returns the output as a document.
    func document() throws(CommandFailure) -> Document {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      do {
        return try decoder.decode(Document.self, from: Data(text.utf8))
      } catch {
        throw CommandFailure(.internalError, "the output of \"marqueed verify --json\" is invalid: \(error)")
      }
    }
  }

  private let program: InstalledProgram

  /// Creates a verifier.
  ///
  /// - Throws: ``CommandFailure`` if `marqueed` is not installed next to `marquee`.
  init() throws(CommandFailure) {
    do throws(CommandFailure) {
      program = try InstalledProgram("marqueed")
    } catch {
      throw CommandFailure(
        error.status, error.message,
        hints: ["With --no-verify, the backup is not verified; \"marqueed verify\" can verify it later, elsewhere."])
    }
  }

  /// Verifies a file. Progress and errors are written to standard error.
  ///
  /// SIGINT, SIGTERM, SIGHUP and SIGQUIT end the verification and this process.
  ///
  /// - Throws: ``CommandFailure`` if the file cannot be verified at all.
  func verify(_ file: String, isJSON: Bool) async throws -> Verification {
    let pipe = Pipe()
    // A name that begins with a hyphen would be an option.
    let arguments = ["verify", file.hasPrefix("-") ? "./\(file)" : file] + (isJSON ? ["--json"] : [])
    let process = try program.start(arguments, output: pipe)
    let interruption = Mutex<CInt?>(nil)
    let watch = await SignalWatch([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) { signal in
      interruption.withLock { $0 = $0 ?? signal }
      process.end()
    }
    defer { watch.end() }
    let output = await Self.contents(of: pipe)
    let status = try await process.exitStatus()
    if let signal = interruption.withLock(\.self) {
      Terminal.standard.warn("interrupted; the backup \(file) is not verified")
      exit(128 + signal)
    }
    guard !output.isEmpty, status == 0 || status == 1 else {
      throw CommandFailure(.internalError, "the backup \(file) could not be verified")
    }
    let text = String(decoding: output, as: UTF8.self)
    return Verification(isIntact: status == 0, text: text.hasSuffix("\n") ? String(text.dropLast()) : text)
  }

  private static func contents(of pipe: Pipe) async -> Data {
    await withCheckedContinuation { continuation in
      // Reading blocks, so it has a thread of its own.
      Thread.detachNewThread {
        // Without output, the verification has failed.
        continuation.resume(returning: (try? pipe.fileHandleForReading.readToEnd()) ?? Data())
      }
    }
  }
}
