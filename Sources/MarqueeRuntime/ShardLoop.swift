import Logging
import MarqueeModel
import MarqueeScheduler
import OrderedCollections

/// The devices of a shard and what happens to them, one turn after another.
///
/// A turn takes what waits, changes devices, writes, and only then performs actions and answers, in the order of the
/// requests. When the write fails, the devices are loaded as they were: what is not durable never happened.
struct ShardLoop {
  /// Devices woken in one turn, at most.
  static let wakeCountMax = 1_024
  /// Requests taken in one turn, at most.
  static let turnRequestCountMax = 1_024
  /// Decisions kept to be recorded later, at most; beyond it, the oldest rows are given up.
  static let unrecordedDecisionCountMax = 4_096
  /// Snapshots in one write when devices are let go, or the runtime stops.
  static let snapshotBatchCountMax = 64
  /// Devices that are loaded in one turn because they are due, at most: those who ask wait no longer than for these.
  static let dueLoadCountMax = 16
  /// How long after a failure that may pass a device that is due is tried to be loaded again, or others to be let go.
  static let failurePause = TimeSpan.seconds(1)
  /// Devices of the agenda that are read at a time.
  static let agendaPageCountMax = 10_000

  private let shard: Shard
  private var residents = Residents()
  /// Up to when the devices that were let go have been brought: what was due by then has been done.
  private var reached: [DeviceID: Instant] = [:]
  /// When nothing could be written; `nil` once something could.
  private var writeFailure: Instant?
  /// Those of ``residents`` that know another policy than the configured one.
  private var foreign: Set<DeviceID> = []
  private var wakes = WakeQueue()
  /// Why devices that the journal knows could not be loaded.
  private var unreadable: [DeviceID: any Error] = [:]
  /// Of these, the ones that are worth another attempt after the present turn.
  private var retried: [DeviceID] = []
  /// Decisions that have been shown while the journal could not be written.
  private var unrecorded: [(device: DeviceID, decision: Decision)] = []
  /// Who waits until whatever is due has been done.
  private var settlements: [Inbox.Settlement] = []

  init(_ shard: Shard) {
    self.shard = shard
  }

  mutating func run() async throws {
    var alarm = Alarm(shard.inbox, shard.clock)
    defer { alarm.clear() }
    try await readAgenda()
    while true {
      try Task.checkCancellation()
      settlements += shard.inbox.takeSettlements()
      for survey in shard.inbox.takeSurveys() { survey(.success(limitUses)) }
      let (requests, isClosed) = shard.inbox.take(atMost: Self.turnRequestCountMax)
      // The time is read after those who wait for a settlement came, so that nothing due for them is left out.
      let now = shard.clock.now
      let due = takeDue(at: now)
      let isIdle = requests.isEmpty && due.isEmpty
      if !isIdle { try await turn(requests, due) }
      try await releaseIdle()
      if wakes.first().map({ $0 > now }) ?? true { settle() }
      guard isIdle else { continue }
      if isClosed { break }
      alarm.set(to: wakes.first())
      await shard.inbox.arrival()
    }
    try await finish()
  }

  /// Answers who waits until whatever is due has been done: now it has.
  private mutating func settle() {
    let wake = wakes.first()
    for settlement in settlements { settlement(.success(wake)) }
    settlements = []
  }

  /// Answers who still waits after the end.
  mutating func refuseWaiting(_ error: any Error) {
    for settlement in settlements + shard.inbox.takeSettlements() { settlement(.failure(error)) }
    settlements = []
    for survey in shard.inbox.takeSurveys() { survey(.failure(error)) }
  }

  /// How much the devices in memory use of their limits, by the one that uses most.
  private var limitUses: [LimitUse] {
    Device.quickUses.compactMap { limit, count in
      let fullest = residents.all.max { left, right in
        (count(left.device), right.device.id) < (count(right.device), left.device.id)
      }
      return fullest.map { LimitUse(limit, count($0.device), holder: $0.device.id.text) }
    }
  }
}

