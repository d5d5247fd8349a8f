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
}

/// Runs tasks on an event loop.
final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension EventLoop {
  /// Runs `body` on the loop: at once when already there.
  func run(_ body: @escaping @Sendable () -> Void) {
    if inEventLoop { body() } else { execute(body) }
  }
}

extension MonotonicTime {
  /// Now, on the clock of the event loops.
  static var now: MonotonicTime {
    MonotonicTime(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
  }

  var nioDeadline: NIODeadline { .uptimeNanoseconds(UInt64(clamping: nanoseconds)) }
}
