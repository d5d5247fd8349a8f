import Foundation

/// An executor that runs tasks one after the other on a thread of its own, so that event loops keep the other
/// processors.
package final class SerialTaskExecutor: TaskExecutor {
  private let queue: DispatchQueue

  /// Creates an executor, whose thread has a name.
  package init(_ name: String) {
    queue = DispatchQueue(label: name, qos: .utility)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
