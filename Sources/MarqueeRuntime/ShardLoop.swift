import DequeModule
import Logging
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import OrderedCollections

/// The event loop of a shard.
///
/// Each iteration drains the request queue, applies the events, commits them to the journal, and only then dispatches
/// actions and completes the requests, in order. If the commit fails, the changed devices are reloaded from the
/// journal.
struct ShardLoop {
  /// The maximum number of devices woken in one batch.
  static let wakeCountMax = 1_024
  /// The maximum number of requests in one batch.
  static let batchRequestCountMax = 1_024
  /// The maximum number of decisions kept to be recorded later; beyond it, the oldest ones are dropped.
  static let unrecordedDecisionCountMax = 4_096
  /// The maximum number of snapshots in one write when devices are evicted or the runtime stops.
  static let snapshotBatchCountMax = 64
  /// The maximum number of due devices loaded in one batch, which bounds the latency of requests.
  static let dueLoadCountMax = 16
  /// The interval after a transient failure before loading a due device, or evicting devices, is retried.
  static let failurePause = TimeSpan.seconds(1)
  /// The number of devices per page when the wake schedule is read.
  static let wakeSchedulePageCountMax = 10_000

  let shard: Shard
  var loadedDevices = DeviceCache()
  /// The instants to which evicted devices had been advanced: everything due by then has been done.
  var evictionInstants: [DeviceID: Instant] = [:]
  /// The instant of the last write failure, or `nil` after a successful write.
  var writeFailure: Instant?
  /// The devices in ``loadedDevices`` whose policy differs from the configured one.
  var devicesWithStalePolicy: Set<DeviceID> = []
  var wakes = WakeQueue<DeviceID>()
  /// The errors of devices that could not be loaded.
  var unreadable: [DeviceID: any Error] = [:]
  /// The devices in ``unreadable`` that may be retried after the current batch.
  private var retried: [DeviceID] = []
  /// The decisions that were dispatched while the journal could not be written.
  var unrecorded: [RecordedDecision] = []
  /// The messages that have been dequeued and not been handled.
  private var messages: Deque<ShardMessage> = []
  /// The barriers to complete once all due work is done.
  private var barriers: [ShardMessage.Barrier] = []
  var relearnings = Relearnings()
  /// The time of each device whose clock was ahead when it was last used, or when all devices were checked.
  var aheadDevices: [DeviceID: Instant] = [:]
  /// The last stored instants of devices at the start, as far as they are among the latest.
  var storedInstants: [(device: DeviceID, instant: Instant)] = []
  /// The latest clock reading since all devices were checked.
  private var latestTime = Instant.min
  /// The shards whose devices are served.
  var served: ServedShards
  /// The changes that end serving shards, of which some devices are still relearning or being removed.
  var endings: [OwnershipChange] = []

  init(_ shard: Shard) {
    self.shard = shard
    served = ServedShards(
      shard.configuration.shards, node: shard.configuration.node, index: shard.index, of: shard.count)
  }

  mutating func run() async throws {
    // It stays set while requests arrive, so that the loop only ever waits for the queue.
    var alarm = Alarm(shard.clock) { [queue = shard.queue] in queue.signal() }
    defer { alarm.clear() }
    try await readWakeSchedule(of: served.selection)
    while true {
      try Task.checkCancellation()
      // Before the clock is read: a signal that arrives later then ends the next wait.
      if shard.queue.consumeSignal() { alarm.clear() }
      messages += shard.queue.dequeueMessages()
      while let message = messages.popFirst() { try await handle(message) }
      try await completeEndings()
      let capacity = max(0, Self.batchRequestCountMax - relearnings.readyCount)
      let (arrived, isClosed) = shard.queue.dequeue(atMost: capacity)
      let requests = servedRequests(relearnings.dequeueReady() + arrived)
      // The clock is read after the barriers were dequeued, so that no work that is due for them is missed.
      let now = shard.clock.now
      checkClock(at: now)
      // Without a lease, nothing is shown. The renewal sends a signal.
      let isLeaseOver = served.isLeaseOver
      let due = isLeaseOver ? [] : dequeueDue(at: now)
      let isIdle = requests.isEmpty && due.isEmpty
      if !isIdle { try await process(requests, due) }
      try await evictIdle()
      if relearnings.isEmpty, wakes.first().map({ $0 > now }) ?? true { completeBarriers() }
      guard isIdle else { continue }
      if isClosed {
        guard !relearnings.isEmpty else { break }
        // They would take longer than a stop may.
        if shard.journal.deletionRewritesDevice { relearnings.cancelWaiting() }
        await relearnings.waitForOne()
        continue
      }
      recordClockAhead(at: now)
      alarm.set(to: isLeaseOver ? nil : wakes.first())
      await shard.queue.waitForWork()
    }
    try await finish(loadedDevices.all.sorted { $0.device.id < $1.device.id })
  }