extension ShardLoop {
  private mutating func turn(_ asked: [Request], _ due: [(device: DeviceID, at: Instant)]) async throws {
    for wake in due where residents[wake.device] == nil { await load(wake.device, wake: wake.at) }
    for request in asked where residents[request.device] == nil { await load(request.device) }
    let requests = foreign.isEmpty ? asked : adoptions(on: due.map(\.device) + asked.map(\.device)) + asked
    let now = shard.clock.now
    for wake in due where wake.at > .min {
      shard.metrics.wakeLateness.recordMilliseconds(max(0, wake.at.span(to: now).milliseconds))
    }
    shard.metrics.queuedRequests.record(requests.count + shard.inbox.count)
    // To load devices again each time would cost more than to copy them.
    var turn = turn(requests, due, at: now, isOnCopies: writeFailure != nil)
    if turn.recordCount > 0 {
      #if PLANTED_EARLY_ANSWER
        perform(turn)
        hold(turn)
        return try await write(turn)
      #endif
      do {
        try await write(turn)
      } catch {
        guard shard.journal.isTransient(error) else {
          for request in requests { request.fail(error) }
          throw error
        }
        shard.population.leave(turn.created.count)
        report(error, refusing: turn.events.count)
        #if PLANTED_KEPT_CHANGES
          hold(turn)
        #else
          for origin in turn.origins { await restore(origin) }
        #endif
        turn = self.turn(requests, due, at: now, obstacle: error)
        keepUnrecorded(turn.decisions)
      }
    }
    hold(turn)
    perform(turn)
    for id in retried { unreadable[id] = nil }
    retried = []
  }

  private func turn(
    _ requests: [Request], _ due: [(device: DeviceID, at: Instant)], at now: Instant, isOnCopies: Bool = false,
    obstacle: (any Error)? = nil
  ) -> Turn {
    var turn = Turn(at: now, shard.configuration, shard.population, isOnCopies: isOnCopies, obstacle: obstacle)
    turn.reserve(requests.count + due.count)
    for wake in due {
      // One that could not be loaded stays as it is.
      guard let resident = residents[wake.device] else { continue }
      turn.wake(resident)
    }
    for request in requests {
      if !unreadable.isEmpty, let error = unreadable[request.device] {
        turn.refuse(request, error)
        continue
      }
      turn.take(request, residents[request.device])
    }
    turn.end()
    return turn
  }

  private mutating func write(_ turn: Turn) async throws {
    let start = ContinuousClock.now
    let decisions = unrecorded.isEmpty ? turn.decisions : unrecorded + turn.decisions
    try await shard.journal.append(
      created: turn.created, events: turn.events, decisions: decisions, snapshots: turn.snapshots, agenda: turn.agenda)
    writeFailure = nil
    shard.writeEnded(true)
    shard.metrics.commitDuration.record(duration: start.duration(to: .now))
    shard.metrics.commitRecords.record(turn.recordCount + unrecorded.count)
    unrecorded.removeAll()
  }

  private mutating func hold(_ turn: Turn) {
    let isWritten = turn.obstacle == nil && turn.recordCount > 0
    for resident in turn.residents {
      if isWritten, resident.isAgendaStale { resident.agendaWake = resident.device.nextWake }
      hold(resident)
    }
  }

  private mutating func hold(_ resident: Resident) {
    let isNew = !resident.isHeld
    residents.hold(resident)
    if isNew || resident.queuedWake != resident.device.nextWake {
      resident.queuedWake = resident.device.nextWake
      wakes.set(resident.device.id, to: resident.device.nextWake)
    }
    guard resident.isPolicyNews else { return }
    resident.isPolicyNews = false
    notePolicy(resident.device, resident.device.id)
  }

