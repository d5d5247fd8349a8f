internal import CFaultyVFS
import Dispatch
import MarqueeJournal
import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeServer
import MarqueeStore
import Synchronization

/// A real store on real files. Each operation takes simulated time, during which nothing else runs.
final class SimulatedDisk: DeviceJournal {
  /// The error thrown to the runtime of a killed process.
  struct Gone: Error {}

  let store: Store
  private let world: World
  private let directory: String
  private let isGone = Mutex(false)

  /// Opens the store in a directory.
  init(_ world: World, directory: String) throws {
    self.world = world
    self.directory = directory
    store = try Store(directory: directory)
  }

  /// Kills the process: pending operations are not performed.
  func abandon() { isGone.withLock { $0 = true } }

  /// Injects a fault into one of the next file operations.
  func plan(_ kind: faulty_kind, after count: Int, lasts: Bool) {
    precondition(faulty_plan(directory, kind, count, lasts ? 1 : 0) == 0, "too many plans")
  }

  /// Dedicated threads, independent of Swift's cooperative pool, all of whose threads may wait for them.
  private final class Threads: TaskExecutor {
    static let all = Threads()
    private let queue = DispatchQueue(label: "disk", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  /// Performs work on another thread and blocks until it is done.
  static func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Result<Value, any Error> {
    let outcome = Mutex<Result<Value, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: Threads.all) {
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
      isDone.signal()
    }
    isDone.wait()
    guard let result = outcome.withLock(\.self) else { preconditionFailure("signaled without an outcome") }
    return result
  }

  private func perform<Value: Sendable>(
    takingAtMost milliseconds: Int, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      world.after(world.milliseconds(0...milliseconds)) {
        guard !self.isGone.withLock(\.self) else { return continuation.resume(throwing: Gone()) }
        continuation.resume(with: Self.wait(body))
      }
    }
  }
}

extension SimulatedDisk {
  func append(
    created: [Device], events: [JournalEntry], decisions: [RecordedDecision], snapshots: [DeviceSnapshot],
    wakeSchedule: [ScheduledWake]
  ) async throws {
    try await perform(takingAtMost: 30) { [store] in
      try await store.append(
        created: created, events: events, decisions: decisions, snapshots: snapshots, wakeSchedule: wakeSchedule)
    }
  }

  func remove(_ id: DeviceID) async throws -> Bool {
    try await perform(takingAtMost: 30) { [store] in try await store.remove(id) }
  }

  func load(_ id: DeviceID) async throws -> (device: Device, sequence: UInt64, unrecorded: [Decision])? {
    try await perform(takingAtMost: 5) { [store] in try await store.load(id) }
  }

  func history(of id: DeviceID, at instant: Instant) async throws -> Device? {
    try await perform(takingAtMost: 5) { [store] in try await store.history(of: id, at: instant) }
  }

  func origin(of id: DeviceID) async throws -> (device: Device, eventCount: UInt64, lastEvent: Instant)? {
    try await perform(takingAtMost: 5) { [store] in try await store.origin(of: id) }
  }

  func events(of id: DeviceID, after sequence: UInt64) async throws -> [JournalEntry] {
    try await perform(takingAtMost: 5) { [store] in try await store.events(of: id, after: sequence) }
  }

  func deviceCount(of shards: ShardSet?) async throws -> Int {
    try await perform(takingAtMost: 5) { [store] in try await store.deviceCount(of: shards) }
  }

  func devices(after name: DeviceID?, count: Int) async throws -> [DeviceID] {
    try await perform(takingAtMost: 5) { [store] in try await store.devices(after: name, count: count) }
  }

  func wakeSchedule(
    policy: Policy, of shards: ShardSet?, after name: DeviceID?, count: Int
  ) async throws -> [(device: DeviceID, wake: Instant)] {
    try await perform(takingAtMost: 5) { [store] in
      try await store.wakeSchedule(policy: policy, of: shards, after: name, count: count)
    }
  }

  func decisions(
    of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int
  ) async throws -> [Decision] {
    try await perform(takingAtMost: 5) { [store] in
      try await store.decisions(of: id, stack: stack, before: number, count: count)
    }
  }
}