  private mutating func handle(_ message: ShardMessage) async throws {
    switch message {
    case .barrier(let barrier): barriers.append(barrier)
    case .usageQuery(let reply): reply(.success(limitUses))
    case .ownershipChange(let change): await changeOwnership(change)
    case .relearned(let outcome): try await end(outcome)
    case .removed(let outcome): try end(outcome)
    case .storedInstants(let instants):
      storedInstants = instants
      findAheadDevices(at: shard.clock.now)
    }
  }

  private mutating func completeBarriers() {
    let wake = wakes.first()
    for barrier in barriers { barrier(.success(wake)) }
    barriers = []
  }

  /// Closes the queue after a failure, completes the relearnings and removals that have been written, and fails
  /// everything else that is queued, relearning or waiting.
  mutating func close(cause: any Error) async {
    shard.queue.close()
    await relearnings.cancel()
    let end = Shard.end(cause: cause)
    completeMessages(end)
    for request in relearnings.removeAll() + shard.queue.dequeue(atMost: .max).requests { request.fail(end) }
  }

  /// Completes the messages that are left after the end: reports of written work as usual, the others with an error.
  mutating func completeMessages(_ error: any Error) {
    messages += shard.queue.dequeueMessages()
    while let message = messages.popFirst() {
      switch message {
      case .relearned(let outcome) where outcome.error == nil: complete(outcome)
      case .removed(let outcome) where outcome.isWritten: complete(outcome)
      // The requests of the other reports have not been completed, and fail with the rest.
      default: message.fail(error)
      }
    }
    for barrier in barriers { barrier(.failure(error)) }
    for ending in endings { ending.fail(error) }
    (barriers, endings) = ([], [])
  }

  /// The use of each device limit by the loaded device that uses most of it.
  private var limitUses: [LimitUse] {
    Device.quickUses.compactMap { limit, count in
      let fullest = loadedDevices.all.max { left, right in
        (count(left.device), right.device.id) < (count(right.device), left.device.id)
      }
      return fullest.map { LimitUse(limit, count($0.device), holder: $0.device.id.text) }
    }
  }
}

