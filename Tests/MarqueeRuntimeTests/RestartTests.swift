import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Testing

/// Goal: a restart changes nothing. Method: the same random events at the same times are submitted to a runtime that
/// runs continuously and to one that is repeatedly stopped or killed; their devices and decisions are compared byte by
/// byte.
@Suite(.timeLimit(.minutes(2))) struct RestartTests {
  private struct Step: Sendable {
    let at: Instant
    let device: Int
    let event: Event
  }

  private func steps(_ samples: [SampleDevice], seed: UInt64) throws -> [Step] {
    var generator = Sampler(seed: seed)
    var now = SampleDevice.midnight
    return try (0..<120).map { _ in
      now = now.advanced(by: .seconds(Int64.random(in: 0..<1_800, using: &generator)))
      let device = Int.random(in: 0..<samples.count, using: &generator)
      return Step(at: now, device: device, event: try samples[device].anything(at: now, &generator))
    }
  }

  private func play(
    _ steps: ArraySlice<Step>, _ samples: [SampleDevice], _ runtime: Runtime, _ clock: ManualClock
  ) async throws {
    for step in steps {
      clock.advance(to: step.at)
      do {
        try await runtime.submit(step.event, to: samples[step.device].id)
      } catch is RequestError {
        // Not every random event is valid; the comparison shows whether both runtimes rejected the same events.
      }
    }
  }

  private func result(
    _ samples: [SampleDevice], _ runtime: Runtime
  ) async throws -> [(state: [UInt8], decisions: [Decision])] {
    var results: [(state: [UInt8], decisions: [Decision])] = []
    for sample in samples {
      let state = try await runtime.read(sample.id) { $0.encoded }
      results.append((state, try await runtime.decisions(of: sample.id, count: 1_000)))
    }
    return results
  }

  @Test("R8 A restart changes neither state nor decisions", arguments: 1...12 as ClosedRange<UInt64>)
  func restart(seed: UInt64) async throws {
    let samples = try (0..<3).map { try SampleDevice("phone \($0)") }
    let steps = try steps(samples, seed: seed)
    let (steadyDirectory, restartedDirectory) = (StoreDirectory(), StoreDirectory())
    let steady = Harness(try Store(directory: steadyDirectory.path))
    let expected = try await steady.run { (runtime, _) async throws in
      for sample in samples { try await sample.settle(in: runtime) }
      try await play(steps[...], samples, runtime, steady.clock)
      return try await result(samples, runtime)
    }
    var generator = Sampler(seed: seed &+ 1_000)
    var (next, now, isSettled) = (0, SampleDevice.midnight, false)
    while next < steps.count {
      let store = try Store(directory: restartedDirectory.path)
      var harness = Harness(at: now, store)
      harness.configuration.shardCount = Int.random(in: 1...4, using: &generator)
      harness.configuration.snapshotStride = UInt64.random(in: 1...9, using: &generator)
      harness.configuration.cachedDeviceCountMax = Int.random(in: 1...9, using: &generator)
      let end = min(steps.count, next + Int.random(in: 1...30, using: &generator))
      try await harness.run(end: Bool.random(using: &generator) ? .kill : .shutdown) { (runtime, _) async throws in
        if !isSettled { for sample in samples { try await sample.settle(in: runtime) } }
        try await play(steps[next..<end], samples, runtime, harness.clock)
      }
      try store.close()
      (next, now, isSettled) = (end, steps[end - 1].at, true)
    }
    #expect(try Store.verify(restartedDirectory.path).findings.isEmpty)
    let last = Harness(at: now, try Store(directory: restartedDirectory.path))
    let found = try await last.run { (runtime, _) async throws in try await result(samples, runtime) }
    for (left, right) in zip(expected, found) {
      #expect(left.state == right.state)
      #expect(left.decisions == right.decisions)
    }
    #expect(expected.reduce(0) { $0 + $1.decisions.count } > 0)
  }
}
