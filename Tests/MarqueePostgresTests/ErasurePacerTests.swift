import MarqueeJournal
import Synchronization
import Testing

@testable import MarqueePostgres

/// Erasures share the writer with other batches.
@Suite(.timeLimit(.minutes(1))) struct ErasurePacerTests {
  private struct Period: Sendable {
    let start: ContinuousClock.Instant
    let end: ContinuousClock.Instant
  }

  /// The periods of the erasures, in order.
  private final class Record: Sendable {
    let periods = Mutex<[Period]>([])
  }

  @Test("Erasures run one at a time, each after a pause as long as the one before it took")
  func pauses() async throws {
    let pacer = ErasurePacer()
    let record = Record()
    try await withThrowingDiscardingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          try await pacer.run {
            let start = ContinuousClock.now
            while start.duration(to: .now) < .milliseconds(5) {}
            record.periods.withLock { $0.append(Period(start: start, end: .now)) }
          }
        }
      }
    }
    let all = record.periods.withLock(\.self)
    #expect(all.count == 4)
    for (earlier, later) in zip(all, all.dropFirst()) {
      #expect(later.start - earlier.end >= earlier.end - earlier.start)
    }
  }

  @Test("An erasure that waits when its task is cancelled does not begin, and the next one does")
  func cancellation() async throws {
    let pacer = ErasurePacer()
    try await pacer.run { try? await Task.sleep(for: .milliseconds(200)) }
    let waiting = Task { try await pacer.run { Issue.record("an erasure began after its cancellation") } }
    waiting.cancel()
    let error = await #expect(throws: JournalError.self) { try await waiting.value }
    #expect(error?.code == .unavailable && error?.outcome == .notWritten)
    var count = 0
    try await pacer.run { count += 1 }
    #expect(count == 1)
  }

  @Test("The next erasure follows one that fails")
  func failure() async throws {
    let pacer = ErasurePacer()
    await #expect(throws: JournalError.self) {
      try await pacer.run { () async throws(JournalError) in throw JournalError(.unavailable, "a test") }
    }
    var count = 0
    try await pacer.run { count += 1 }
    #expect(count == 1)
  }
}