extension ShardLoop {
  /// Processes one batch of requests and wakes.
  private mutating func process(_ arrived: [Request], _ wakes: [(device: DeviceID, at: Instant)]) async throws {
    for wake in wakes where loadedDevices[wake.device] == nil { await load(wake.device, wake: wake.at) }
    for request in arrived where requiresLoad(request) { await load(request.device) }
    guard !postponeWithoutLease(arrived, wakes) else { return }
    let (accepted, blocked) = startLongRequests(arrived)
    // The wake of a relearning device is set again when its relearning ends.
    let due = wakes.filter { !relearnings.isRunning($0.device) }
    defer { for id in blocked { relearnings.unblock(id) } }
    let requests =
      devicesWithStalePolicy.isEmpty
      ? accepted : policyUpdates(on: due.map(\.device) + accepted.map(\.device)) + accepted
    let now = shard.clock.now
    for wake in due where wake.at > .min {
      shard.metrics.wakeLateness.recordMilliseconds(max(0, wake.at.span(to: now).milliseconds))
    }
    shard.metrics.queuedRequests.record(requests.count + shard.queue.count)
    // While writes fail, reloading the devices after each attempt would cost more than copying them.
    var batch = makeBatch(requests, due, at: now, isOnCopies: writeFailure != nil)
    var unfinished: (any Error)?
    if batch.recordCount > 0 {
      #if MUTATION_EARLY_ANSWER
        perform(batch)
        cache(batch)
        _ = try await write(batch)
        return
      #endif
      do {
        unfinished = try await write(batch)
      } catch {
        guard Self.isRecoverable(error) else {
          for request in requests { request.fail(error) }
          throw error
        }
        shard.deviceQuota.leave(batch.created.count)
        report(error, rejecting: batch.events.count)
        #if MUTATION_KEPT_CHANGES
          cache(batch)
        #else
          for origin in batch.origins { await restore(origin) }
        #endif
        batch = makeBatch(requests, due, at: now, writeError: error)
        keepUnrecorded(batch.decisions)
      }
    }
    cache(batch)
    perform(batch, unfinished)
    for id in retried { unreadable[id] = nil }
    retried = []
  }

  func makeBatch(
    _ requests: [Request], _ due: [(device: DeviceID, at: Instant)], at now: Instant, isOnCopies: Bool = false,
    writeError: (any Error)? = nil
  ) -> ShardBatch {
    var batch = ShardBatch(at: now, shard, isOnCopies: isOnCopies, writeError: writeError)
    batch.reserve(requests.count + due.count)
    for wake in due {
      // A device that could not be loaded is skipped.
      guard let loaded = loadedDevices[wake.device] else { continue }
      batch.wake(loaded)
    }
    for request in requests {
      if !unreadable.isEmpty, let error = unreadable[request.device] {
        batch.reject(request, error)
        continue
      }
      batch.apply(request, to: loadedDevices[request.device])
    }
    batch.end()
    return batch
  }

  /// Writes the records of a batch.
  ///
  /// - Returns: The reason why its deletions are unfinished, or `nil`.
  private mutating func write(_ batch: ShardBatch) async throws -> (any Error)? {
    let start = ContinuousClock.now
    let decisions = unrecorded.isEmpty ? batch.decisions : unrecorded + batch.decisions
    var unfinished: (any Error)?
    do {
      try await shard.journal.append(
        created: batch.created, events: batch.events, decisions: decisions, snapshots: batch.snapshots,
        wakeSchedule: batch.wakeSchedule)
    } catch let error as JournalError where error.outcome == .written {
      reportUnfinished(error)
      unfinished = error
    }
    noteWrite()
    shard.metrics.commitDuration.record(duration: start.duration(to: .now))
    shard.metrics.commitRecords.record(batch.recordCount + unrecorded.count)
    unrecorded.removeAll()
    return unfinished
  }

  /// Caches the devices of a batch.
  mutating func cache(_ batch: ShardBatch) {
    let isWritten = batch.writeError == nil && batch.recordCount > 0
    for loaded in batch.devices {
      if isWritten, loaded.isStoredWakeStale { loaded.storedWake = loaded.device.nextWake }
      let isAhead = batch.now.span(to: loaded.device.now) > ClockJumpFilter.jumpMax
      if isAhead || !aheadDevices.isEmpty { aheadDevices[loaded.device.id] = isAhead ? loaded.device.now : nil }
      cache(loaded)
    }
  }

  private mutating func cache(_ loaded: LoadedDevice) {
    let isNew = !loaded.isCached
    loadedDevices.insert(loaded)
    if isNew || loaded.queuedWake != loaded.device.nextWake {
      loaded.queuedWake = loaded.device.nextWake
      wakes.set(loaded.device.id, to: loaded.device.nextWake)
    }
    guard loaded.needsPolicyCheck else { return }
    loaded.needsPolicyCheck = false
    checkPolicy(loaded.device, loaded.device.id)
  }

