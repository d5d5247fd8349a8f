import Logging
import MarqueeModel
import MarqueeScheduler

/// The devices of a shard and what happens to them, one turn after another.
///
/// A turn takes what waits, makes drafts, writes, and only then lets the drafts hold, performs actions and answers, in
/// the order of the requests. When the write fails, the drafts are dropped: what is not durable never happened.
struct ShardLoop {
  /// Devices woken in one turn, at most.
  static let wakeCountMax = 1_024
  /// Requests taken in one turn, at most.
  static let turnRequestCountMax = 1_024
  /// Decisions kept to be recorded later, at most; beyond it, the oldest rows are given up.
  static let unrecordedDecisionCountMax = 4_096
  /// Snapshots in one write when the runtime stops.
  static let snapshotBatchCountMax = 64

  private let shard: Shard
  private var residents: [DeviceID: Resident] = [:]
  private var wakes = WakeQueue()
  /// Why devices that the journal knows could not be loaded.
  private var unreadable: [DeviceID: any Error] = [:]
  /// Decisions that have been shown while the journal could not be written.
  private var unrecorded: [(device: DeviceID, decision: Decision)] = []
  /// Who waits until whatever is due has been done.
  private var settlements: [Inbox.Settlement] = []

  init(_ shard: Shard) {
    self.shard = shard
  }

  mutating func run() async throws {
    try await load()
    try await adoptPolicy()
    while true {
      try Task.checkCancellation()
      settlements += shard.inbox.takeSettlements()
      let (requests, isClosed) = shard.inbox.take(atMost: Self.turnRequestCountMax)
      // The time is read after those who wait for a settlement came, so that nothing due for them is left out.
      let due = wakes.takeDue(at: shard.clock.now, atMost: Self.wakeCountMax)
      let isIdle = requests.isEmpty && due.isEmpty
      if !isIdle { try await turn(requests, due) }
      if due.count < Self.wakeCountMax { settle() }
      guard isIdle else { continue }
      if isClosed { break }
      await wait(until: wakes.first())
    }
    try await writeSnapshots()
  }

  /// Answers who waits until whatever is due has been done: now it has.
  private mutating func settle() {
    let wake = wakes.first()
    for settlement in settlements { settlement(.success(wake)) }
    settlements = []
  }

  /// Answers who still waits after the end.
  mutating func refuseSettlements(_ error: any Error) {
    for settlement in settlements + shard.inbox.takeSettlements() { settlement(.failure(error)) }
    settlements = []
  }

  private func wait(until wake: Instant?) async {
    let (inbox, clock) = (shard.inbox, shard.clock)
    guard let wake else { return await inbox.arrival() }
    await withTaskGroup { group in
      group.addTask { await inbox.arrival() }
      // It throws only when it is cancelled, which is how the arrival of a request ends it.
      group.addTask { try? await clock.sleep(until: wake) }
      await group.next()
      group.cancelAll()
    }
  }
}

extension ShardLoop {
  private mutating func turn(_ requests: [Request], _ due: [(device: DeviceID, at: Instant)]) async throws {
    let now = shard.clock.now
    for wake in due { shard.metrics.wakeLateness.recordMilliseconds(max(0, wake.at.span(to: now).milliseconds)) }
    shard.metrics.queuedRequests.record(requests.count + shard.inbox.count)
    var turn = draft(requests, due, at: now)
    if turn.recordCount > 0 {
      do {
        try await write(turn)
      } catch {
        guard shard.journal.isTransient(error) else {
          for request in requests { request.fail(error) }
          throw error
        }
        report(error, refusing: turn.events.count)
        turn = draft(requests, due, at: now, obstacle: error)
        keepUnrecorded(turn.decisions)
      }
    }
    hold(turn)
    perform(turn)
  }

  private func draft(
    _ requests: [Request], _ due: [(device: DeviceID, at: Instant)], at now: Instant, obstacle: (any Error)? = nil
  ) -> Turn {
    var turn = Turn(at: now, shard.configuration, obstacle: obstacle)
    for wake in due {
      if let resident = residents[wake.device] { turn.adopt(resident) }
      turn.wake(wake.device)
    }
    for request in requests {
      if let error = unreadable[request.device] {
        turn.refuse(request, error)
        continue
      }
      if let resident = residents[request.device] { turn.adopt(resident) }
      turn.take(request)
    }
    return turn
  }

