import Foundation
import MarqueeModel
import MarqueeSamples
import MarqueeScheduler
import Testing

@testable import MarqueeStore

/// What was stored and is damaged is refused with what is wrong and what to do, and left as it is.
@Suite(.timeLimit(.minutes(2))) struct DamageTests {
  /// Bytes of a page in the log, with its header.
  private static let frameSize = 24 + Store.pageSize

  private let directory = StoreDirectory()
  private var file: URL { URL(filePath: directory.path + "/marquee.sqlite") }
  private var log: URL { URL(filePath: directory.path + "/marquee.sqlite-wal") }

  /// Writes so many steps of the script, and leaves the files as a process does that ends at once.
  private func write(stepCount: Int, _ script: FaultScript) async throws {
    let other = StoreDirectory()
    let store = try Store(directory: other.path, logPageCountMax: .max)
    for step in script.steps.prefix(stepCount) {
      try await store.append(
        created: step.created, events: step.events, decisions: step.decisions, snapshots: step.snapshots)
    }
    try FileManager.default.copyItem(atPath: other.path, toPath: directory.path)
    try store.close()
  }

  /// What opening the directory is refused with.
  private func refusal() -> StoreError? {
    do {
      try Store(directory: directory.path).close()
      return nil
    } catch {
      return error
    }
  }

  /// Checks that the directory is refused, with advice, and that its files are not touched.
  private func expectRefusal(_ words: String, _ comment: Comment? = nil) throws {
    func files() throws -> [String: Data?] {
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { !$0.hasSuffix("-shm") }
      return Dictionary(
        uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: "\(directory.path)/\($0)")) })
    }
    let before = try files()
    let error = refusal()
    #expect(error?.code == .corrupt, comment)
    #expect(error?.message.contains(words) == true && error?.message.contains("marquee restore") == true, comment)
    #expect(try files() == before, comment)
  }

  @Test("A file that is gone or empty is not taken for a new one")
  func emptied() async throws {
    let script = try FaultScript()
    try await write(stepCount: 3, script)
    try Store(directory: directory.path).close()
    try Data().write(to: file)
    try expectRefusal("missing or empty")
    try FileManager.default.removeItem(at: file)
    try expectRefusal("missing or empty")
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test("A process that ends before its first write leaves a directory that the next one can use")
  func unborn() throws {
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    try Data().write(to: file)
    try Data().write(to: URL(filePath: directory.path + "/lock"))
    #expect(refusal() == nil)
  }

  @Test("A file that ends early is refused", arguments: [1, 2_048, 4_096, 40_960])
  func shortened(count: Int) async throws {
    try await write(stepCount: 9, FaultScript())
    try Store(directory: directory.path).close()
    let whole = try Data(contentsOf: file)
    try whole.dropLast(count).write(to: file)
    try expectRefusal("bytes, but")
  }

  @Test("A log that is damaged before something durable is refused; only its last transaction is like one unfinished")
  func log() async throws {
    let script = try FaultScript()
    // Without a deletion, after which the log is empty.
    try await write(stepCount: 3, script)
    let (whole, intact) = (try Data(contentsOf: log), try Data(contentsOf: file))
    let lastCommit = try #require(try commits(whole).dropLast().last)
    var refusedCount = 0
    for offset in stride(from: 32, to: whole.count, by: 331) {
      var bytes = whole
      bytes[offset] ^= 0x10
      try intact.write(to: file)
      try bytes.write(to: log)
      if offset < lastCommit {
        try expectRefusal("the log is damaged", "byte \(offset)")
        refusedCount += 1
      } else {
        let store = try Store(directory: directory.path)
        #expect(try await FaultScript.Contents(of: store) == script.steps[1].outcome, "byte \(offset)")
        try store.close()
      }
    }
    #expect(refusedCount > 20)
    for offset in [0, 9, 17, 22, 25, 31] {
      var bytes = whole
      bytes[offset] ^= 0x40
      try intact.write(to: file)
      try bytes.write(to: log)
      try expectRefusal("the log is damaged", "byte \(offset) of the header")
    }
  }

  @Test("The beginning of a commit's header in front of a transaction that never ended is no damage")
  func torn() async throws {
    let script = try FaultScript()
    try await write(stepCount: 3, script)
    let (whole, intact) = (try Data(contentsOf: log), try Data(contentsOf: file))
    let lastCommit = try #require(try commits(whole).dropLast().last)
    try #require(whole.count - lastCommit >= 3 * Self.frameSize)
    var bytes = whole
    // A page's number, and how many there are after the commit.
    bytes.replaceSubrange(lastCommit..<lastCommit + 8, with: [0, 0, 0, 1, 0, 0, 0, 9])
    try bytes.write(to: log)
    try expectRefusal("the log is damaged", "before a transaction that ended")
    try intact.write(to: file)
    try bytes.dropLast(Self.frameSize).write(to: log)
    let store = try Store(directory: directory.path)
    #expect(try await FaultScript.Contents(of: store) == script.steps[1].outcome)
    try store.close()
  }

  /// Where the frames end that end transactions.
  private func commits(_ log: Data) throws -> [Int] {
    stride(from: 32, to: log.count, by: Self.frameSize).filter { log[$0 + 4..<$0 + 8].contains { $0 != 0 } }
      .map { $0 + Self.frameSize }
  }
}
