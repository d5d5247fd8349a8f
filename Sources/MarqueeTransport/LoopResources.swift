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
package final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  package init(_ loop: any EventLoop) {
    self.loop = loop
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
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