  private mutating func write(_ turn: Turn) async throws {
    let start = ContinuousClock.now
    try await shard.journal.append(
      created: turn.created, events: turn.events, decisions: unrecorded + turn.decisions, snapshots: turn.snapshots)
    shard.metrics.commitDuration.record(duration: start.duration(to: .now))
    shard.metrics.commitRecords.record(turn.recordCount + unrecorded.count)
    unrecorded.removeAll()
  }

  private mutating func hold(_ turn: Turn) {
    for (id, resident) in turn.drafts {
      residents[id] = resident
      wakes.set(id, to: resident.device.nextWake)
    }
  }

  private func perform(_ turn: Turn) {
    for step in turn.steps {
      switch step {
      case .perform(let actions, let device): shard.sink.perform(actions, of: device)
      case .answer(let answer): answer()
      }
    }
    shard.metrics.events.increment(by: turn.events.count)
    shard.metrics.decisions.increment(by: turn.decisions.count)
    shard.metrics.refusals.increment(by: turn.refusalCount)
  }

  /// Decisions follow from what is durable, so they are shown even while no row can be written of them.
  private mutating func keepUnrecorded(_ decisions: [(device: DeviceID, decision: Decision)]) {
    unrecorded += decisions
    let excess = max(0, unrecorded.count - Self.unrecordedDecisionCountMax)
    unrecorded.removeFirst(excess)
    shard.metrics.decisionsUnrecorded.increment(by: excess)
  }

  private func report(_ error: any Error, refusing count: Int) {
    shard.metrics.writeFailures.increment()
    shard.logger.error(
      "the journal could not be written", metadata: ["error": "\(error)", "refused_events": "\(count)"])
  }
}

extension ShardLoop {
  private mutating func load() async throws {
    var last: DeviceID?
    while true {
      let page = try await shard.journal.devices(after: last, count: 1_000)
      guard !page.isEmpty else { return }
      for id in page where Shard.index(of: id, count: shard.count) == shard.index {
        try Task.checkCancellation()
        await load(id)
      }
      last = page.last
    }
  }

  /// Loads a device. One that cannot be read is refused until the next start; the others go on.
  private mutating func load(_ id: DeviceID) async {
    do {
      guard let found = try await shard.journal.load(id) else { return }
      residents[id] = Resident(
        device: found.device, sequence: found.sequence, snapshotSequence: found.sequence)
      wakes.set(id, to: found.device.nextWake)
      keepUnrecorded(found.unrecorded.map { (id, $0) })
    } catch {
      unreadable[id] = error
      shard.logger.error("a device could not be loaded", metadata: ["device": "\(id)", "error": "\(error)"])
    }
  }

  /// Journals the configured policy for every device that knows another one; its own numbers stay.
  private mutating func adoptPolicy() async throws {
    let (policy, logger) = (shard.configuration.policy, shard.logger)
    let others = residents.values.filter { $0.device.configuredPolicy != policy }.map(\.device.id).sorted()
    for start in stride(from: 0, to: others.count, by: Self.turnRequestCountMax) {
      let requests = others[start...].prefix(Self.turnRequestCountMax).map { id in
        Request.submit(id, .policyChanged(policy)) { outcome in
          guard case .failure(let error) = outcome else { return }
          logger.error("a device keeps its old policy", metadata: ["device": "\(id)", "error": "\(error)"])
        }
      }
      try await turn(requests, [])
    }
  }

  /// Writes a snapshot of every device that had events since it was loaded or saved, so that loading is quick.
  private mutating func writeSnapshots() async throws {
    let changed = residents.values.filter { $0.sequence > $0.snapshotSequence }
      .sorted { $0.device.id < $1.device.id }
    for start in stride(from: 0, to: changed.count, by: Self.snapshotBatchCountMax) {
      let batch = changed[start...].prefix(Self.snapshotBatchCountMax)
      do {
        try await shard.journal.append(
          created: [], events: [], decisions: unrecorded, snapshots: batch.map { ($0.sequence, $0.device) })
        unrecorded.removeAll()
      } catch {
        guard shard.journal.isTransient(error) else { throw error }
        // The events are durable; the next start replays them.
        return report(error, refusing: 0)
      }
    }
  }
}