  func perform(_ batch: ShardBatch, _ unfinished: (any Error)? = nil) {
    for event in batch.traced {
      shard.logger.debug(
        "event committed",
        metadata: [
          "trace_id": "\(event.trace)", "device": "\(event.device)", "sequence": "\(event.sequence)",
          "decisions": "\(event.decisions.map(\.description).joined(separator: ","))",
        ])
    }
    for step in batch.steps {
      switch step {
      case .perform(let actions, let loaded):
        shard.sink.perform(actions, of: loaded.device.id) { loaded.device }
      case .changeLabels(let change, let device): shard.sink.labelsChanged(change, on: device)
      case .changeSurfaces(let device): shard.sink.surfacesChanged(on: device)
      case .observe(let observation, let device): shard.sink.widgetsChanged(observation, on: device)
      case .answer(let answer): answer()
      case .finish(let reply): reply(.success(()))
      case .confirm(let request, let answer):
        if let unfinished { request.fail(unfinished) } else { answer() }
      }
    }
    shard.metrics.events.increment(by: batch.events.count)
    for (kind, counter) in shard.metrics.decisions {
      counter.increment(by: batch.decisions.count { $0.decision.kind == kind })
    }
    shard.metrics.outcomes.add(batch.counters)
    shard.metrics.loadedDevices[shard.index].record(loadedDevices.count)
    shard.metrics.rejections.increment(by: batch.rejectionCount)
  }

  /// Keeps decisions to be recorded later. Decisions follow from durable events, so they are dispatched even while they
  /// cannot be written.
  mutating func keepUnrecorded(_ decisions: [RecordedDecision]) {
    unrecorded += decisions
    let excess = max(0, unrecorded.count - Self.unrecordedDecisionCountMax)
    unrecorded.removeFirst(excess)
    shard.metrics.decisionsUnrecorded.increment(by: excess)
  }

  func reportUnfinished(_ error: any Error) {
    shard.logger.warning("deletion not yet complete", metadata: ["error": "\(error)"])
  }

  /// Notes that a write succeeded.
  mutating func noteWrite() {
    writeFailure = nil
    shard.writeEnded(true)
  }

  mutating func report(_ error: any Error, rejecting count: Int) {
    writeFailure = shard.clock.now
    shard.writeEnded(false)
    shard.metrics.writeFailures.increment()
    shard.logger.error(
      "writing to the journal failed", metadata: ["error": "\(error)", "rejected_events": "\(count)"])
  }
}

extension ShardLoop {
  /// Finds the devices whose clock is ahead when the clock was set back.
  private mutating func checkClock(at now: Instant) {
    if now.span(to: latestTime) > ClockJumpFilter.jumpMax {
      findAheadDevices(at: now)
      latestTime = now
    }
    latestTime = max(latestTime, now)
  }

  private mutating func findAheadDevices(at now: Instant) {
    aheadDevices = [:]
    for (id, instant) in storedInstants where loadedDevices[id] == nil && evictionInstants[id] == nil {
      note(id, at: instant, aheadOf: now)
    }
    for (id, instant) in evictionInstants where loadedDevices[id] == nil { note(id, at: instant, aheadOf: now) }
    for loaded in loadedDevices.all { note(loaded.device.id, at: loaded.device.now, aheadOf: now) }
    recordClockAhead(at: now)
  }

  private mutating func note(_ id: DeviceID, at instant: Instant, aheadOf now: Instant) {
    if now.span(to: instant) > ClockJumpFilter.jumpMax { aheadDevices[id] = instant }
  }

  private func recordClockAhead(at now: Instant) {
    let ahead = aheadDevices.values.max().map { max(0, now.span(to: $0).milliseconds) } ?? 0
    shard.metrics.clockAhead[shard.index].record(ahead / 1_000)
  }

