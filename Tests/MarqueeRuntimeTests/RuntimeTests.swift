import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import MetricsTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RuntimeTests {
  private let directory = StoreDirectory()

  @Test("R2 A stack rotates at the instant of the alarm, and the decision is recorded")
  func rotation() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let harness = Harness(store)
    try await harness.run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      try await harness.clock.sleeper(until: SampleDevice.time(1))
      #expect(sink.decisions(of: sample.id).isEmpty)
      harness.clock.advance(to: SampleDevice.time(1))
      let front = try await runtime.read(sample.id) { $0.stack(sample.stack)?.frontWidget }
      #expect(front == sample.widgets[1])
      #expect(sink.decisions(of: sample.id).map(\.at) == [SampleDevice.time(1)])
      let recorded = try await runtime.decisions(of: sample.id, count: 10)
      #expect(recorded == sink.decisions(of: sample.id))
    }
  }

  @Test("When submit returns, the event is durable and its actions have been performed")
  func submit() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    try await Harness(store).run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      #expect(try await store.load(sample.id)?.sequence == 6)
      let before = sink.all.count
      try await runtime.submit(.stackEdited(sample.stack, .remove(sample.widgets[0])), to: sample.id)
      #expect(sink.all.count == before + 1)
      let shown = try await runtime.read(sample.id) { $0 }
      #expect(try await store.load(sample.id)?.device == shown)
    }
  }

  @Test("A read that is submitted with an event sees the device just before it, after all due work")
  func inspection() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let harness = Harness(store)
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      harness.clock.advance(to: SampleDevice.time(1))
      let removal = Event.stackEdited(sample.stack, .remove(sample.widgets[0]))
      let seen = try await runtime.submit(removal, to: sample.id) { $0 }
      #expect(seen.now == SampleDevice.time(1))
      #expect(seen.stack(sample.stack)?.members == sample.widgets)
      #expect(seen.stack(sample.stack)?.frontWidget == sample.widgets[1])
      #expect(try await runtime.read(sample.id) { $0.stack(sample.stack)?.members } == [sample.widgets[1]])
      await #expect(throws: RequestError.self) {
        try await runtime.submit(removal, to: sample.id) { _ in Issue.record("a read without an event") }
      }
    }
  }

  @Test("Concurrent events of many callers are all applied")
  func concurrentCallers() async throws {
    let store = try Store(directory: directory.path)
    let samples = try (0..<8).map { try SampleDevice("phone \($0)") }
    try await Harness(store).run { (runtime, _) async throws in
      for sample in samples { try await sample.settle(in: runtime) }
      try await withThrowingTaskGroup { group in
        for number in 0..<200 {
          let event = Event.developerModeChanged(number % 2 == 0)
          group.addTask { try await runtime.submit(event, to: samples[number % 8].id) }
        }
        try await group.waitForAll()
      }
      for sample in samples {
        let device = try await runtime.read(sample.id) { $0 }
        let stored = try #require(try await store.load(sample.id))
        #expect(stored.device == device)
        #expect(stored.sequence == 31)
      }
    }
  }

  @Test("S9 Every durable event that affects surfaces, and no other, is reported to the sink before the caller")
  func surfaces() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let journal = FlakyJournal(store)
    let harness = Harness(journal)
    try await harness.run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      let count = sink.surfaceChanges.count
      try await runtime.submit(.reloadRequested(Fixture.weatherApp, kind: nil), to: sample.id)
      #expect(sink.surfaceChanges.count == count)
      try await runtime.submit(.developerModeChanged(true), to: sample.id)
      #expect(sink.surfaceChanges.count == count + 1)
      let focus = Event.reported(.contextChanged(.focus(try FocusID("work"))))
      try await runtime.submit(focus, to: sample.id)
      #expect(sink.surfaceChanges.count == count + 2 && sink.surfaceChanges.last == sample.id)
      journal.fail(.transient)
      await expectFailure(.transient) { try await runtime.submit(focus, to: sample.id) }
      #expect(sink.surfaceChanges.count == count + 2)
      journal.fail(nil)
      harness.clock.advance(to: SampleDevice.time(3))
      try await runtime.read(sample.id) { _ in }
      harness.clock.setBack(to: SampleDevice.time(1))
      _ = try await runtime.resetClock(of: sample.id)
      #expect(sink.surfaceChanges.count == count + 3)
    }
  }

  @Test("Registering a device twice creates it once")
  func register() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let zone = try TimeZoneID("Asia/Tokyo")
    try await Harness(store).run { (runtime, _) async throws in
      #expect(try await runtime.register(sample.id, timeZone: zone))
      #expect(try await !runtime.register(sample.id, timeZone: TimeZoneID("UTC")))
      #expect(try await runtime.read(sample.id) { $0.timeZone } == zone)
      #expect(try await runtime.devices(after: nil, count: 10) == [sample.id])
    }
  }

  @Test("Invalid events are rejected, and nothing is written")
  func rejections() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    try await Harness(store).run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      let unknownDevice = try DeviceID("unknown")
      let event = Event.developerModeChanged(true)
      let unknown = await #expect(throws: RequestError.self) { try await runtime.submit(event, to: unknownDevice) }
      #expect(unknown?.code == .notFound && unknown?.field == "device")
      await #expect(throws: RequestError.self) { try await runtime.read(unknownDevice) { $0.now } }
      let twice = await #expect(throws: RequestError.self) {
        try await runtime.submit(.stackEdited(sample.stack, .create(.systemSmall)), to: sample.id)
      }
      #expect(twice?.code == .alreadyExists)
      #expect(try await store.load(sample.id)?.sequence == 6)
    }
  }

  @Test("R9 A late wake leads to the same decisions as a punctual one")
  func lateClock() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let harness = Harness(store)
    try await harness.run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      harness.clock.advance(to: SampleDevice.time(5, 30))
      try await runtime.read(sample.id) { _ in }
      #expect(sink.decisions(of: sample.id).map(\.at) == (1...5).map { SampleDevice.time($0) })
    }
  }

  @Test("After the clock is set back, the device's time does not change until the clock has caught up")
  func backwardClock() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let harness = Harness(store)
    try await harness.run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      harness.clock.advance(to: SampleDevice.time(3))
      try await runtime.read(sample.id) { _ in }
      harness.clock.setBack(to: SampleDevice.time(1))
      try await runtime.submit(.developerModeChanged(true), to: sample.id)
      #expect(try await runtime.read(sample.id) { $0.now } == SampleDevice.time(3))
      #expect(try await store.load(sample.id)?.device.now == SampleDevice.time(3))
      harness.clock.advance(to: SampleDevice.time(4))
      try await runtime.read(sample.id) { _ in }
      #expect(sink.decisions(of: sample.id).map(\.at) == (1...4).map { SampleDevice.time($0) })
    }
    harness.clock.setBack(to: SampleDevice.time(2))
    try await harness.run { (runtime, sink) async throws in
      #expect(try await runtime.read(sample.id) { $0.now } == SampleDevice.time(4))
      #expect(sink.all.isEmpty)
    }
  }

  @Test(
    "Work that became due between runs is done at the start, at its own instants",
    arguments: [Harness.End.kill, .shutdown])
  func dueWhileDown(end: Harness.End) async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let harness = Harness(store)
    try await harness.run(end: end) { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      harness.clock.advance(to: SampleDevice.time(2))
      try await runtime.read(sample.id) { _ in }
    }
    harness.clock.advance(to: SampleDevice.time(4, 30))
    try await harness.run { (runtime, sink) async throws in
      try await runtime.read(sample.id) { _ in }
      #expect(sink.decisions(of: sample.id).map(\.at) == [SampleDevice.time(3), SampleDevice.time(4)])
      #expect(try await runtime.decisions(of: sample.id, count: 9).map(\.number) == [4, 3, 2, 1])
    }
  }

  @Test("Devices adopt the configured policy at the start, once")
  func policy() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    var harness = Harness(store)
    try await harness.run { (runtime, _) async throws in try await sample.settle(in: runtime) }
    harness.configuration.policy.dwell = .minutes(7)
    for _ in 0..<2 {
      try await harness.run { (runtime, _) async throws in
        for _ in 0..<2 { #expect(try await runtime.read(sample.id) { $0.policy.dwell } == .minutes(7)) }
      }
      #expect(try await store.load(sample.id)?.sequence == 7)
    }
  }

  @Test("A device keeps its overrides when another policy is configured, and adopts the other fields")
  func overrides() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    var harness = Harness(store)
    let dwell = try #require(PolicyField("dwell"))
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      try await runtime.submit(.policyOverridden(PolicyChange(set: [dwell: 60])), to: sample.id)
    }
    harness.configuration.policy.dwell = .minutes(7)
    harness.configuration.policy.hold = .minutes(8)
    for _ in 0..<2 {
      try await harness.run { (runtime, _) async throws in
        let device = try await runtime.read(sample.id) { $0 }
        #expect(device.policy.dwell == .minutes(1) && device.policy.hold == .minutes(8))
        #expect(device.configuredPolicy.dwell == .minutes(7))
      }
      #expect(try await store.load(sample.id)?.sequence == 8)
    }
  }

  @Test("A device whose overrides are incompatible with another policy keeps the old one, and stays usable")
  func incompatiblePolicy() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    var harness = Harness(store)
    let least = try #require(PolicyField("reload_count_min"))
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      try await runtime.submit(.policyOverridden(PolicyChange(set: [least: 9])), to: sample.id)
    }
    harness.configuration.policy.reloadCountMin = 2
    harness.configuration.policy.reloadCountMax = 5
    try await harness.run { (runtime, _) async throws in
      let device = try await runtime.read(sample.id) { $0 }
      #expect(device.policy.reloadCountMin == 9 && device.policy.reloadCountMax == 70)
      try await runtime.submit(.policyOverridden(PolicyChange(reset: [least])), to: sample.id)
    }
    try await harness.run { (runtime, _) async throws in
      #expect(try await runtime.read(sample.id) { $0.policy } == harness.configuration.policy)
    }
  }

  @Test("The creation and all events of a device are returned, page by page")
  func record() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let harness = Harness(store)
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      harness.clock.advance(to: SampleDevice.time(2, 30))
      let device = try await runtime.read(sample.id) { $0 }
      let (origin, count, until) = try await runtime.origin(of: sample.id)
      #expect(count == 6 && until == SampleDevice.time(2, 30))
      var replayed = origin
      for (index, event) in try await runtime.events(of: sample.id, after: 0).enumerated() {
        #expect(event.sequence == UInt64(index) + 1)
        _ = replayed.handle(event.event, at: event.at)
      }
      _ = replayed.advance(to: until)
      #expect(replayed == device)
      #expect(try await runtime.events(of: sample.id, after: 4).map(\.sequence) == [5, 6])
      #expect(try await runtime.events(of: sample.id, after: 6).isEmpty)
      let nobody = try DeviceID("nobody")
      let rejection = await #expect(throws: RequestError.self) { try await runtime.origin(of: nobody) }
      #expect(rejection?.code == .notFound && rejection?.field == "device")
    }
  }

  @Test("A registration that changes nothing is answered, and not stored")
  func repeatedRegistration() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    try await Harness(store).run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      let app = sample.widgets[0].kind.app
      let kinds = try await runtime.read(sample.id) { $0.registeredKinds.filter { $0.kind.app == app } }
      let type = try IntentTypeDescriptor(app: app, type: IntentType("Tea"), parameters: [], combinations: [])
      try await runtime.submit(.intentTypesRegistered(app, [type]), to: sample.id)
      let before = try await runtime.origin(of: sample.id).eventCount
      for _ in 0..<3 {
        try await runtime.submit(.kindsRegistered(app, kinds), to: sample.id)
        try await runtime.submit(.intentTypesRegistered(app, [type]), to: sample.id)
      }
      #expect(try await runtime.origin(of: sample.id).eventCount == before)
      let titled = try IntentTypeDescriptor(
        app: app, type: IntentType("Tea"), parameters: [], combinations: [], title: "Tea")
      try await runtime.submit(.intentTypesRegistered(app, [titled]), to: sample.id)
      #expect(try await runtime.origin(of: sample.id).eventCount == before + 1)
    }
  }

  @Test("The state at a past instant is exact, and the future is rejected")
  func past() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let harness = Harness(store)
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      harness.clock.advance(to: SampleDevice.time(1, 30))
      let then = try await runtime.read(sample.id) { $0 }
      harness.clock.advance(to: SampleDevice.time(2, 30))
      try await runtime.submit(.reported(.tapped(sample.stack, sample.widgets[0])), to: sample.id)
      #expect(try await runtime.past(sample.id, at: SampleDevice.time(1, 30)) == then)
      let early = await #expect(throws: RequestError.self) { try await runtime.past(sample.id, at: .min) }
      #expect(early?.code == .notFound)
      let late = await #expect(throws: RequestError.self) {
        try await runtime.past(sample.id, at: SampleDevice.time(3))
      }
      #expect(late?.code == .invalidArgument)
    }
  }

  @Test("R12 Decisions by pins are counted apart from rotations")
  func pinMetrics() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let metrics = TestMetrics()
    var harness = Harness(store)
    harness.metrics = metrics
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      try await runtime.submit(.stackEdited(sample.stack, .setPin(sample.widgets[1], .always)), to: sample.id)
    }
    for (kind, count) in [("rotation", 0), ("suggestion", 0), ("pin", 1), ("rest", 0)] as [(String, Int64)] {
      #expect(try metrics.expectCounter("marquee_decisions_total", [("kind", kind)]).totalValue == count, "\(kind)")
    }
  }

  @Test("Events, rejections, decisions and writes are counted")
  func metrics() async throws {
    let (store, sample) = (try Store(directory: directory.path), try SampleDevice())
    let metrics = TestMetrics()
    var harness = Harness(store)
    harness.metrics = metrics
    try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      await #expect(throws: RequestError.self) {
        try await runtime.submit(.stackEdited(StackID("none"), .removeStack), to: sample.id)
      }
      harness.clock.advance(to: SampleDevice.time(2))
      let front = try #require(try await runtime.read(sample.id) { $0.stack(sample.stack)?.frontWidget })
      harness.clock.advance(to: SampleDevice.time(2, 10))
      try await runtime.submit(.reported(.tapped(sample.stack, front)), to: sample.id)
    }
    #expect(metrics.counterTotal(label: "marquee_events_total") == 7)
    for (outcome, count) in [("used", 1), ("used_later", 0), ("unused", 1)] {
      let counter = try metrics.expectCounter(
        "marquee_decision_outcomes_total", [("kind", "rotation"), ("outcome", outcome)])
      #expect(counter.totalValue == Int64(count), "\(outcome)")
    }
    #expect(metrics.counterTotal(label: "marquee_rejections_total") == 1)
    #expect(try metrics.expectCounter("marquee_decisions_total", [("kind", "rotation")]).totalValue == 2)
    #expect(try metrics.expectCounter("marquee_decisions_total", [("kind", "suggestion")]).totalValue == 0)
    let loaded = try (0..<2).compactMap { shard in
      try metrics.expectGauge("marquee_devices_loaded", [("shard", "\(shard)")]).lastValue
    }
    #expect(loaded.reduce(0, +) == 1)
    #expect(try metrics.expectTimer("marquee_wake_lateness").values == [3_600_000_000_000])
    #expect(try metrics.expectRecorder("marquee_commit_records").values == [1, 1, 1, 1, 1, 1, 1, 2, 1])
  }
}
