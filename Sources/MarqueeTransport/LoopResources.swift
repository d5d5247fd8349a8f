import MarqueeRPC
import NIOCore

/// What all connections of one event loop share: memory to decode and encode in, and a way to run tasks there.
///
/// `@unchecked Sendable`: the arena and the scratch are used on the loop alone; the rest never changes.
final class LoopResources: @unchecked Sendable {
  let loop: any EventLoop
  let arena = DecodeArena()
  let scratch = EncodeScratch()
  let executor: LoopExecutor

  init(_ loop: any EventLoop) {
    self.loop = loop
    executor = LoopExecutor(loop)
  }

  /// Now, on the loop's clock.
  var now: MonotonicTime { loop.monotonicTime }
}

/// Runs tasks on an event loop.
///
/// `@unchecked Sendable`: what is kept here is touched on the loop alone.
package final class LoopExecutor: TaskExecutor, @unchecked Sendable {
  private let loop: any EventLoop
  /// What the loop itself has made ready to run, in order: one turn of the loop runs all of it.
  private var ready: [UnownedJob] = []
  /// Memory for the next ones that become ready.
  private var spare: [UnownedJob] = []
  /// Ready jobs whose memory is kept, at most.
  private static let spareCountMax = 1_024

  package init(_ loop: any EventLoop) {
    self.loop = loop
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard loop.inEventLoop else {
      return loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
    ready.append(job)
    if ready.count == 1 { loop.execute { self.runReady() } }
  }

  /// Runs what is ready; what becomes ready meanwhile has the next turn, so that sockets have theirs.
  private func runReady() {
    var jobs = ready
    ready = spare
    spare = []
    for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
    jobs.removeAll(keepingCapacity: jobs.count <= Self.spareCountMax)
    spare = jobs
  }
}

extension EventLoop {
  /// Runs `body` on the loop: at once when already there.
  func run(_ body: @escaping @Sendable () -> Void) {
    if inEventLoop { body() } else { execute(body) }
  }

  /// Now, on the loop's clock. From anywhere.
  var monotonicTime: MonotonicTime { MonotonicTime(nanoseconds: Int64(clamping: now.uptimeNanoseconds)) }
}

extension MonotonicTime {
  var nioDeadline: NIODeadline { .uptimeNanoseconds(UInt64(clamping: nanoseconds)) }
}
