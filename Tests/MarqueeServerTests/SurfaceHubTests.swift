import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import NIOPosix
import Testing

@testable import MarqueeServer

@Suite("Surface hub", .timeLimit(.minutes(1)))
struct SurfaceHubTests {
  /// A manual clock that records the instants until which tasks sleep.
  private final class RecordingClock: WallClock {
    let clock = ManualClock(at: Fixture.start)
    let sleeps = EventRecorder<Instant>()

    var now: Instant { clock.now }

    func sleep(until instant: Instant) async throws {
      sleeps.record(instant)
      try await clock.sleep(until: instant)
    }
  }

  private static let devices = valid { try ["phone", "tablet", "watch"].map { try DeviceID($0) } }
  /// A reservation two hours after the start, to which the user travels for half an hour.
  private static let table = valid {
    try Reservation(
      item: DisplayIdentity(identifier: "table", display: "A table"), start: Fixture.after(.hours(2)),
      travelTime: .minutes(30))
  }

  private let directory = StoreDirectory()
  private let clock = ManualClock(at: Fixture.start)
  private let runtime: Runtime

  init() throws {
    var settings = Runtime.Configuration(shardCount: 1)
    settings.queuedEventCountMax = 4
    runtime = Runtime(
      settings, clock: clock, journal: try Store(directory: directory.path), sink: Sink(), logger: .silent)
  }

  private struct Sink: ActionSink {
    func perform(_ actions: [Action], of device: DeviceID, _ state: () -> Device) {}
    func surfacesChanged(on device: DeviceID) {}
  }

  /// Runs a service while `body` runs.
  private static func running(
    _ service: @escaping @Sendable () async throws -> Void, _ body: () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask(operation: service)
      try await body()
      group.cancelAll()
      // A cancelled runtime ends with an error.
      _ = await group.nextResult()
    }
  }

  /// Runs the runtime and a hub while `body` runs.
  private func run(_ hub: SurfaceHub, _ body: () async throws -> Void) async throws {
    try await Self.running({ [runtime] in try await runtime.run() }) {
      try await Self.running({ [runtime] in await hub.run(runtime) }, body)
    }
  }

  private func next(_ watcher: SurfaceWatcher) async throws -> SurfaceList? {
    var lists = watcher.lists.makeAsyncIterator()
    return try await lists.next()
  }

  private func reserve() async throws {
    let activity = Donation.Activity.reservations(try Intent(type: .reservationDetails), [Self.table])
    let donation = Donation(id: try Donation.ID("1"), group: nil, date: Fixture.start, activity: activity)
    for device in Self.devices {
      _ = try await runtime.register(device, timeZone: Fixture.berlin)
      try await runtime.submit(.donated(try AppID("com.example.soup"), [donation]), to: device)
    }
  }

  private func isDue(_ list: SurfaceList?) -> Bool {
    list.map { String(decoding: $0.encoded, as: UTF8.self).contains("A table") } ?? false
  }

  @Test("S9 A list is computed outside the event loop of the connection whose call watches it")
  func executor() async throws {
    let isElsewhere = EventRecorder<Bool>()
    let hub = SurfaceHub(clock: clock) { _ in
      isElsewhere.record(Task.executorPreference == nil && MultiThreadedEventLoopGroup.currentEventLoop == nil)
    }
    try await run(hub) {
      try await reserve()
      let watcher = SurfaceWatcher(count: 10)
      // A call's handler prefers the event loop of its connection.
      let loop = LoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
      let adding = Task(executorPreference: loop) { hub.add(watcher, of: .notifications, on: Self.devices[0]) }
      #expect(await isElsewhere.next() == true)
      hub.remove([watcher], from: await adding.value)
    }
  }

  @Test("S9 One timer wakes all surfaces that can change next at the same instant")
  func timer() async throws {
    let time = RecordingClock()
    let hub = SurfaceHub(clock: time) { _ in }
    try await run(hub) {
      try await reserve()
      let watchers = Self.devices.map { _ in SurfaceWatcher(count: 10) }
      for (device, watcher) in zip(Self.devices, watchers) { _ = hub.add(watcher, of: .notifications, on: device) }
      for watcher in watchers {
        let list = try await next(watcher)
        #expect(!isDue(list))
      }
      for instant in [Fixture.after(.minutes(90)), Self.table.start] {
        let sleep = await time.sleeps.next()
        #expect(sleep == instant)
        clock.advance(to: instant)
        time.clock.advance(to: instant)
        for watcher in watchers {
          let list = try await next(watcher)
          #expect(isDue(list) == (instant < Self.table.start))
        }
      }
    }
  }

  @Test("S9 A list is encoded once for all watchers with the same number of suggestions")
  func encoding() async throws {
    let hub = SurfaceHub(clock: clock) { _ in }
    let watchers = [10, 10, 1].map(SurfaceWatcher.init)
    for watcher in watchers { _ = hub.add(watcher, of: .notifications, on: Self.devices[0]) }
    try await Self.running({ [runtime] in try await runtime.run() }) {
      try await reserve()
      clock.advance(to: Fixture.after(.minutes(100)))
      try await Self.running({ [runtime] in await hub.run(runtime) }) {
        var lists: [SurfaceList] = []
        for watcher in watchers { lists.append(try #require(try await next(watcher))) }
        let storages = lists.map { list in list.encoded.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        #expect(storages[0] == storages[1] && storages[0] != storages[2])
        #expect(lists.allSatisfy(isDue))
      }
    }
  }

  @Test("S9 While its shard is too busy, a surface is read again after longer and longer pauses")
  func busy() async throws {
    let (start, pauses, resumption) = (EventRecorder<Void>(), EventRecorder<Duration>(), EventRecorder<Void>())
    let hub = SurfaceHub(clock: clock) { pause in
      pauses.record(pause)
      await resumption.wait()
    }
    // They fill the queue until the runtime starts.
    let requests = (Self.devices + [Self.devices[0]]).map { device in
      Task.immediate { [runtime] in try await runtime.register(device, timeZone: Fixture.berlin) }
    }
    let watcher = SurfaceWatcher(count: 10)
    _ = hub.add(watcher, of: .search, on: Self.devices[0])
    let service = { @Sendable [runtime] in
      await start.wait()
      try await runtime.run()
    }
    try await Self.running(service) {
      try await Self.running({ [runtime] in await hub.run(runtime) }) {
        for pause in [100, 200] {
          #expect(await pauses.next() == .milliseconds(pause))
          resumption.record()
        }
        #expect(await pauses.next() == .milliseconds(400))
        start.record()
        for request in requests { _ = try await request.value }
        resumption.record()
        #expect(try await next(watcher) != nil)
        #expect(await pauses.next() == SurfaceHub.pause)
      }
    }
  }

  @Test("S9 The watchers of a device that does not exist end with an error, and later ones of a new device do not")
  func unknownDevice() async throws {
    let hub = SurfaceHub(clock: clock) { _ in }
    try await run(hub) {
      let unknown = SurfaceWatcher(count: 10)
      _ = hub.add(unknown, of: .search, on: Self.devices[0])
      let error = await #expect(throws: RequestError.self) { try await next(unknown) }
      #expect(error?.code == .notFound)
      try await reserve()
      let watcher = SurfaceWatcher(count: 10)
      _ = hub.add(watcher, of: .search, on: Self.devices[0])
      #expect(try await next(watcher) != nil)
    }
  }
}
