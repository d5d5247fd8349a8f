import Foundation
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

/// Requests of one device that take too long for the shard's loop: deletions that rewrite the stored history, resets of
/// the clock, and changes after which the device relearns from many donations.
///
/// A ``ShardBatch`` of one device is applied to a copy of the device and written; the loop then caches the copy and
/// completes the requests. Until then, the loop must not change the device.
struct Relearning: Sendable {
  /// The maximum number of donations that the loop itself relearns for one request.
  static let loopDonationCountMax = 128
  /// The approximate number of snapshot bytes that take as long to encode and store as one donation takes to learn.
  static let donationSnapshotSize = 1_024

  /// The result of a relearning.
  ///
  /// `@unchecked Sendable`: the batch and its devices are owned by the task that created them, which transfers them and
  /// ends.
  struct Outcome: @unchecked Sendable {
    let device: DeviceID
    let requests: [Request]
    let batch: ShardBatch
    /// The reason why the batch could not be written, if any.
    var error: (any Error)?
    /// The reason why its durable deletions are unfinished, if any.
    var unfinished: (any Error)?
    /// Whether it was cancelled before it began to write.
    var isCancelled = false
  }

  /// One queue for all relearnings, so that the loops keep the other processors however many devices relearn.
  private static let executor = SerialTaskExecutor("marquee.relearning")

  let task: Task<Void, Never>

  /// Starts handling requests of one device.
  ///
  /// - Parameters:
  ///   - requests: The requests, in order.
  ///   - copy: A copy of the device, owned by this relearning.
  ///   - unrecorded: Earlier decisions of the device that are not stored yet: a deletion must redact them too.
  ///   - now: The current time.
  ///   - shard: The shard of the device.
  init(
    _ requests: [Request], on copy: LoadedDevice, unrecorded: [RecordedDecision], at now: Instant, _ shard: Shard
  ) {
    let work = Work(requests: requests, loaded: copy, unrecorded: unrecorded, now: now, shard: shard)
    task = Task(executorPreference: Task.executorPreference ?? Self.executor) {
      shard.queue.add(.relearned(await work.run()))
    }
  }

  /// `@unchecked Sendable`: the device is transferred to the one task that calls ``run()``.
  private struct Work: @unchecked Sendable {
    let requests: [Request]
    let loaded: LoadedDevice
    let unrecorded: [RecordedDecision]
    let now: Instant
    let shard: Shard

    func run() async -> Outcome {
      let device = loaded.device.id
      var batch = ShardBatch(at: now, shard, isOnCopies: false, writeError: nil)
      if !Task.isCancelled {
        for request in requests { batch.apply(request, to: loaded) }
      }
      batch.end()
      var outcome = Outcome(device: device, requests: requests, batch: batch)
      guard !Task.isCancelled else {
        (outcome.isCancelled, outcome.error) = (true, JournalError(.unavailable, "the server stops"))
        return outcome
      }
      guard batch.recordCount > 0 else { return outcome }
      let start = ContinuousClock.now
      do {
        try await shard.journal.append(
          created: [], events: batch.events, decisions: unrecorded + batch.decisions, snapshots: batch.snapshots,
          wakeSchedule: batch.wakeSchedule)
      } catch let error as JournalError where error.outcome == .written {
        outcome.unfinished = error
      } catch {
        outcome.error = error
        return outcome
      }
      shard.metrics.commitDuration.record(duration: start.duration(to: .now))
      shard.metrics.commitRecords.record(batch.recordCount)
      return outcome
    }
  }
}

extension Task where Success == Never, Failure == Never {
  /// The executor that the current task prefers, which unstructured tasks do not inherit: in a simulation that of its
  /// world, in a call's handler the event loop of the connection, and otherwise none.
  package static var executorPreference: (any TaskExecutor)? {
    withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
  }
}

/// The running relearnings and removals of a shard, and the requests that wait for them.
struct Relearnings {
  private var running: [DeviceID: (task: Task<Void, Never>, requests: [Request])] = [:]
  /// The requests that wait for a relearning or removal of their device, in order.
  private var waiting: [DeviceID: [Request]] = [:]
  /// The requests that have waited and can be handled now.
  private var ready: [Request] = []
  private var waitingCount = 0
  private var waitingSize = 0

