import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import NIOCore
import NIOEmbedded

/// The single thread, clock and random source of a simulated server and its clients.
///
/// Everything runs on an event loop whose time advances only when no work is left, to the next scheduled task.
/// Therefore the same seed yields the same run.
///
/// `@unchecked Sendable`: accessed only on the thread that created it.
final class World: @unchecked Sendable {
  /// The initial time of a world's clocks: 2021-06-07T06:00:00Z, a Monday.
  static let start = valid { try Instant.of(milliseconds: 1_623_045_600_000) }

  let loop = EmbeddedEventLoop()
  var sampler: Sampler
  private let listener: (String) -> Void
  private let executor: LoopExecutor
  private var sleepers: [Int: (continuation: CheckedContinuation<Void, any Error>, timer: Scheduled<Void>)] = [:]
  private var sleeperCount = 0

  /// Creates a world that passes its events to `listener`, each line prefixed with the elapsed seconds.
  init(seed: UInt64, telling listener: @escaping (String) -> Void) {
    self.listener = listener
    sampler = Sampler(seed: seed)
    executor = LoopExecutor(loop)
  }

  /// The elapsed time.
  var elapsed: Duration { .nanoseconds(Int64(loop.now.uptimeNanoseconds)) }

  func log(_ line: String) {
    let seconds = elapsed.components.seconds
    let milliseconds = elapsed.components.attoseconds / 1_000_000_000_000_000
    listener("\(seconds).\(String(milliseconds + 1_000).dropFirst()) \(line)")
  }

  /// Starts a task of this world.
  @discardableResult
  func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: executor) { await body() }
  }

  /// Schedules work.
  func after(_ pause: Duration, _ body: @escaping @Sendable () -> Void) {
    loop.scheduleTask(in: .nanoseconds(pause.nanosecondCount), body)
  }

  /// Advances time.
  func run(for span: Duration) { loop.advanceTime(by: .nanoseconds(span.nanosecondCount)) }

  /// Advances time until a condition is true, at most by `span`.
  ///
  /// - Returns: Whether the condition became true.
  func run(until isSo: () -> Bool, for span: Duration) -> Bool {
    let end = elapsed + span
    while !isSo() {
      guard elapsed < end else { return false }
      run(for: .milliseconds(100))
    }
    return true
  }

  /// Suspends for a time.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func sleep(_ span: Duration) async throws {
    sleeperCount += 1
    let number = sleeperCount
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
        let timer = loop.scheduleTask(in: .nanoseconds(span.nanosecondCount)) { self.wake(number, .success(())) }
        sleepers[number] = (continuation, timer)
      }
    } onCancel: {
      loop.execute { self.wake(number, .failure(CancellationError())) }
    }
  }

  private func wake(_ number: Int, _ outcome: Result<Void, any Error>) {
    guard let sleeper = sleepers.removeValue(forKey: number) else { return }
    // Cancelling a timer that has fired would search for it among all others.
    if case .failure = outcome { sleeper.timer.cancel() }
    sleeper.continuation.resume(with: outcome)
  }
}

extension World {
  func number(_ range: ClosedRange<Int>) -> Int { sampler.number(in: range) }

  func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(number(range)) }

  func once(in chances: Int) -> Bool { sampler.once(in: chances) }

  /// Returns a random number from 0 up to, but not including, 1.
  func fraction() -> Double { Double(number(0...999_999)) / 1_000_000 }
}

extension Duration {
  fileprivate var nanosecondCount: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

extension Instant {
  fileprivate static func of(milliseconds: Int64) throws -> Instant {
    guard let instant = Instant(milliseconds: milliseconds) else {
      throw RequestError(.invalidArgument, "\(milliseconds) ms is not a valid instant")
    }
    return instant
  }
}
