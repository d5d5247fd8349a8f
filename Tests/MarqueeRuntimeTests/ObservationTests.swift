import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Testing

@testable import MarqueeRuntime

/// The observation of placed widgets (rule W7). The stack of the sample device alternates every hour.
@Suite("Observed widgets", .timeLimit(.minutes(1)))
struct ObservationTests {
  private let directory = StoreDirectory()

  @Test("W7 A change is observed at its instant, also if several are due at once, and a reload or timeline is not")
  func instants() async throws {
    let sample = try SampleDevice()
    let harness = Harness(try Store(directory: directory.path))
    try await harness.run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      try await runtime.observe(sample.id) { sink.observe($0.id) }
      harness.clock.advance(to: SampleDevice.time(3))
      try await runtime.read(sample.id) { _ in }
      #expect(sink.observationLines == ["60 Cards", "120 Notes", "180 Cards"])
      try await runtime.submit(.reloadRequested(sample.app, kind: nil), to: sample.id)
      #expect(sink.observationLines.count == 3)
      try await runtime.submit(.reported(.hidden(sample.stack)), to: sample.id)
      try await runtime.submit(.reported(.tapped(sample.stack, sample.widgets[0])), to: sample.id)
      #expect(sink.observationLines.dropFirst(3) == ["180 ", "180  tapped"])
      sink.observe(sample.id, false)
      try await runtime.submit(.reported(.shown(sample.stack)), to: sample.id)
      sink.observe(sample.id)
      #expect(sink.observationLines.count == 5)
    }
  }

  @Test("W7 What is not durable is not observed, and the decisions of time are")
  func failures() async throws {
    let sample = try SampleDevice()
    let journal = FlakyJournal(try Store(directory: directory.path))
    let harness = Harness(journal)
    try await harness.run { (runtime, sink) async throws in
      try await sample.settle(in: runtime)
      try await runtime.observe(sample.id) { sink.observe($0.id) }
      journal.fail(.transient)
      let tap = Event.reported(.tapped(sample.stack, sample.widgets[0]))
      await expectFailure(.transient) { try await runtime.submit(tap, to: sample.id) }
      harness.clock.advance(to: SampleDevice.time(1))
      await expectFailure(.transient) { try await runtime.submit(tap, to: sample.id) }
      #expect(sink.observationLines == ["60 Cards"])
      journal.fail(nil)
      try await runtime.submit(tap, to: sample.id)
      #expect(sink.observationLines == ["60 Cards", "60 Cards tapped"])
    }
  }

  @Test("W7 Events that follow the start of the observation in one batch are observed")
  func batch() async throws {
    let (sample, sink) = (try SampleDevice(), RecordingSink())
    let shard = Harness(try Store(directory: directory.path)).shard(sink)
    try shard.queue.add(.register(sample.id, TimeZoneID("UTC")) { _ in })
    for event in try sample.setUp()[..<4] { try shard.queue.add(.submit(sample.id, event) { _ in }) }
    let tap = Event.reported(.tapped(sample.stack, sample.widgets[0]))
    try shard.queue.add(.submit(sample.id, tap) { _ in })
    try shard.queue.add(.observe(sample.id) { if case .success(let device) = $0 { sink.observe(device.id) } })
    try shard.queue.add(.submit(sample.id, tap) { _ in })
    try shard.queue.add(.submit(sample.id, .reported(.hidden(sample.stack))) { _ in })
    shard.queue.close()
    try await shard.run()
    #expect(sink.observationLines == ["0 Notes tapped", "0 "])
  }
}
