import MarqueeModel
import MarqueeSamples
import MarqueeScheduler
import Testing

@testable import MarqueeStore

@Suite(.timeLimit(.minutes(1))) struct AgendaTests {
  private let directory = StoreDirectory()

  @Test("The agenda has devices with a wake and those of another policy, in pages, and none that never need to run")
  func agenda() async throws {
    let store = try Store(directory: directory.path)
    var devices: [Device] = []
    for index in 0..<6 {
      var recorder = Recorder(try Home("phone \(index)").created())
      try await store.create(recorder.device)
      // Every other one has scores for each hour of the day to come.
      for event in try Home("phone \(index)").setUp().prefix(index.isMultiple(of: 2) ? 6 : 4) {
        try recorder.take(event, at: Home.midnight)
      }
      try await store.write(&recorder)
      devices.append(recorder.device)
    }
    let policy = Policy.standard
    let unknown = try await store.agenda(policy: policy, after: nil, count: 9)
    #expect(unknown.map(\.wake) == Array(repeating: .min, count: 6))
    try await store.append(created: [], events: [], decisions: [], snapshots: [], agenda: devices.map(Appointment.init))
    let all = try await store.agenda(policy: policy, after: nil, count: 9)
    #expect(all.map(\.device.text) == ["phone 0", "phone 2", "phone 4"])
    #expect(all.map(\.wake) == [devices[0], devices[2], devices[4]].map(\.nextWake) && all[0].wake == Home.time(1))
    let page = try await store.agenda(policy: policy, after: all[0].device, count: 1)
    #expect(page.map(\.device.text) == ["phone 2"])
    var other = policy
    other.margin = 0.5
    let adopting = try await store.agenda(policy: other, after: nil, count: 9)
    #expect(adopting.map(\.device) == devices.map(\.id) && adopting.allSatisfy { $0.wake == .min })
  }
}
