import Foundation
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

/// A damaged store is rejected with the reason and instructions, and is not modified.
@Suite(.timeLimit(.minutes(2))) struct DamageTests {
  /// The size of a frame of the WAL, with its header.
  private static let frameSize = 24 + Store.pageSize

  private let directory = StoreDirectory()
  private var file: URL { URL(filePath: directory.path + "/marquee.sqlite") }
  private var wal: URL { URL(filePath: directory.path + "/marquee.sqlite-wal") }

  /// Writes the first steps of the script, and copies the files as a killed process would leave them.
  private func write(stepCount: Int, _ script: FaultScript) async throws {
    let other = StoreDirectory()
    let store = try Store(directory: other.path, walFrameCountMax: .max)
    for step in script.steps.prefix(stepCount) {
      try await store.append(
        created: step.created, events: step.events, decisions: step.decisions, snapshots: step.snapshots)
    }
    try FileManager.default.copyItem(atPath: other.path, toPath: directory.path)
    try store.close()
  }

  /// Returns the error of opening the directory.
  private func rejection() -> JournalError? {
    do {
      try Store(directory: directory.path).close()
      return nil
    } catch {
      return error
    }
  }

  /// Checks that the directory is rejected, with instructions, and that its files are not modified.
  private func expectRejection(_ words: String, _ comment: Comment? = nil) throws {
    func files() throws -> [String: Data?] {
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { !$0.hasSuffix("-shm") }
      return Dictionary(
        uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: "\(directory.path)/\($0)")) })
    }
    let before = try files()
    let error = rejection()
    #expect(error?.code == .corrupt, comment)
    #expect(error?.message.contains(words) == true && error?.message.contains("marqueed restore") == true, comment)
    #expect(try files() == before, comment)
  }

  @Test("A missing or empty database file is rejected")
  func emptied() async throws {
    let script = try FaultScript()
    try await write(stepCount: 3, script)
    try Store(directory: directory.path).close()
    try Data().write(to: file)
    try expectRejection("missing or empty")
    try FileManager.default.removeItem(at: file)
    try expectRejection("missing or empty")
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test("A directory in which a process was killed before its first write can be opened")
  func unborn() throws {
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    try Data().write(to: file)
    try Data().write(to: URL(filePath: directory.path + "/lock"))
    #expect(rejection() == nil)
  }

  @Test("A truncated file is rejected", arguments: [1, 2_048, 4_096, 40_960])
  func shortened(count: Int) async throws {
    try await write(stepCount: 9, FaultScript())
    try Store(directory: directory.path).close()
    let whole = try Data(contentsOf: file)
    try whole.dropLast(count).write(to: file)
    try expectRejection("truncated")
  }

  @Test("A WAL that is damaged before a durable transaction is rejected; a damaged last transaction is dropped")
  func wal() async throws {
    let script = try FaultScript()
    // Without a deletion, which truncates the WAL.
    try await write(stepCount: 3, script)
    let (whole, intact) = (try Data(contentsOf: wal), try Data(contentsOf: file))
    let lastCommit = try #require(try commits(whole).dropLast().last)
    var rejectedCount = 0
    for offset in stride(from: 32, to: whole.count, by: 331) {
      var bytes = whole
      bytes[offset] ^= 0x10
      try intact.write(to: file)
      try bytes.write(to: wal)
      if offset < lastCommit {
        try expectRejection("the WAL is damaged", "byte \(offset)")
        rejectedCount += 1
      } else {
        let store = try Store(directory: directory.path)
        #expect(try await FaultScript.Contents(of: store) == script.steps[1].outcome, "byte \(offset)")
        try store.close()
      }
    }
    #expect(rejectedCount > 20)
    for offset in [0, 9, 17, 22, 25, 31] {
      var bytes = whole
      bytes[offset] ^= 0x40
      try intact.write(to: file)
      try bytes.write(to: wal)
      try expectRejection("the WAL is damaged", "byte \(offset) of the header")
    }
  }

  @Test("A partly written commit header before an incomplete transaction is not reported as damage")
  func torn() async throws {
    let script = try FaultScript()
    try await write(stepCount: 3, script)
    let (whole, intact) = (try Data(contentsOf: wal), try Data(contentsOf: file))
    let lastCommit = try #require(try commits(whole).dropLast().last)
    try #require(whole.count - lastCommit >= 3 * Self.frameSize)
    var bytes = whole
    // A page number, and the size of the database after the commit.
    bytes.replaceSubrange(lastCommit..<lastCommit + 8, with: [0, 0, 0, 1, 0, 0, 0, 9])
    try bytes.write(to: wal)
    try expectRejection("the WAL is damaged", "before a complete transaction")
    try intact.write(to: file)
    try bytes.dropLast(Self.frameSize).write(to: wal)
    let store = try Store(directory: directory.path)
    #expect(try await FaultScript.Contents(of: store) == script.steps[1].outcome)
    try store.close()
  }

  /// Returns the end offsets of the commit frames.
  private func commits(_ wal: Data) throws -> [Int] {
    stride(from: 32, to: wal.count, by: Self.frameSize).filter { wal[$0 + 4..<$0 + 8].contains { $0 != 0 } }
      .map { $0 + Self.frameSize }
  }
}
