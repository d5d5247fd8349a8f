import MarqueeRPC
import NIOCore

/// The resources shared by all connections of one event loop.
///
/// `@unchecked Sendable`: the arena and the scratch are used only on the loop; the other properties are constants, or
/// accessed only on the loop.
final class LoopResources: @unchecked Sendable {
  let loop: any EventLoop
  let arena = DecodeArena()
  let scratch = EncodeScratch()
  let executor: LoopExecutor
  let timers: LoopTimers
  /// The JSON of the last messages that many calls may send.
  var sharedJSON = SharedJSON()
  private let dateClock: @Sendable () -> Int
  private var httpDate = HTTPDate()
  /// Calls of closed connections whose handlers have not been cancelled yet, in reverse order.
  private var cancelled: [ServerCall] = []
  /// The maximum number of handlers cancelled per batch, between which the loop processes its sockets.
  private static let cancelledBatchCountMax = 256

  /// - Parameters:
  ///   - loop: The event loop.
  ///   - dateClock: The clock of ``date``, in seconds since 1970.
  init(_ loop: any EventLoop, dateClock: @escaping @Sendable () -> Int = HTTPDate.systemClock) {
    self.loop = loop
    self.dateClock = dateClock
    timers = LoopTimers(loop)
    executor = LoopExecutor(loop)
  }

  /// The current time on the loop's clock.
  var now: MonotonicTime { loop.monotonicTime }

  /// The current value of the field `date` of HTTP responses.
  var date: String { httpDate.text(at: dateClock()) }

  /// Cancels the handlers of a closed connection's calls, in batches.
  func cancel(_ calls: [ServerCall]) {
    let isFirst = cancelled.isEmpty
    cancelled += calls.reversed()
    if isFirst { cancelNextBatch() }
  }

  private func cancelNextBatch() {
    for call in cancelled.suffix(Self.cancelledBatchCountMax).reversed() {
      cancelled.removeLast()
      call.cancel(RPCStatus(.cancelled, "the client disconnected"))
    }
    guard !cancelled.isEmpty else { return }
    _ = loop.assumeIsolated().scheduleTask(in: LoopExecutor.pause) { self.cancelNextBatch() }
  }
}

/// A task executor that runs tasks on an event loop.
///
/// A client whose tasks prefer the executor of its connection's event loop sends and receives without a change of
/// threads. Such tasks must not block, since the loop serves no connection meanwhile; after a millisecond of tasks, it
/// polls its sockets before the next one.
///
/// `@unchecked Sendable`: all state is accessed only on the loop.
public final class LoopExecutor: TaskExecutor, @unchecked Sendable {
  private let loop: any EventLoop
  /// Jobs enqueued on the loop itself, in order; those before ``next`` have run.
  private var ready: [UnownedJob] = []
  private var next = 0
  private var isScheduled = false
  /// The maximum number of jobs whose memory is kept.
  private static let spareCountMax = 1_024
  /// The maximum time that jobs run before the loop processes its sockets: as long as tasks are due, an event loop does
  /// not poll.
  private static let sliceTimeMax = Duration.milliseconds(1)
  /// The number of jobs between two clock reads.
  private static let strideCount = 16
  /// The delay before the remaining jobs run: any non-zero delay makes the loop poll its sockets.
  static let pause = TimeAmount.microseconds(50)

  /// Creates an executor, which runs the tasks of all threads on `loop`.
  public init(_ loop: any EventLoop) {
    self.loop = loop
  }

  /// Runs a job on the loop, after those enqueued before on the same thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard loop.inEventLoop else {
      return loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
    ready.append(job)
    guard !isScheduled else { return }
    isScheduled = true
    loop.execute { self.runReady() }
  }

  /// Runs the ready jobs for at most one time slice. Jobs enqueued meanwhile run after the loop's other work.
  private func runReady() {
    let (end, sliceEnd) = (ready.count, loop.monotonicTime.advanced(by: Self.sliceTimeMax))
    var isOver = false
    while next < end, !isOver {
      let job = ready[next]
      next += 1
      job.runSynchronously(on: asUnownedTaskExecutor())
      isOver = next % Self.strideCount == 0 && loop.monotonicTime >= sliceEnd
    }
    removeDone()
    isScheduled = !ready.isEmpty
    guard isScheduled else { return }
    if isOver {
      _ = loop.assumeIsolated().scheduleTask(in: Self.pause) { self.runReady() }
    } else {
      loop.execute { self.runReady() }
    }
  }

  private func removeDone() {
    if next == ready.count {
      ready.removeAll(keepingCapacity: ready.count <= Self.spareCountMax)
      next = 0
    } else if next * 2 >= ready.count {
      ready.removeSubrange(..<next)
      next = 0
    }
  }
}

extension EventLoop {
  /// Runs `body` on the loop: immediately if already there.
  func run(_ body: @escaping @Sendable () -> Void) {
    if inEventLoop { body() } else { execute(body) }
  }

  /// The current time on the loop's clock. Thread-safe.
  var monotonicTime: MonotonicTime { MonotonicTime(nanoseconds: Int64(clamping: now.uptimeNanoseconds)) }
}

extension MonotonicTime {
  /// The present time of the clock of all connections.
  package static var now: MonotonicTime {
    MonotonicTime(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
  }

  var nioDeadline: NIODeadline { .uptimeNanoseconds(UInt64(clamping: nanoseconds)) }
}
