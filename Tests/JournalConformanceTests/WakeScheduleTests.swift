import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct WakeScheduleTests {
  @Test(
    "The wake schedule lists, in pages, the devices with a next wake or another policy, and no other devices",
    arguments: JournalEngine.available)
  func wakeSchedule(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var devices: [Device] = []
    for index in 0..<6 {
      var recorder = Recorder(try SampleDevice("phone \(index)").created())
      try await store.create(recorder.device)
      // Every other device has timelines, and so a next wake.
      for event in try SampleDevice("phone \(index)").setUp().prefix(index.isMultiple(of: 2) ? 6 : 4) {
        try recorder.apply(event, at: SampleDevice.midnight)
      }
      try await store.write(&recorder)
      devices.append(recorder.device)
    }
    let policy = Policy.default
    let unknown = try await store.wakeSchedule(policy: policy, after: nil, count: 9)
    #expect(unknown.map(\.wake) == Array(repeating: .min, count: 6))
    try await store.append(
      created: [], events: [], decisions: [], snapshots: [], wakeSchedule: devices.map(ScheduledWake.init))
    let all = try await store.wakeSchedule(policy: policy, after: nil, count: 9)
    #expect(all.map(\.device.text) == ["phone 0", "phone 2", "phone 4"])
    #expect(
      all.map(\.wake) == [devices[0], devices[2], devices[4]].map(\.nextWake) && all[0].wake == SampleDevice.time(1))
    let page = try await store.wakeSchedule(policy: policy, after: all[0].device, count: 1)
    #expect(page.map(\.device.text) == ["phone 2"])
    var other = policy
    other.margin = 0.5
    let adopting = try await store.wakeSchedule(policy: other, after: nil, count: 9)
    #expect(adopting.map(\.device) == devices.map(\.id) && adopting.allSatisfy { $0.wake == .min })
  }

  @Test(
    "Lists of devices can be limited to those of some shards, page by page",
    arguments: JournalEngine.available)
  func shards(engine: JournalEngine) async throws {
    let database = try engine.makeDatabase()
    let store = try await database.open()
    var all: [DeviceID] = []
    for index in 0..<24 {
      let device = try SampleDevice("phone \(index)").created()
      try await store.create(device)
      all.append(device.id)
    }
    let shards = all.map { ShardID(of: $0) }
    // Devices of other shards are between them, and one shard has none.
    let empty = try #require((0..<ShardID.countDefault).map { ShardID($0) }.first { !shards.contains($0) })
    let chosen = ShardSet(
      shards.enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element) + [empty], of: ShardID.countDefault)
    let expected = Set(all.filter { chosen.contains($0) })
    #expect((8..<24).contains(expected.count))
    #expect(try await store.deviceCount(of: chosen) == expected.count)
    #expect(try await store.deviceCount() == 24)
    let latest = try await store.latestInstants(of: chosen, count: 99).map(\.device)
    #expect(latest.count == expected.count && Set(latest) == expected)
    var paged: [DeviceID] = []
    while true {
      let page = try await store.wakeSchedule(policy: .default, of: chosen, after: paged.last, count: 3)
      guard !page.isEmpty else { break }
      #expect(page.count <= 3 && page.allSatisfy { $0.wake == .min })
      paged += page.map(\.device)
    }
    #expect(paged.count == expected.count && Set(paged) == expected)
    let none = ShardSet([empty], of: ShardID.countDefault)
    #expect(try await store.wakeSchedule(policy: .default, of: none, after: nil, count: 9).isEmpty)
    #expect(try await store.deviceCount(of: none) == 0)
  }
}
