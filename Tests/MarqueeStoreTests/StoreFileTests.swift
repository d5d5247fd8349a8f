import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

/// The permissions and kinds of the store's files.
@Suite(.timeLimit(.minutes(1))) struct StoreFileTests {
  private let directory = StoreDirectory()
  private let other = StoreDirectory()
  private var file: String { directory.path + "/marquee.sqlite" }

  private func make(_ mode: mode_t = 0o700) throws {
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    #expect(chmod(directory.path, mode) == 0)
  }

  private func mode(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o7777
  }

  private func rejection(_ body: () throws -> Void) -> JournalError? {
    do {
      try body()
      return nil
    } catch {
      return error as? JournalError
    }
  }

  private func filledStore() async throws -> Store {
    let store = try Store(directory: directory.path)
    for step in try FaultScript().steps {
      try await store.append(
        created: step.created, events: step.events, decisions: step.decisions, snapshots: step.snapshots)
    }
    return store
  }

  /// Flips a bit of `text` on the root page of an index.
  private func damage(_ text: String, onRootOf index: String) throws {
    let queue = try DatabaseQueue(path: file)
    let root = try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA journal_mode = DELETE")
      return try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [index])
    }
    try queue.close()
    var bytes = try Data(contentsOf: URL(filePath: file))
    let page = try #require(root.map { ($0 - 1) * Store.pageSize..<$0 * Store.pageSize })
    let found = try #require(bytes.range(of: Data(text.utf8), in: page))
    bytes[found.lowerBound] ^= 1
    try bytes.write(to: URL(filePath: file))
  }

  @Test("The files of a store are readable only by their owner, whatever the umask")
  func modes() async {
    // In a process of its own, because concurrent tests create files, too.
    await #expect(processExitsWith: .success) {
      umask(0)
      try await StoreFileTests().checkModes()
    }
  }

  private func checkModes() async throws {
    let store = try await filledStore()
    try await store.backup(to: other.path)
    #expect(try mode(directory.path) == 0o700 && mode(other.path) == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(names.count == 4)
    for name in names { #expect(try mode("\(directory.path)/\(name)") == 0o600, "\(name)") }
    #expect(store.warnings.isEmpty)
  }

  @Test("The files of a store get mode 600, whatever their mode was", arguments: [0o700, 0o4600] as [mode_t])
  func restricted(initial: mode_t) throws {
    try make()
    for name in ["lock", "marquee.sqlite"] {
      #expect(FileManager.default.createFile(atPath: "\(directory.path)/\(name)", contents: Data()))
      #expect(chmod("\(directory.path)/\(name)", initial) == 0)
    }
    let store = try Store(directory: directory.path)
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      #expect(try mode("\(directory.path)/\(name)") == 0o600, "\(name)")
    }
    try store.close()
  }

  @Test("A directory that other users may write is rejected", arguments: [0o777, 0o775, 0o722, 0o1777] as [mode_t])
  func writable(mode: mode_t) throws {
    try make(mode)
    let words = "mode \(String(mode, radix: 8))"
    #expect(rejection { _ = try Store(directory: directory.path) }?.message.contains(words) == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test("The group-writable directory of a Kubernetes volume is restricted with a warning")
  func volume() throws {
    try make(0o2775)
    let store = try Store(directory: directory.path)
    #expect(store.warnings.count == 1 && store.warnings[0].contains("mode 2775"), "\(store.warnings)")
    #expect(try mode(directory.path) & 0o777 == 0o700)
    try store.close()
  }

  @Test(
    "A directory that is owned by another user is rejected",
    .enabled(if: geteuid() == 0, "only root can change the owner of a directory"))
  func owner() throws {
    try make()
    #expect(chown(directory.path, 65_534, 65_534) == 0)
    let error = rejection { _ = try Store(directory: directory.path) }
    #expect(error?.message.contains("owned by another user (uid 65534)") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test("A directory that other users can replace causes a warning", arguments: [0o777, 0o1777] as [mode_t])
  func parent(mode: mode_t) throws {
    try make(mode)
    let store = try Store(directory: directory.path + "/data")
    #expect(store.warnings.map { $0.contains("mode 777") } == (mode == 0o777 ? [true] : []), "\(store.warnings)")
    try store.close()
  }

  @Test("A directory that cannot be created is rejected with the reason")
  func uncreatable() throws {
    try make()
    #expect(FileManager.default.createFile(atPath: directory.path + "/file", contents: Data()))
    let error = rejection { _ = try Store(directory: directory.path + "/file/data") }
    let path = directory.path + "/file/data"
    #expect(error?.message == "creating the data directory \(path) failed: Not a directory (errno 20)")
  }

  @Test("A directory or file that other users may read causes a warning")
  func readable() async throws {
    try await filledStore().close()
    #expect(chmod(directory.path, 0o755) == 0 && chmod(file, 0o644) == 0)
    let store = try Store(directory: directory.path)
    #expect(store.warnings.count == 2 && store.warnings[0].contains("mode 755"), "\(store.warnings)")
    #expect(try mode(file) == 0o600)
  }

  @Test(
    "A named pipe instead of a file is rejected without blocking",
    arguments: ["", "-wal", "-shm", "-journal"].map { "marquee.sqlite\($0)" } + ["lock"])
  func pipes(name: String) throws {
    try make()
    #expect(mkfifo("\(directory.path)/\(name)", 0o600) == 0)
    let error = rejection { _ = try Store(directory: directory.path) }
    #expect(error?.message.contains("named pipe") == true && error?.message.contains(name) == true)
    #expect(rejection { _ = try Store.verify("\(directory.path)/\(name)") }?.message.contains("named pipe") == true)
    #expect(rejection { try Store.restore("\(directory.path)/\(name)", to: other.path) } != nil)
  }

  @Test(
    "A symbolic link instead of a file is rejected, and its target is not modified",
    arguments: ["", "-wal", "-shm", "-journal"].map { "marquee.sqlite\($0)" } + ["lock"])
  func links(name: String) throws {
    try make()
    #expect(FileManager.default.createFile(atPath: other.path, contents: Data([1])))
    #expect(chmod(other.path, 0o644) == 0 && symlink(other.path, "\(directory.path)/\(name)") == 0)
    let error = rejection { _ = try Store(directory: directory.path) }
    #expect(error?.message.contains("symbolic link") == true && error?.message.contains(name) == true)
    #expect(try mode(other.path) == 0o644 && FileManager.default.contents(atPath: other.path) == Data([1]))
  }

  @Test("A directory, the file of a store in use, and a file with a WAL or without its WAL are rejected as backups")
  func otherFiles() async throws {
    let store = try await filledStore()
    func message(_ path: String) -> String {
      rejection { try Store.restore(path, to: other.path) }?.message ?? "restored"
    }
    #expect(message(directory.path).contains("a directory"))
    #expect(message(file).contains("in use"))
    let copy = StoreDirectory()
    try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: file + suffix, toPath: copy.path + "/marquee.sqlite" + suffix)
    }
    #expect(message(copy.path + "/marquee.sqlite").contains("-wal"))
    // Without its WAL, the file lacks transactions, whether or not the lock file was copied too.
    try FileManager.default.removeItem(atPath: copy.path + "/marquee.sqlite-wal")
    #expect(message(copy.path + "/marquee.sqlite").contains("WAL mode"))
    try FileManager.default.copyItem(atPath: directory.path + "/lock", toPath: copy.path + "/lock")
    #expect(message(copy.path + "/marquee.sqlite").contains("WAL mode"))
    #expect(!FileManager.default.fileExists(atPath: other.path + "/marquee.sqlite"))
    try store.close()
    let before = try Store.restore(file, to: other.path)
    let after = try Store.verify(other.path)
    #expect(after == before && after.deviceCount == 2)
  }

  @Test("A corrupt index of the devices is found, and rebuilt at the next start", arguments: [true, false])
  func indexes(isName: Bool) async throws {
    let store = try await filledStore()
    let devices = try await store.devices(after: nil, count: 9)
    try store.close()
    try damage(devices[0].text, onRootOf: isName ? "device_name" : "device_comparison")
    #expect(try !Store.verify(directory.path).findings.isEmpty)
    let again = try Store(directory: directory.path)
    #expect(again.warnings.count == 1 && again.warnings[0].contains("rebuilt"))
    #expect(try await again.load(devices[0]) != nil)
    #expect(try await again.wakeSchedule(policy: .default, after: nil, count: 9).map(\.device) == devices)
    try again.close()
    #expect(try Store.verify(directory.path).findings.isEmpty)
  }

  @Test(
    "An altered wake is found, and its device is due at once",
    arguments: ["NULL", "wake + 1", "253402300799999"])
  func wakes(wake: String) async throws {
    let store = try Store(directory: directory.path)
    var recorder = Recorder(try SampleDevice("phone").created())
    try await store.create(recorder.device)
    for event in try SampleDevice("phone").setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    try await store.write(&recorder)
    let scheduled = ScheduledWake(recorder.device)
    try await store.append(created: [], events: [], decisions: [], snapshots: [], wakeSchedule: [scheduled])
    let policy = recorder.device.configuredPolicy
    let stored = try await store.wakeSchedule(policy: policy, after: nil, count: 9)
    #expect(scheduled.wake != nil && stored.map(\.wake) == [scheduled.wake])
    #expect(try Store.verify(directory.path).findings.isEmpty)
    try await store.pool.write { try $0.execute(sql: "UPDATE wake_schedule SET wake = \(wake)") }
    #expect(try await store.wakeSchedule(policy: policy, after: nil, count: 9).map(\.wake) == [.min])
    #expect(
      try Store.verify(directory.path).findings.map(\.message)
        == ["the device's next wake does not match its checksum"])
    // A wake with a valid checksum that contradicts the events.
    try await store.append(
      created: [], events: [], decisions: [], snapshots: [],
      wakeSchedule: [ScheduledWake(recorder.device.id, wake: nil, policy: policy)])
    #expect(try Store.verify(directory.path).findings.map(\.message) == ["the device's next wake is too late"])
  }
}
