import MarqueeModel
import MarqueeSamples
import MarqueeScheduler
import MarqueeStore
import Synchronization
import Testing

@testable import MarqueeRuntime

/// What happens within one turn: requests are filed before the loop starts.
@Suite(.timeLimit(.minutes(1))) struct ShardTests {
  private let directory = StoreDirectory()

  /// What callers were told, in order, with the number of actions performed until then.
  private final class Log: Sendable {
    let lines = Mutex<[String]>([])
    let sink = RecordingSink()

    func note<Value>(_ name: String) -> @Sendable (Result<Value, any Error>) -> Void {
      { outcome in
        let word = if case .failure = outcome { "failed" } else { "done" }
        self.lines.withLock { $0.append("\(name) \(word), \(self.sink.all.count) performed") }
      }
    }

    func front(_ name: String, _ home: Home) -> Request.Reply<Device> {
      { outcome in
        var count = "no"
        if case .success(let device) = outcome, let members = device.stack(home.stack)?.members {
          count = "\(members.count)"
        }
        self.lines.withLock { $0.append("\(name) sees \(count) members, \(self.sink.all.count) performed") }
      }
    }
  }

  private func file(_ home: Home, _ log: Log, in shard: Shard) throws {
    let events = try home.setUp()
    try shard.inbox.add(.register(home.id, TimeZoneID("UTC"), log.note("register")))
    for event in events[..<2] { try shard.inbox.add(.submit(home.id, event, log.note("submit"))) }
    try shard.inbox.add(.submit(home.id, events[2], log.note("add")))
    try shard.inbox.add(.read(home.id, log.front("read", home)))
    try shard.inbox.add(.submit(home.id, events[3], log.note("add")))
    try shard.inbox.add(.submit(home.id, events[3], log.note("add again")))
    try shard.inbox.add(.read(home.id, log.front("read", home)))
  }

  @Test("A turn writes once, then performs and answers in the order of the requests; a closed inbox is emptied first")
  func order() async throws {
    let (store, home, log) = (try Store(directory: directory.path), try Home(), Log())
    let shard = Harness(store).shard(log.sink)
    try file(home, log, in: shard)
    shard.inbox.close()
    try await shard.run()
    #expect(
      log.lines.withLock(\.self) == [
        "register done, 0 performed", "submit done, 0 performed", "submit done, 1 performed",
        "add done, 2 performed", "read sees 1 members, 2 performed", "add done, 3 performed",
        "add again failed, 3 performed", "read sees 2 members, 3 performed",
      ])
    #expect(try await store.load(home.id)?.sequence == 4)
  }

  @Test("When the write of a turn fails, reads in it see what was before")
  func failedTurn() async throws {
    let (store, home, log) = (try Store(directory: directory.path), try Home(), Log())
    try await Harness(store).run { (runtime, _) async throws in
      _ = try await runtime.register(home.id, timeZone: TimeZoneID("UTC"))
    }
    let journal = FlakyJournal(store)
    journal.fail(.transient)
    let shard = Harness(journal).shard(log.sink)
    try file(home, log, in: shard)
    shard.inbox.close()
    try await shard.run()
    #expect(
      log.lines.withLock(\.self) == [
        "register done, 0 performed", "submit failed, 0 performed", "submit failed, 0 performed",
        "add failed, 0 performed", "read sees no members, 0 performed", "add failed, 0 performed",
        "add again failed, 0 performed", "read sees no members, 0 performed",
      ])
    #expect(try await store.load(home.id)?.sequence == 0)
  }

  @Test("The queue is bounded in requests and in bytes, and refuses naming the limit")
  func inbox() async throws {
    let (home, log) = (try Home(), Log())
    let inbox = Inbox(countMax: 3, sizeMax: 10)
    func publish(_ size: Int) throws -> Request {
      let content = try EntryContent(mediaType: "", bytes: Array(repeating: 0, count: size))
      let timeline = Timeline(submitted: [TimelineEntry(date: Home.time(1), content: content)], policy: .never)
      return .submit(home.id, .timelinePublished(home.widgets[0], timeline), log.note("publish"))
    }
    try inbox.add(publish(6))
    let large = #expect(throws: Refusal.self) { try inbox.add(publish(5)) }
    #expect(large?.code == .resourceExhausted && large?.reason.contains("queued-content-size-max") == true)
    let shortcuts = [try RelevantShortcut(kind: home.widgets[0].kind.name)]
    let set = Request.submit(home.id, .relevantShortcutsSet(home.app, shortcuts), log.note("set"))
    #expect(throws: Refusal.self) { try inbox.add(set) }
    try inbox.add(publish(4))
    try inbox.add(publish(0))
    let many = #expect(throws: Refusal.self) { try inbox.add(publish(0)) }
    #expect(many?.code == .resourceExhausted && many?.reason.contains("queued-event-count-max") == true)
    #expect(inbox.take(atMost: 2).requests.count == 2)
    try inbox.add(publish(10))
    inbox.close()
    #expect(throws: RuntimeError.self) { try inbox.add(publish(0)) }
    #expect(inbox.take(atMost: 9).requests.count == 2)
    await inbox.arrival()
  }

  @Test("Every device belongs to one shard, always the same")
  func shards() throws {
    #expect(Shard.index(of: try DeviceID("phone"), count: 1) == 0)
    let found = try (0..<1_000).map { Shard.index(of: try DeviceID("device \($0)"), count: 4) }
    #expect((0..<4).allSatisfy { shard in found.count { $0 == shard } > 200 })
    let phone = try DeviceID("phone")
    #expect(Shard.index(of: phone, count: 1_000_003) == 385_540)
  }
}
