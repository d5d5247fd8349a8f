import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Rule W6 in storage: nothing that an engine stores contains anything of a removed device.
@Suite(.timeLimit(.minutes(5))) struct DeviceRemovalTests {
  @Test(
    "W6 After the removal of a device nothing stored contains any byte of it, whatever else is stored",
    arguments: JournalEngine.available, 1...4)
  func bytes(engine: JournalEngine, seed: UInt64) async throws {
    let database = try engine.makeDatabase()
    var store = try await database.open()
    var (kept, gone): ([Int: Recorder], Set<Int>) = ([:], [])
    var generator = Sampler(seed: seed)
    for number in 0..<90 {
      let size = [0, 40, 700, 1_500, 5_000][Int.random(in: 0..<5, using: &generator)]
      kept[number] = try await store.markedDevice(number, size: size)
      if let other = kept.keys.sorted().randomElement(using: &generator), var recorder = kept[other] {
        try recorder.apply(.developerModeChanged(true), at: SampleDevice.time(5))
        try await store.write(&recorder, snapshot: Bool.random(using: &generator))
        kept[other] = recorder
      }
      if seed % 2 == 0, number % 10 == 9 { _ = try await store.compact(keeping: .zero, now: SampleDevice.time(4)) }
      guard Int.random(in: 0...2, using: &generator) == 0,
        let victim = kept.keys.sorted().randomElement(using: &generator),
        let id = kept.removeValue(forKey: victim)?.device.id
      else { continue }
      gone.insert(victim)
      #expect(try await store.remove(id))
      let found = try await database.marks()
      #expect(found.intersection(gone) == [])
      #expect(Set(kept.keys).subtracting(found) == [])
    }
    #expect(gone.count > 15)
    #expect(try await store.deviceCount() == kept.count)
    #expect(try await database.verify().findings == [])
    try await database.close()
    #expect(try await database.marks() == Set(kept.keys))
    store = try await database.open()
    for recorder in kept.values { #expect(try await store.load(recorder.device.id)?.device == recorder.device) }
  }

  @Test(
    "W6 A removed device is not found by any read, and a new one of the same name is another device",
    arguments: JournalEngine.available)
  func reads(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    let (recorder, other) = (try await store.markedDevice(1, size: 9), try await store.markedDevice(2, size: 9))
    let id = recorder.device.id
    #expect(try await store.remove(DeviceID("unknown")) == false)
    #expect(try await store.remove(id))
    #expect(try await store.remove(id) == false)
    #expect(try await store.devices(after: nil, count: 9) == [other.device.id])
    #expect(try await store.deviceCount() == 1)
    #expect(try await store.wakeSchedule(policy: .default, after: nil, count: 9).map(\.device) == [other.device.id])
    #expect(try await store.latestInstants(count: 9).map(\.device) == [other.device.id])
    #expect(try await store.load(id) == nil)
    #expect(try await store.history(of: id, at: SampleDevice.time(9)) == nil)
    #expect(try await store.origin(of: id) == nil)
    #expect(try await store.events(of: id, after: 0).isEmpty)
    #expect(try await store.decisions(of: id, stack: nil, before: nil, count: 9) == [])
    let error = await #expect(throws: JournalError.self) {
      try await store.append(created: [], events: [], decisions: [], snapshots: [recorder.snapshot])
    }
    #expect(error?.code == .conflict)
    _ = try await store.compact(keeping: .zero, now: SampleDevice.time(50))
    #expect(try await database.marks() == [2])

    var again = Recorder(Device(id: id, timeZone: try TimeZoneID("UTC"), at: SampleDevice.time(1)))
    try await store.create(again.device)
    try again.apply(.developerModeChanged(true), at: SampleDevice.time(2))
    try await store.write(&again, snapshot: true)
    #expect(try await store.load(id)?.device == again.device)
    #expect(try await store.events(of: id, after: 0).count == 1)
    #expect(try await store.decisions(of: id, stack: nil, before: nil, count: 9) == [])
    let verification = try await database.verify()
    #expect(verification.findings == [] && verification.deviceCount == 2)
    #expect(try await store.remove(id))
    #expect(try await database.marks() == [2])
  }
}
