import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Synchronization
import Testing

@testable import MarqueeRuntime

/// The order of effects within one batch: the requests are enqueued before the loop starts.
@Suite(.timeLimit(.minutes(1))) struct ShardTests {
  private let directory = StoreDirectory()

  /// The completions of requests, in order, with the number of actions performed before.
  private final class CompletionLog: Sendable {
    let lines = Mutex<[String]>([])
    let sink = RecordingSink()

    func completion<Value>(_ name: String) -> @Sendable (Result<Value, any Error>) -> Void {
      { outcome in
        let word = if case .failure = outcome { "failed" } else { "done" }
        self.lines.withLock { $0.append("\(name) \(word), \(self.sink.all.count) performed") }
      }
    }

    func front(_ name: String, _ sample: SampleDevice) -> Request.Reply<Device> {
      { outcome in
        var count = "no"
        if case .success(let device) = outcome, let members = device.stack(sample.stack)?.members {
          count = "\(members.count)"
        }
        self.lines.withLock { $0.append("\(name) sees \(count) members, \(self.sink.all.count) performed") }
      }
    }
  }

  private func enqueue(_ sample: SampleDevice, _ log: CompletionLog, in shard: Shard) throws {
    let events = try sample.setUp()
    try shard.queue.add(.register(sample.id, TimeZoneID("UTC"), log.completion("register")))
    for event in events[..<2] { try shard.queue.add(.submit(sample.id, event, log.completion("submit"))) }
    try shard.queue.add(.submit(sample.id, events[2], log.completion("add")))
    try shard.queue.add(.read(sample.id, log.front("read", sample)))
    try shard.queue.add(.submit(sample.id, events[3], log.completion("add")))
    try shard.queue.add(.submit(sample.id, events[3], log.completion("add again")))
    try shard.queue.add(.read(sample.id, log.front("read", sample)))
  }

  @Test("A batch is written once, then actions and completions follow in order; a closed queue is drained")
  func order() async throws {
    let (store, sample, log) = (try Store(directory: directory.path), try SampleDevice(), CompletionLog())
    let shard = Harness(store).shard(log.sink)
    try enqueue(sample, log, in: shard)
    shard.queue.close()
    try await shard.run()
    #expect(
      log.lines.withLock(\.self) == [
        "register done, 0 performed", "submit done, 0 performed", "submit done, 1 performed",
        "add done, 3 performed", "read sees 1 members, 3 performed", "add done, 5 performed",
        "add again failed, 5 performed", "read sees 2 members, 5 performed",
      ])
    #expect(try await store.load(sample.id)?.sequence == 4)
  }

  @Test("When the write of a batch fails, its reads see the state before")
  func failedBatch() async throws {
    let (store, sample, log) = (try Store(directory: directory.path), try SampleDevice(), CompletionLog())
    try await Harness(store).run { (runtime, _) async throws in
      _ = try await runtime.register(sample.id, timeZone: TimeZoneID("UTC"))
    }
    let journal = FlakyJournal(store)
    journal.fail(.transient)
    let shard = Harness(journal).shard(log.sink)
    try enqueue(sample, log, in: shard)
    shard.queue.close()
    try await shard.run()
    #expect(
      log.lines.withLock(\.self) == [
        "register done, 0 performed", "submit failed, 0 performed", "submit failed, 0 performed",
        "add failed, 0 performed", "read sees no members, 0 performed", "add failed, 0 performed",
        "add again failed, 0 performed", "read sees no members, 0 performed",
      ])
    #expect(try await store.load(sample.id)?.sequence == 0)
  }

  @Test("The queue is bounded in requests and in bytes, and names the limit in its errors")
  func queue() async throws {
    let (sample, log) = (try SampleDevice(), CompletionLog())
    func content(_ size: Int) throws -> EntryContent {
      try EntryContent(mediaType: "", bytes: Array(repeating: 0, count: size))
    }
    func publish(_ entry: TimelineEntry, fallback: EntryContent? = nil) -> Request {
      let timeline = Timeline(submitted: [entry], policy: .never, fallback: fallback)
      return .submit(sample.id, .timelinePublished(sample.widgets[0], timeline), log.completion("publish"))
    }
    func publish(_ size: Int) throws -> Request {
      publish(TimelineEntry(date: SampleDevice.time(1), content: try content(size)))
    }
    let unit = try publish(0).size
    let sizeMax = 2 * unit + 1_000
    let queue = RequestQueue(countMax: 2, sizeMax: sizeMax)
    try queue.add(publish(600))
    let large = #expect(throws: RuntimeError.self) { try queue.add(publish(401)) }
    #expect(large?.code == .overloaded && large?.message.contains("queued-content-size-max") == true)
    let huge = #expect(throws: RequestError.self) { try queue.add(publish(unit + 1_001)) }
    #expect(huge?.code == .resourceExhausted)
    #expect(huge?.reason == "\(sizeMax + 1) exceeds queued-content-size-max (\(sizeMax))")
    let shortcuts = Array(repeating: try RelevantShortcut(kind: sample.widgets[0].kind.name), count: 1_000)
    let set = Request.submit(sample.id, .relevantShortcutsSet(sample.app, shortcuts), log.completion("set"))
    #expect(throws: (any Error).self) { try queue.add(set) }
    // The other contents of a timeline count, too.
    let secret = EntryDetails(sensitivity: .isPrivate(try content(401)))
    let entry = try TimelineEntry(date: SampleDevice.time(1), details: secret)
    #expect(throws: RuntimeError.self) { try queue.add(publish(entry)) }
    let fallback = try content(401)
    #expect(throws: RuntimeError.self) {
      try queue.add(publish(TimelineEntry(date: SampleDevice.time(1)), fallback: fallback))
    }
    try queue.add(publish(400))
    let many = #expect(throws: RuntimeError.self) { try queue.add(publish(0)) }
    #expect(many?.code == .overloaded && many?.message.contains("queued-event-count-max") == true)
    #expect(queue.dequeue(atMost: 1).requests.count == 1)
    try queue.add(publish(600))
    queue.close()
    #expect(throws: RuntimeError.self) { try queue.add(publish(0)) }
    #expect(queue.dequeue(atMost: 9).requests.count == 2)
    await queue.waitForWork()
  }

  @Test("The event loop of a device is stable, and serves whole shards")
  func shards() throws {
    #expect(Shard.index(of: try DeviceID("phone"), count: 1) == 0)
    let found = try (0..<1_000).map { Shard.index(of: try DeviceID("device \($0)"), count: 4) }
    #expect((0..<4).allSatisfy { shard in found.count { $0 == shard } > 200 })
    let phone = try DeviceID("phone")
    #expect(Shard.index(of: phone, count: 2_000) == 367)
    #expect(Shard.index(of: phone, count: 7) == 367 % 7)
  }
}
