import Foundation

/// An executor that runs tasks one at a time on a serial dispatch queue of utility priority, so that event loops keep
/// the other processors.
package final class SerialTaskExecutor: TaskExecutor {
  private let queue: DispatchQueue

  /// Creates an executor.
  ///
  /// - Parameter name: The label of its queue.
  package init(_ name: String) {
    queue = DispatchQueue(label: name, qos: .utility)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
