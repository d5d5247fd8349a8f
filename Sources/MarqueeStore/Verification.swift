import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler

/// What a look through a whole store has found.
public struct Verification: Hashable, Sendable {
  /// Something that is not as it was stored.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The device concerned; `nil` when the file is.
    public let device: DeviceID?
    /// What is wrong, with the number of the record.
    public let message: String

    public var description: String { device.map { "\($0): \(message)" } ?? message }
  }

  /// Findings that are listed, at most; the search ends with the last one.
  public static let findingCountMax = 100

  /// Changes of the file's format that it has had, by their names, the latest last.
  public fileprivate(set) var formats: [String] = []
  /// Devices that were replayed.
  public fileprivate(set) var deviceCount = 0
  /// Events whose bytes were read.
  public fileprivate(set) var eventCount = 0
  /// Snapshots whose bytes were read.
  public fileprivate(set) var snapshotCount = 0
  /// Decisions whose bytes were read.
  public fileprivate(set) var decisionCount = 0
  /// What is wrong; empty for an intact store.
  public fileprivate(set) var findings: [Finding] = []

  fileprivate mutating func add(_ life: LifeVerifier) {
    deviceCount += 1
    eventCount += life.eventCount
    snapshotCount += life.snapshotCount
    decisionCount += life.decisionCount
  }

  fileprivate mutating func note(_ message: String, _ device: DeviceID? = nil) {
    guard findings.count < Self.findingCountMax else { return }
    findings.append(Finding(device: device, message: message))
  }
}

extension Store {
  /// Looks through all of a store at `path`, a backup or a data directory, in use or not, and changes nothing.
  ///
  /// SQLite checks its structure; every row's checksum is compared; and each device is lived through again: the events
  /// after a snapshot, or after its creation, must lead to the next snapshot bit for bit, and to the decisions that are
  /// stored. Where donations were deleted in between, what was before is not known any more, and the snapshot of right
  /// after the deletion begins anew; so does one of an earlier form, which knows less.
  ///
  /// `progress` hears of how many devices how many have been lived through, before each and at the end. Throws when it
  /// cannot be read as a store at all: `corrupt`, `schemaTooNew` or `ioFailed`.
  public static func verify(
    _ path: String, progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(StoreError) -> Verification {
    do {
      let file = try self.file(at: path)
      if file != path { try checkLog(of: file, in: path) }
      var configuration = Configuration()
      configuration.readonly = true
      configuration.busyMode = .timeout(1)
      return try DatabaseQueue(path: file, configuration: configuration).read { try verify($0, progress) }
    } catch {
      throw StoreError(error, while: "looking through the store")
    }
  }

  private static func verify(
    _ db: Database, _ progress: (_ done: Int, _ all: Int) -> Void
  ) throws -> Verification {
    var verification = Verification()
    let applied = try Schema.migrator.appliedIdentifiers(db)
    guard !applied.isEmpty else { throw StoreError(.corrupt, "the file is no store") }
    guard try !Schema.migrator.hasBeenSuperseded(db) else {
      throw StoreError(.schemaTooNew, "the store was written by a newer version")
    }
    verification.formats = Schema.migrator.migrations.filter(applied.contains)
    let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(\(Verification.findingCountMax))")
    for problem in problems where problem != "ok" { verification.note("SQLite: \(problem)") }
    if try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") != nil {
      verification.note("a record refers to one that is not there")
    }
    // Where SQLite finds the structure damaged, rows may be read in circles.
    guard verification.findings.isEmpty else { return verification }
    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM device") ?? 0
    let names = try Row.fetchCursor(db, sql: "SELECT name FROM device ORDER BY name")
    var done = 0
    while verification.findings.count < Verification.findingCountMax, let row = try names.next() {
      progress(done, count)
      done += 1
      let name: String = try row.value("name")
      guard let id = try? DeviceID(name) else {  // Only its being refused matters.
        verification.note("a device's name cannot be read")
        continue
      }
      do {
        var life = try LifeVerifier(id, db)
        defer { verification.add(life) }
        try life.run(db)
      } catch let error as StoreError where error.code == .corrupt {
        verification.note(error.message, id)
      }
    }
    progress(done, count)
    return verification
  }

  /// Refuses a log of which SQLite would drop the end. One that is being written to would look like that, too.
  private static func checkLog(of file: String, in directory: String) throws(StoreError) {
    let lock: DirectoryLock
    do {
      lock = try DirectoryLock(directory: directory)
    } catch {
      guard error.code == .directoryLocked else { throw error }
      return
    }
    defer { withExtendedLifetime(lock) {} }
    guard try LogFile(of: file)?.isDamaged != true else {
      throw StoreError(.corrupt, "the log is damaged before transactions that were durable")
    }
  }

  /// The file of a data directory, or the one that is given.
  private static func file(at path: String) throws(StoreError) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(errno, while: "looking for the store") }
    return status.st_mode & S_IFMT == S_IFDIR ? path + "/" + fileName : path
  }
}