  /// Whether no relearning is running and no request can be handled.
  var isEmpty: Bool { running.isEmpty && ready.isEmpty }

  /// The number of requests that have waited and can be handled now.
  var readyCount: Int { ready.count }

  /// Returns whether a device's requests must wait.
  func isBlocked(_ device: DeviceID) -> Bool { !waiting.isEmpty && waiting[device] != nil }

  /// Returns whether a device is relearning or being removed.
  func isRunning(_ device: DeviceID) -> Bool { !running.isEmpty && running[device] != nil }

  /// Returns whether a device that satisfies a condition is relearning or being removed.
  func isAnyRunning(where isIncluded: (DeviceID) -> Bool) -> Bool { running.keys.contains(where: isIncluded) }

  /// Makes further requests of a device wait.
  mutating func block(_ device: DeviceID) { waiting[device] = waiting[device] ?? [] }

  /// Checks that another relearning may run.
  ///
  /// - Throws: ``RuntimeError`` `overloaded` if as many run as requests may wait in the shard's queue.
  func checkCount(_ configuration: Runtime.Configuration) throws(RuntimeError) {
    let countMax = configuration.queuedEventCountMax
    guard running.count < countMax else {
      throw .full(limit: "queued-event-count-max", maximum: countMax, count: running.count + 1)
    }
  }

  /// Appends a request to those that wait for its device.
  ///
  /// - Throws: ``RuntimeError`` `overloaded` if the limits that also apply to the shard's request queue are exceeded.
  mutating func append(_ request: Request, _ configuration: Runtime.Configuration) throws(RuntimeError) {
    let (countMax, sizeMax) = (configuration.queuedEventCountMax, configuration.queuedContentSizeMax)
    guard waitingCount < countMax else {
      throw .full(limit: "queued-event-count-max", maximum: countMax, count: waitingCount + 1)
    }
    let size = request.size
    guard waitingSize + size <= sizeMax else {
      throw .full(limit: "queued-content-size-max", maximum: sizeMax, count: waitingSize + size)
    }
    waitingCount += 1
    waitingSize += size
    waiting[request.device, default: []].append(request)
  }

  /// Records that a relearning or removal has started, and makes further requests of its device wait.
  mutating func begin(_ task: Task<Void, Never>, _ requests: [Request], on device: DeviceID) {
    block(device)
    running[device] = (task, requests)
  }

  /// Records that a device's relearning or removal has ended, and unblocks the device.
  mutating func end(_ device: DeviceID) {
    running[device] = nil
    unblock(device)
  }

  /// Makes the waiting requests of a device ready.
  mutating func unblock(_ device: DeviceID) {
    let requests = waiting.removeValue(forKey: device) ?? []
    waitingCount -= requests.count
    waitingSize -= requests.reduce(0) { $0 + $1.size }
    ready += requests
  }

  /// Postpones a request to the next batch.
  mutating func postpone(_ request: Request) { ready.append(request) }

  /// Dequeues the requests that have waited and can be handled now.
  mutating func dequeueReady() -> [Request] {
    defer { ready = [] }
    return ready
  }

  /// Cancels the relearnings and removals that have not begun to write, whose requests then fail.
  ///
  /// - Parameter isIncluded: Returns whether those of a device are cancelled.
  func cancelWaiting(where isIncluded: (DeviceID) -> Bool = { _ in true }) {
    for (device, work) in running where isIncluded(device) { work.task.cancel() }
  }

  /// Returns once one of the running relearnings or removals has ended.
  func waitForOne() async { await running.values.first?.task.value }

  /// Cancels all relearnings, and waits only for computations and removals in progress.
  func cancel() async {
    cancelWaiting()
    for work in running.values { await work.task.value }
  }

  /// Removes all requests that are not completed, and returns them.
  mutating func removeAll() -> [Request] {
    let requests = running.values.flatMap(\.requests) + ready + waiting.values.joined()
    self = Relearnings()
    return requests
  }
}

extension LoadedDevice {
  /// The work of a snapshot, in relearned donations.
  var snapshotWork: Int { device.storedSize / Relearning.donationSnapshotSize }
}
