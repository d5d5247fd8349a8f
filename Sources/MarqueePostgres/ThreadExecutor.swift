import CPostgres
import Glibc
import Synchronization

/// An executor that runs the jobs of an actor, one after the other, on a thread of its own, which they may block.
final class ThreadExecutor: SerialExecutor {
  private struct Queue {
    var jobs: [UnownedJob] = []
    /// Whether the thread waits, or is about to, so that a new job must signal it.
    var isWaiting = false
    var isEnded = false
  }

  private let queue = Mutex(Queue())
  /// The eventfd that wakes the thread.
  private let signal: CInt

  /// Creates an executor and starts its thread.
  ///
  /// - Parameter name: The name of the thread, of which the system keeps 15 bytes.
  /// - Throws: ``PostgresError`` `unavailable` if the system has no file descriptor or thread left.
  init(_ name: String) throws(PostgresError) {
    signal = eventfd(0, CInt(EFD_CLOEXEC))
    guard signal >= 0 else { throw PostgresError.system(errno, while: "creating an eventfd") }
    var thread = pthread_t()
    // The thread owns a reference until it ends.
    let reference = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<ThreadExecutor>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, reference.toOpaque())
    guard code == 0 else {
      reference.release()
      throw PostgresError.system(code, while: "starting a thread")
    }
    pthread_setname_np(thread, String(name.prefix(15)))
    pthread_detach(thread)
  }

  deinit { close(signal) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    change { $0.jobs.append(job) }
  }

  /// Ends the thread after the jobs that are queued. No job may follow.
  func end() { change { $0.isEnded = true } }

  private func change(_ body: (inout Queue) -> Void) {
    let mustSignal = queue.withLock { queue in
      body(&queue)
      defer { queue.isWaiting = false }
      return queue.isWaiting
    }
    if mustSignal { eventfd_write(signal, 1) }
  }

  private func run() {
    while true {
      let (jobs, isEnded) = queue.withLock { queue in
        defer { queue.jobs.removeAll() }
        queue.isWaiting = queue.jobs.isEmpty && !queue.isEnded
        return (queue.jobs, queue.isEnded)
      }
      for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
      guard jobs.isEmpty else { continue }
      if isEnded { return }
      // An interrupted call returns early; the loop repeats it.
      var count: eventfd_t = 0
      eventfd_read(signal, &count)
    }
  }
}