  /// Queues the wakes of the shard's devices, without loading any of them.
  ///
  /// - Parameter shards: The shards of the event loop; `nil` for all.
  mutating func readWakeSchedule(of shards: ShardSet?) async throws {
    var last: DeviceID?
    while shards?.shards.isEmpty != true {
      let page = try await shard.journal.wakeSchedule(
        policy: shard.configuration.policy, of: shards, after: last, count: Self.wakeSchedulePageCountMax)
      guard !page.isEmpty else { return }
      for (id, wake) in page
      where shards != nil || Shard.index(of: id, count: shard.count) == shard.index {
        wakes.set(id, to: wake)
      }
      last = page.last?.device
      try Task.checkCancellation()
    }
  }

  /// Dequeues due devices, at most ``dueLoadCountMax`` of which are not loaded; the others stay due.
  private mutating func dequeueDue(at now: Instant) -> [(device: DeviceID, at: Instant)] {
    var loadCount = 0
    let loadedDevices = loadedDevices
    let due = wakes.dequeueDue(at: now, atMost: Self.wakeCountMax) { id in
      if loadedDevices[id] == nil { loadCount += 1 }
      return loadCount <= Self.dueLoadCountMax
    }
    return due.map { (device: $0.item, at: $0.at) }
  }

  /// Loads a device, if it exists and is not loaded.
  ///
  /// The requests of a device that cannot be loaded are rejected until the next start or, if the failure is transient,
  /// in the current batch. Other devices are not affected.
  private mutating func load(_ id: DeviceID, wake: Instant? = nil) async {
    guard loadedDevices[id] == nil, unreadable[id] == nil else { return }
    let storedWake = wake ?? wakes.instant(of: id)
    do {
      guard let found = try await shard.journal.load(id) else { return }
      if storedWake == .min { shard.reportInvalidWake(of: found.device) }
      let instant = evictionInstants.removeValue(forKey: id)
      cache(
        LoadedDevice(
          found.device.advanced(to: instant), sequence: found.sequence, snapshotSequence: found.sequence,
          storedWake: storedWake))
      keepUnrecorded(found.unrecorded.map { RecordedDecision($0, of: id) })
    } catch {
      handleLoadFailure(id, error)
    }
  }

  private mutating func handleLoadFailure(_ id: DeviceID, _ error: any Error) {
    unreadable[id] = error
    let isTransient = (error as? JournalError)?.isTransient == true
    if isTransient { retried.append(id) }
    wakes.set(id, to: isTransient ? shard.clock.now.advanced(by: Self.failurePause) : nil)
    shard.logger.error("loading a device failed", metadata: ["device": "\(id)", "error": "\(error)"])
  }

  /// Reloads a device whose changes could not be written.
  private mutating func restore(_ origin: ShardBatch.Origin) async {
    let id = origin.device
    do {
      guard let found = try await shard.journal.load(id) else { return loadedDevices.remove(id) }
      // Unrecorded decisions of the device are not kept again: they were recorded, or are kept already.
      cache(
        LoadedDevice(
          found.device.advanced(to: origin.now), sequence: found.sequence, snapshotSequence: origin.snapshotSequence,
          storedWake: origin.storedWake))
    } catch {
      loadedDevices.remove(id)
      evictionInstants[id] = origin.now
      handleLoadFailure(id, error)
    }
  }

  /// Returns whether others can be written after a failed write: see ``JournalError/isRecoverable``.
  static func isRecoverable(_ error: any Error) -> Bool { (error as? JournalError)?.isRecoverable == true }

  /// Returns requests that set the configured policy of the devices whose policy is stale; overrides are not affected.
  mutating func policyUpdates(on devices: [DeviceID]) -> [Request] {
    let (policy, logger) = (shard.configuration.policy, shard.logger)
    return OrderedSet(devices).filter(devicesWithStalePolicy.contains).map { id in
      .submit(id, .policyChanged(policy)) { outcome in
        guard case .failure(let error) = outcome else { return }
        logger.error(
          "updating the policy of a device failed", metadata: ["device": "\(id)", "error": "\(error)"])
      }
    }
  }

