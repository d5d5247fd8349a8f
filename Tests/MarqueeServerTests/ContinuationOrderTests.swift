import Logging
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import MarqueeWire
import Testing

@testable import MarqueeRuntime
@testable import MarqueeServer

/// Taps of items that are deleted at the same time (rules S8, D5).
@Suite("Continuation of items that are deleted meanwhile", .timeLimit(.minutes(1)))
struct ContinuationOrderTests {
  /// A runtime whose event loop can be stopped while it writes.
  private struct Bench: Sendable {
    let runtime: Runtime
    let gate: WriteGate

    /// Enqueues `first` and then `second` while the event loop is busy, and returns the outcome of `first`.
    func run<Value: Sendable>(
      _ first: @escaping @Sendable () async throws -> Value, before second: Event
    ) async throws -> Task<Value, any Error> {
      gate.close()
      let busy = enqueue { try await runtime.submit(.developerModeChanged(true), to: Fixture.device) }
      await gate.waitForArrival()
      let task = await enqueued(first)
      let deletion = await enqueued { try await runtime.submit(second, to: Fixture.device) }
      gate.open()
      try await busy.value
      try await deletion.value
      return task
    }

    private func enqueue<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) -> Task<
      Value, any Error
    > { Task { try await work() } }

    /// Starts `work`, and returns once its first request is in the queue.
    private func enqueued<Value: Sendable>(
      _ work: @escaping @Sendable () async throws -> Value
    ) async -> Task<Value, any Error> {
      let count = runtime.queuedCount
      let task = enqueue(work)
      while runtime.queuedCount == count { await Task.yield() }
      return task
    }

    func tap(_ item: TappedItem) async throws -> ContinueInAppResponse {
      let handlers = ProviderQueryHandlers(
        runtime: runtime, hub: ProviderQueryRouter(), displays: DisplayHub(),
        widgetEvents: WidgetEventHub(clock: ManualClock(at: Fixture.start)),
        heartbeats: Heartbeats(clock: ManualClock(at: Fixture.start)) { try await Task.sleep(for: $0) },
        sleep: { try await Task.sleep(for: $0) })
      return try await handlers.continueInApp(ContinueInAppRequest(device: Fixture.device, item: item), nil)
    }
  }

  private struct NoSink: ActionSink {
    func perform(_ actions: [Action], of device: DeviceID, _ state: () -> Device) {}
    func surfacesChanged(on device: DeviceID) {}
  }

  /// Runs a device with a donated activity and a stack, and returns the error of a tap after which `event` is enqueued.
  private func error(
    of item: TappedItem, deletedBy event: Event, _ activity: UserActivity
  ) async throws -> RequestError? {
    let directory = StoreDirectory()
    let gate = WriteGate()
    let journal = GatedJournal(store: try Store(directory: directory.path), gate: gate)
    let runtime = Runtime(
      Runtime.Configuration(shardCount: 1), clock: ManualClock(at: Fixture.start), journal: journal, sink: NoSink(),
      logger: .silent)
    let loop = Task { try await runtime.run() }
    let donation = Donation(id: try .init("1"), date: Fixture.start, activity: .userActivity(activity))
    _ = try await runtime.register(Fixture.device, timeZone: Fixture.berlin)
    for event: Event in [
      .donated(Fixture.weatherApp, [donation]),
      .kindsRegistered(Fixture.weatherApp, Fixture.descriptors(of: [Fixture.forecast])),
      .stackEdited(Fixture.stack, .create(.systemSmall)), .stackEdited(Fixture.stack, .add(Fixture.forecast, at: nil)),
    ] { try await runtime.submit(event, to: Fixture.device) }
    let bench = Bench(runtime: runtime, gate: gate)
    let tap = try await bench.run({ try await bench.tap(item) }, before: event)
    let end = await #expect(throws: RequestError.self) { try await tap.value }
    loop.cancel()
    _ = await loop.result
    return end
  }

  @Test("S8 D5 An activity whose deletion is requested before the tap is recorded does not reach the app")
  func deletion() async throws {
    let activity = try UserActivity(type: .init("com.example.weather.map"), title: "Map")
    let id = SurfaceSuggestion.Subject.action(try #require(activity.action(of: Fixture.weatherApp))).id
    let end = try await error(
      of: .suggestion(id, on: .search), deletedBy: .donationsDeleted(Fixture.weatherApp, .userActivities), activity)
    // Otherwise the app would be queried, which fails with UNAVAILABLE.
    #expect(end?.code == .notFound && end?.field == "suggestion.id")
  }

  @Test("S8 A widget that is removed before the tap is recorded is reported with the request's field")
  func removal() async throws {
    let activity = try UserActivity(type: .init("com.example.weather.map"))
    for (edit, field) in [(StackEdit.remove(Fixture.forecast), "widget.widget"), (.removeStack, "widget.stack")] {
      let end = try await error(
        of: .stackWidget(Fixture.forecast, in: Fixture.stack), deletedBy: .stackEdited(Fixture.stack, edit), activity)
      #expect(end?.code == .notFound && end?.field == field)
    }
  }
}

extension Runtime {
  /// The number of queued requests.
  fileprivate var queuedCount: Int { shards.reduce(0) { $0 + $1.queue.count } }
}

/// A store whose writes wait at a gate.
private struct GatedJournal: DeviceJournal {
  let store: Store
  let gate: WriteGate

  func append(
    created: [Device], events: [JournalEntry], decisions: [RecordedDecision], snapshots: [DeviceSnapshot],
    wakeSchedule: [ScheduledWake]
  ) async throws {
    await gate.pass()
    try await store.append(
      created: created, events: events, decisions: decisions, snapshots: snapshots, wakeSchedule: wakeSchedule)
  }

  func remove(_ id: DeviceID) async throws -> Bool { try await store.remove(id) }

  func load(_ id: DeviceID) async throws -> (device: Device, sequence: UInt64, unrecorded: [Decision])? {
    try await store.load(id)
  }

  func history(of id: DeviceID, at instant: Instant) async throws -> Device? {
    try await store.history(of: id, at: instant)
  }

  func origin(of id: DeviceID) async throws -> (device: Device, eventCount: UInt64, lastEvent: Instant)? {
    try await store.origin(of: id)
  }

  func events(of id: DeviceID, after sequence: UInt64) async throws -> [JournalEntry] {
    try await store.events(of: id, after: sequence)
  }

  func deviceCount(of shards: ShardSet?) async throws -> Int { try await store.deviceCount(of: shards) }

  func devices(after name: DeviceID?, count: Int) async throws -> [DeviceID] {
    try await store.devices(after: name, count: count)
  }

  func wakeSchedule(
    policy: Policy, of shards: ShardSet?, after name: DeviceID?, count: Int
  ) async throws -> [(device: DeviceID, wake: Instant)] {
    try await store.wakeSchedule(policy: policy, of: shards, after: name, count: count).map { ($0.device, $0.wake) }
  }

  func decisions(of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int) async throws -> [Decision] {
    try await store.decisions(of: id, stack: stack, before: number, count: count)
  }
}