  private func perform(_ turn: Turn) {
    for event in turn.traced {
      shard.logger.debug(
        "an event is durable",
        metadata: [
          "trace_id": "\(event.trace)", "device": "\(event.device)", "sequence": "\(event.sequence)",
          "decisions": "\(event.decisions.map(\.description).joined(separator: ","))",
        ])
    }
    for step in turn.steps {
      switch step {
      case .perform(let actions, let device): shard.sink.perform(actions, of: device)
      case .answer(let answer): answer()
      case .finish(let reply): reply(.success(()))
      }
    }
    shard.metrics.events.increment(by: turn.events.count)
    let suggestionCount = turn.decisions.count { $0.decision.kind == .suggestion }
    shard.metrics.suggestions.increment(by: suggestionCount)
    shard.metrics.rotations.increment(by: turn.decisions.count - suggestionCount)
    shard.metrics.outcomes.add(turn.tally)
    shard.metrics.loadedDevices[shard.index].record(residents.count)
    shard.metrics.refusals.increment(by: turn.refusalCount)
  }

  /// Decisions follow from what is durable, so they are shown even while no row can be written of them.
  private mutating func keepUnrecorded(_ decisions: [(device: DeviceID, decision: Decision)]) {
    unrecorded += decisions
    let excess = max(0, unrecorded.count - Self.unrecordedDecisionCountMax)
    unrecorded.removeFirst(excess)
    shard.metrics.decisionsUnrecorded.increment(by: excess)
  }

  private mutating func report(_ error: any Error, refusing count: Int) {
    writeFailure = shard.clock.now
    shard.writeEnded(false)
    shard.metrics.writeFailures.increment()
    shard.logger.error(
      "the journal could not be written", metadata: ["error": "\(error)", "refused_events": "\(count)"])
  }
}

extension ShardLoop {
  /// Sets the wakes of the shard's devices, none of which is loaded for that.
  private mutating func readAgenda() async throws {
    var last: DeviceID?
    while true {
      let page = try await shard.journal.agenda(
        policy: shard.configuration.policy, after: last, count: Self.agendaPageCountMax)
      guard !page.isEmpty else { return }
      for (id, wake) in page where Shard.index(of: id, count: shard.count) == shard.index { wakes.set(id, to: wake) }
      last = page.last?.device
      try Task.checkCancellation()
    }
  }

  /// The devices that are due, but of those that must be loaded only so many; the others stay due.
  private mutating func takeDue(at now: Instant) -> [(device: DeviceID, at: Instant)] {
    var loadCount = 0
    let residents = residents
    return wakes.takeDue(at: now, atMost: Self.wakeCountMax) { id in
      if residents[id] == nil { loadCount += 1 }
      return loadCount <= Self.dueLoadCountMax
    }
  }

  /// Loads a device unless it is there, or is none. One that cannot be read is refused until the next start, or for now
  /// when that may pass; the others go on.
  private mutating func load(_ id: DeviceID, wake: Instant? = nil) async {
    guard residents[id] == nil, unreadable[id] == nil else { return }
    let agendaWake = wake ?? wakes.instant(of: id)
    do {
      guard let found = try await shard.journal.load(id) else { return }
      let instant = reached.removeValue(forKey: id)
      hold(
        Resident(
          found.device.advanced(to: instant), sequence: found.sequence, snapshotSequence: found.sequence,
          agendaWake: agendaWake))
      keepUnrecorded(found.unrecorded.map { (id, $0) })
    } catch {
      noteUnreadable(id, error)
    }
  }

  private mutating func noteUnreadable(_ id: DeviceID, _ error: any Error) {
    unreadable[id] = error
    let mayPass = shard.journal.isTransient(error)
    if mayPass { retried.append(id) }
    wakes.set(id, to: mayPass ? shard.clock.now.advanced(by: Self.failurePause) : nil)
    shard.logger.error("a device could not be loaded", metadata: ["device": "\(id)", "error": "\(error)"])
  }

  /// Takes back what a turn changed of a device that could not be written.
  private mutating func restore(_ origin: Turn.Origin) async {
    let id = origin.device
    do {
      guard let found = try await shard.journal.load(id) else { return residents.drop(id) }
      // Its decisions were shown, and are recorded or wait to be.
      hold(
        Resident(
          found.device.advanced(to: origin.now), sequence: found.sequence, snapshotSequence: origin.snapshotSequence,
          agendaWake: origin.agendaWake))
    } catch {
      residents.drop(id)
      reached[id] = origin.now
      noteUnreadable(id, error)
    }
  }