  /// Updates ``devicesWithStalePolicy`` for a loaded device.
  private mutating func checkPolicy(_ device: borrowing Device, _ id: DeviceID) {
    if device.configuredPolicy != shard.configuration.policy {
      devicesWithStalePolicy.insert(id)
    } else if !devicesWithStalePolicy.isEmpty {
      devicesWithStalePolicy.remove(id)
    }
  }

  /// Evicts idle devices while the cache exceeds its limit. They are reloaded when they are due or requested.
  private mutating func evictIdle() async throws {
    let countMax = max(1, shard.configuration.cachedDeviceCountMax / shard.count)
    if let writeFailure, (.zero..<Self.failurePause).contains(writeFailure.span(to: shard.clock.now)) { return }
    while loadedDevices.count >= countMax + min(countMax, Self.snapshotBatchCountMax) {
      // A reload returns the device's unrecorded decisions, which would then be kept twice.
      if !unrecorded.isEmpty { guard try await write() else { return } }
      let candidates = loadedDevices.dequeueIdle(min(loadedDevices.count - countMax, Self.snapshotBatchCountMax))
      loadedDevices.requeue(candidates.filter { relearnings.isRunning($0.device.id) })
      let idle = candidates.filter { !relearnings.isRunning($0.device.id) }
      guard !idle.isEmpty else { return }
      let changed = idle.filter { $0.isSnapshotDueAtEnd(shard.configuration) }
      let stale = idle.filter(\.isStoredWakeStale).map(\.scheduledWake)
      if !changed.isEmpty || !stale.isEmpty {
        guard try await write(snapshots: changed.map(\.snapshot), wakeSchedule: stale) else {
          return loadedDevices.requeue(idle)
        }
      }
      for loaded in idle { evictionInstants[loaded.device.id] = loaded.device.now }
      loadedDevices.evict(idle)
    }
  }

  /// Writes a snapshot of every device whose events since the last snapshot justify one, so that the next load is fast,
  /// and updates the wake schedule.
  ///
  /// - Parameter devices: The devices, in order.
  mutating func finish(_ devices: [LoadedDevice]) async throws {
    // Decisions are recorded with the first write, or by themselves.
    if !unrecorded.isEmpty { guard try await write() else { return } }
    let changed = devices.filter { $0.isSnapshotDueAtEnd(shard.configuration) }
    for start in stride(from: 0, to: changed.count, by: Self.snapshotBatchCountMax) {
      let batch = changed[start...].prefix(Self.snapshotBatchCountMax)
      guard try await write(snapshots: batch.map(\.snapshot)) else { return }
    }
    let stale = devices.filter(\.isStoredWakeStale).map(\.scheduledWake)
    for start in stride(from: 0, to: stale.count, by: Self.batchRequestCountMax) {
      guard try await write(wakeSchedule: Array(stale[start...].prefix(Self.batchRequestCountMax))) else { return }
    }
  }

  /// Writes snapshots and updates of the wake schedule, and returns whether they were written. If not, the next start
  /// replays the events, which are durable.
  private mutating func write(
    snapshots: [DeviceSnapshot] = [], wakeSchedule: [ScheduledWake] = []
  ) async throws -> Bool {
    do {
      try await shard.journal.append(
        created: [], events: [], decisions: unrecorded, snapshots: snapshots, wakeSchedule: wakeSchedule)
      writeFailure = nil
      unrecorded.removeAll()
      return true
    } catch {
      guard Self.isRecoverable(error) else { throw error }
      report(error, rejecting: 0)
      return false
    }
  }
}

extension Device {
  /// Returns the device advanced to `instant`, if that is later. Actions are discarded, because they were performed
  /// before.
  fileprivate consuming func advanced(to instant: Instant?) -> Device {
    guard let instant, instant > now else { return self }
    var device = self
    _ = device.advance(to: instant)
    return device
  }
}
