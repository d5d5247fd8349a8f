import Foundation
import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Testing

/// Goal: the bytes written for a device stay proportional to its events, whatever its size.
@Suite(.timeLimit(.minutes(2))) struct SizeTests {
  private func publication(_ widget: Widget, _ size: Int) throws -> Event {
    let content = try EntryContent(mediaType: "", bytes: [UInt8](repeating: 7, count: size))
    let entry = TimelineEntry(date: SampleDevice.midnight, content: content)
    return .timelinePublished(widget, Timeline(submitted: [entry], policy: .never))
  }

  /// Settings of about 8 KB per shortcut, which snapshots contain.
  private func settings(_ sample: SampleDevice, _ count: Int) throws -> Event {
    let text = String(repeating: "a", count: 4_000)
    let shortcuts = try (0..<count).map { number in
      let parameters = try ["a", "b"].map {
        IntentParameter(name: try .init("\($0)\(number)"), value: .single(.string(text)))
      }
      return try RelevantShortcut(intent: Intent(type: IntentType("Open"), parameters: parameters))
    }
    return .relevantShortcutsSet(sample.app, shortcuts)
  }

  /// Returns the error with which an event is rejected, or `nil` if it is accepted.
  private func rejection(_ event: Event, of id: DeviceID, by runtime: Runtime) async throws -> RequestError? {
    do { try await runtime.submit(event, to: id) } catch let error as RequestError { return error }
    return nil
  }

  @Test("A large device with few events is rarely written, and is reloaded without changes")
  func proportion() async throws {
    let directory = StoreDirectory()
    let store = try Store(directory: directory.path)
    let journal = FlakyJournal(store)
    var harness = Harness(journal)
    harness.configuration.snapshotStride = 4
    let (large, small) = (try SampleDevice("large"), try SampleDevice("small"))
    let state = try await harness.run { (runtime, _) async throws in
      for sample in [large, small] { try await sample.settle(in: runtime) }
      try await runtime.submit(settings(large, 50), to: large.id)
      for _ in 0..<7 { try await runtime.submit(.reported(.shown(large.stack)), to: large.id) }
      let count = journal.saved.count { $0 == large.id }
      for sample in [large, small] {
        for _ in 0..<100 { try await runtime.submit(.reported(.shown(sample.stack)), to: sample.id) }
      }
      #expect(journal.saved.count { $0 == large.id } == count, "100 small events do not cause a snapshot")
      #expect(journal.saved.count { $0 == small.id } >= 25)
      for _ in 0..<160 { try await runtime.submit(.reported(.shown(large.stack)), to: large.id) }
      #expect(journal.saved.count { $0 == large.id } == count + 1, "64 strides cause a snapshot, which bounds a replay")
      return try await runtime.read(large.id) { $0.encoded }
    }
    #expect(try await harness.run { (runtime, _) in try await runtime.read(large.id) { $0.encoded } } == state)
    try store.close()
    #expect(try Store.verify(directory.path).findings.isEmpty)
  }

  @Test("A device is large in memory because of its timelines, but its snapshots stay small")
  func timelines() async throws {
    let directory = StoreDirectory()
    let store = try Store(directory: directory.path)
    let journal = FlakyJournal(store)
    var harness = Harness(journal)
    harness.configuration.snapshotStride = 4
    harness.configuration.limits.contentSizeMax = 2_000_000
    let sample = try SampleDevice("large")
    let state = try await harness.run { (runtime, _) async throws in
      try await sample.settle(in: runtime)
      for (index, size) in [1_000_000, 1_500_000].enumerated() {
        try await runtime.submit(publication(sample.widgets[index], size), to: sample.id)
      }
      for _ in 0..<100 { try await runtime.submit(.reported(.shown(sample.stack)), to: sample.id) }
      let device = try await runtime.read(sample.id) { $0 }
      #expect(device.storedSize > 2_500_000 && device.snapshotSize < 8_192)
      return device.encoded
    }
    #expect(journal.saved.count >= 25)
    #expect(try await harness.run { (runtime, _) in try await runtime.read(sample.id) { $0.encoded } } == state)
    try store.close()
    #expect(try Store.verify(directory.path).findings.isEmpty)
    let size = try FileManager.default.attributesOfItem(atPath: directory.path + "/marquee.sqlite")[.size] as? Int
    #expect(size ?? .max < 3_000_000, "the timelines are stored more than once")
  }

  @Test("A device that is too large for a snapshot stays usable, affects no other device, and can be made smaller")
  func tooLarge() async throws {
    let directory = StoreDirectory()
    let journal = FlakyJournal(try Store(directory: directory.path))
    var harness = Harness(journal)
    harness.configuration.shardCount = 1
    harness.configuration.snapshotStride = 1
    let (large, other) = (try SampleDevice("large"), try SampleDevice("other"))
    try await harness.run { (runtime, _) async throws in
      for sample in [large, other] { try await sample.settle(in: runtime) }
      try await runtime.submit(settings(large, 8), to: large.id)
    }
    harness.configuration.snapshotSizeMax = 50_000
    harness.configuration.limits.deviceSizeMax = 40_000
    try await harness.run { (runtime, _) async throws in
      let count = journal.saved.count { $0 == large.id }
      try await runtime.submit(.reported(.shown(large.stack)), to: large.id)
      try await runtime.submit(.reported(.shown(other.stack)), to: other.id)
      #expect(journal.saved.count { $0 == large.id } == count)
      for event in [try publication(large.widgets[1], 10_000), .donationsDeleted(nil, .everything)] {
        let rejection = try await rejection(event, of: large.id, by: runtime)
        #expect(
          rejection?.code == .resourceExhausted && rejection?.reason.contains(" exceeds device-size-max (") == true)
      }
      try await runtime.submit(settings(large, 0), to: large.id)
      #expect(journal.saved.count { $0 == large.id } == count + 1)
      try await runtime.submit(.donationsDeleted(nil, .everything), to: large.id)
    }
  }

  @Test("The write budget of one app on one device is limited, and does not affect others")
  func budget() async throws {
    let directory = StoreDirectory()
    var harness = Harness(try Store(directory: directory.path))
    let (phone, tablet) = (try SampleDevice("phone"), try SampleDevice("tablet"))
    harness.configuration.appWriteSizeBurst = 20_000
    harness.configuration.appWriteSizeHourly = 10_000
    try await harness.run { (runtime, _) async throws in
      for sample in [phone, tablet] { try await sample.settle(in: runtime) }
      try await runtime.submit(publication(phone.widgets[0], 10_000), to: phone.id)
      let before = try await runtime.read(phone.id) { $0.encoded }
      let rejected = try #require(
        await #expect(throws: RuntimeError.self) {
          try await runtime.submit(publication(phone.widgets[1], 10_000), to: phone.id)
        })
      #expect(rejected.code == .overloaded && rejected.retryDelay.map { $0 > .zero && $0 < .hours(1) } == true)
      #expect(rejected.message.contains(" bytes written exceeds app-write-size-burst (20000)"))
      #expect(rejected.message.contains("app-write-size-hourly (10000); try again in "))
      let never = try await rejection(publication(phone.widgets[1], 20_001), of: phone.id, by: runtime)
      #expect(never?.code == .resourceExhausted && never?.reason.contains("try again") == false)
      #expect(try await runtime.read(phone.id) { $0.encoded } == before)
      try await runtime.submit(publication(tablet.widgets[1], 10_000), to: tablet.id)
      try await runtime.submit(.reported(.shown(phone.stack)), to: phone.id)
      harness.clock.advance(to: SampleDevice.time(1))
      try await runtime.submit(publication(phone.widgets[1], 10_000), to: phone.id)
      await #expect(throws: RuntimeError.self) {
        try await runtime.submit(publication(phone.widgets[1], 10_000), to: phone.id)
      }
    }
  }
}
