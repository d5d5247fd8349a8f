import MarqueeModel
import MarqueeSamples
import MarqueeTransport
import NIOCore
import NIOEmbedded

/// The one thread, the one clock and the one source of chance of a simulated server and of those who talk to it.
///
/// Everything happens on an event loop whose time stands still while anything is left to do, and then leaps to when
/// something is due. So a world goes the same way whenever it begins with the same seed.
///
/// `@unchecked Sendable`: everything is touched on the thread that made it alone.
final class World: @unchecked Sendable {
  /// When a world's clocks begin: 2021-06-07T06:00:00Z, a Monday.
  static let start = valid { try Instant.of(milliseconds: 1_623_045_600_000) }

  let loop = EmbeddedEventLoop()
  var sampler: Sampler
  private let listener: (String) -> Void
  private let executor: LoopExecutor
  private var sleepers: [Int: (continuation: CheckedContinuation<Void, any Error>, timer: Scheduled<Void>)] = [:]
  private var sleeperCount = 0

  /// A world that tells `listener` what happens in it, each line beginning with the seconds that have passed.
  init(seed: UInt64, telling listener: @escaping (String) -> Void) {
    self.listener = listener
    sampler = Sampler(seed: seed)
    executor = LoopExecutor(loop)
  }

  /// Time that has passed.
  var elapsed: Duration { .nanoseconds(Int64(loop.now.uptimeNanoseconds)) }

  func tell(_ line: String) {
    let seconds = elapsed.components.seconds
    let milliseconds = elapsed.components.attoseconds / 1_000_000_000_000_000
    listener("\(seconds).\(String(milliseconds + 1_000).dropFirst()) \(line)")
  }

  /// Starts a task of this world.
  @discardableResult
  func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: executor) { await body() }
  }

  /// Does something later.
  func after(_ pause: Duration, _ body: @escaping @Sendable () -> Void) {
    loop.scheduleTask(in: .nanoseconds(pause.nanosecondCount), body)
  }

  /// Lets time pass.
  func run(for span: Duration) { loop.advanceTime(by: .nanoseconds(span.nanosecondCount)) }

  /// Lets time pass until something is so, for `span` at most; says whether it came to that.
  func run(until isSo: () -> Bool, for span: Duration) -> Bool {
    let end = elapsed + span
    while !isSo() {
      guard elapsed < end else { return false }
      run(for: .milliseconds(100))
    }
    return true
  }

  /// Returns after a time; throws `CancellationError` when the task is cancelled before.
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
    sleeper.timer.cancel()
    sleeper.continuation.resume(with: outcome)
  }
}

extension World {
  func number(_ range: ClosedRange<Int>) -> Int { sampler.number(in: range) }

  func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(number(range)) }

  func once(in chances: Int) -> Bool { sampler.once(in: chances) }

  /// A number from 0 up to 1.
  func fraction() -> Double { Double(number(0...999_999)) / 1_000_000 }
}

extension Duration {
  fileprivate var nanosecondCount: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

extension Instant {
  fileprivate static func of(milliseconds: Int64) throws -> Instant {
    guard let instant = Instant(milliseconds: milliseconds) else {
      throw Refusal(.invalidArgument, "\(milliseconds) ms is no instant")
    }
    return instant
  }
}

/// A value that the simulation itself chose, so that it cannot be refused.
func valid<Value>(_ body: () throws -> Value) -> Value {
  do {
    return try body()
  } catch {
    preconditionFailure("a value of the simulation is refused: \(error)")
  }
}