  /// What journals the configured policy for those devices that know another one; their own numbers stay.
  private mutating func adoptions(on devices: [DeviceID]) -> [Request] {
    let (policy, logger) = (shard.configuration.policy, shard.logger)
    return OrderedSet(devices).filter(foreign.contains).map { id in
      .submit(id, .policyChanged(policy)) { outcome in
        guard case .failure(let error) = outcome else { return }
        logger.error("a device keeps its old policy", metadata: ["device": "\(id)", "error": "\(error)"])
      }
    }
  }

  /// Notes whether the device in memory knows another policy than the configured one.
  private mutating func notePolicy(_ device: borrowing Device, _ id: DeviceID) {
    if device.configuredPolicy != shard.configuration.policy {
      foreign.insert(id)
    } else if !foreign.isEmpty {
      foreign.remove(id)
    }
  }

  /// Lets go of devices to which nothing happened for a while when more are in memory than are to be kept. They are
  /// loaded again when they are due or asked for.
  private mutating func releaseIdle() async throws {
    let countMax = max(1, shard.configuration.loadedDeviceCountMax / shard.count)
    if let writeFailure, (.zero..<Self.failurePause).contains(writeFailure.span(to: shard.clock.now)) { return }
    // Whoever loads a device finds its decisions that no row tells of, which then would be kept twice.
    while residents.count >= countMax + min(countMax, Self.snapshotBatchCountMax), unrecorded.isEmpty {
      let idle = residents.takeIdle(min(residents.count - countMax, Self.snapshotBatchCountMax))
      let changed = idle.filter { $0.sequence > $0.snapshotSequence }
      let stale = idle.filter(\.isAgendaStale).map(\.appointment)
      if !changed.isEmpty || !stale.isEmpty {
        guard try await write(snapshots: changed.map { ($0.sequence, $0.device) }, agenda: stale) else {
          return residents.keep(idle)
        }
      }
      for resident in idle { reached[resident.device.id] = resident.device.now }
      residents.release(idle)
    }
  }

  /// Writes a snapshot of every device that had events since it was loaded or saved, so that loading is quick, and lets
  /// the agenda learn what it has to.
  private mutating func finish() async throws {
    let residents = residents.all.sorted { $0.device.id < $1.device.id }
    let changed = residents.filter { $0.sequence > $0.snapshotSequence }
    for start in stride(from: 0, to: changed.count, by: Self.snapshotBatchCountMax) {
      let batch = changed[start...].prefix(Self.snapshotBatchCountMax)
      guard try await write(snapshots: batch.map { ($0.sequence, $0.device) }) else { return }
    }
    let stale = residents.filter(\.isAgendaStale).map(\.appointment)
    for start in stride(from: 0, to: stale.count, by: Self.turnRequestCountMax) {
      guard try await write(agenda: Array(stale[start...].prefix(Self.turnRequestCountMax))) else { return }
    }
  }

  /// Says whether it was written. If not, the events are durable all the same; the next start replays them.
  private mutating func write(
    snapshots: [(sequence: UInt64, device: Device)] = [], agenda: [Appointment] = []
  ) async throws -> Bool {
    do {
      try await shard.journal.append(
        created: [], events: [], decisions: unrecorded, snapshots: snapshots, agenda: agenda)
      writeFailure = nil
      unrecorded.removeAll()
      return true
    } catch {
      guard shard.journal.isTransient(error) else { throw error }
      report(error, refusing: 0)
      return false
    }
  }
}

extension Device {
  /// The same at `instant`, if that is later; what it does by then has been done before.
  fileprivate consuming func advanced(to instant: Instant?) -> Device {
    guard let instant, instant > now else { return self }
    var device = self
    _ = device.advance(to: instant)
    return device
  }
}
