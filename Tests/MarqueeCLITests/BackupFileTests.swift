import Foundation
import MarqueeTestSupport
import Testing

@testable import MarqueeCLI

/// The file of a backup, which gets its name when it is complete.
@Suite(.timeLimit(.minutes(1))) struct BackupFileTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file("backup") }
  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
  }

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Writes and publishes the file.
  private func write(_ text: String) throws {
    let file = try BackupFile(path: path)
    try file.write(Array(text.utf8))
    try file.publish()
  }

  @Test("A partial file of an interrupted backup is overwritten, and a complete one is kept")
  func stale() throws {
    try "longer than the backup".write(toFile: path + ".part", atomically: false, encoding: .utf8)
    try write("one")
    #expect(try names == ["backup"])
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(throws: (any Error).self) { try write("two") }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one")
    #expect(try names == ["backup"])
  }

  @Test("A file that appears during a backup is kept, and the partial file is removed")
  func late() throws {
    let file = try BackupFile(path: path)
    try file.write([1])
    try "other".write(toFile: path, atomically: false, encoding: .utf8)
    var message = ""
    do { try file.publish() } catch { message = "\(error)" }
    #expect(message.contains("File exists"))
    #expect(try names == ["backup"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "other")
  }

  @Test("Two processes cannot write one partial file, and an incomplete one is removed")
  func locked() throws {
    let file = try BackupFile(path: path)
    #expect(throws: (any Error).self) { _ = try BackupFile(path: path) }
    #expect(try names == ["backup.part"])
    file.discard()
    #expect(try names.isEmpty)
  }

  @Test("Without hard links, a name is reserved first; one in use is kept, and a failure leaves nothing")
  func reservation() throws {
    let partial = path + ".part"
    #expect(throws: (any Error).self) { try BackupFile.reserveAndRename(partial, to: path) }
    #expect(try names.isEmpty)
    try "one".write(toFile: partial, atomically: false, encoding: .utf8)
    try BackupFile.reserveAndRename(partial, to: path)
    #expect(try names == ["backup"])
    try "two".write(toFile: partial, atomically: false, encoding: .utf8)
    #expect(throws: (any Error).self) { try BackupFile.reserveAndRename(partial, to: path) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one")
  }
}
