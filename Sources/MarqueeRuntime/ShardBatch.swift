import MarqueeModel
import MarqueeScheduler
import MarqueeTimeZones

/// An event that belongs to a trace.
struct TracedEvent: Sendable {
  let trace: String
  let device: DeviceID
  /// The sequence of the event.
  let sequence: UInt64
  /// The numbers of the decisions that the event caused immediately.
  let decisions: [UInt64]
}

/// The result of applying wakes and requests in one iteration of the shard's loop: the changed devices, the records to
/// write, and the steps to perform once the records are durable.
struct ShardBatch {
  /// A device's position before the batch changed it.
  struct Origin {
    let device: DeviceID
    let now: Instant
    let snapshotSequence: UInt64
    let storedWake: Instant?

    init(_ loaded: LoadedDevice) {
      device = loaded.device.id
      now = loaded.device.now
      snapshotSequence = loaded.snapshotSequence
      storedWake = loaded.storedWake
    }
  }

  /// A step to perform once the records are durable.
  enum Step {
    /// Dispatches a device's actions to the sink.
    case perform([Action], LoadedDevice)
    /// Reports a change of the labels of a device's widgets to the sink.
    case changeLabels(LabelChange, DeviceID)
    /// Reports a change of a device's surfaces to the sink.
    case changeSurfaces(DeviceID)
    /// Reports the placed widgets of a device to the sink.
    case observe(WidgetObservation, DeviceID)
    /// Calls a completion handler.
    case answer(@Sendable () -> Void)
    /// Completes a request with success.
    case finish(Request.Reply<Void>)
    /// Completes a deletion or removal, unless it is unfinished.
    case confirm(Request, answer: @Sendable () -> Void)
  }

  /// The reason why nothing can be written, if any. Requests that write are then rejected with it, and only time
  /// advances.
  let writeError: (any Error)?
  /// Whether the batch changes copies of the loaded devices, which costs more but leaves nothing to reload.
  private let isOnCopies: Bool
  let now: Instant
  private let configuration: Runtime.Configuration
  private let deviceQuota: DeviceQuota
  private let sink: any ActionSink
  /// The indices of the devices that a request of this batch makes the sink observe: it does so once the batch is
  /// durable.
  private var newlyObserved: Set<Int> = []

  /// The devices of the batch, in the order of their first use.
  private(set) var devices: [LoadedDevice] = []
  /// The cached devices that are part of the batch. They differ from ``devices`` if those are copies.
  private var cachedDevices: [LoadedDevice] = []
  /// The positions of the cached devices before the batch, if it changes them in place.
  private(set) var origins: [Origin] = []
  /// The indices of the devices that the batch registers.
  private var createdIndices: [DeviceID: Int] = [:]
  private(set) var created: [Device] = []
  private(set) var events: [JournalEntry] = []
  private(set) var decisions: [RecordedDecision] = []
  private(set) var snapshots: [DeviceSnapshot] = []
  private(set) var steps: [Step] = []
  private(set) var rejectionCount = 0
  /// The events that belong to traces.
  private(set) var traced: [TracedEvent] = []
  /// The decisions, the blocked decisions, and the outcomes of earlier decisions.
  private(set) var counters = DecisionCounters()

  init(
    at now: Instant, _ shard: Shard, isOnCopies: Bool, writeError: (any Error)?
  ) {
    self.now = now
    self.isOnCopies = isOnCopies
    configuration = shard.configuration
    deviceQuota = shard.deviceQuota
    sink = shard.sink
    self.writeError = writeError
  }

  /// The number of records to write.
  var recordCount: Int { created.count + events.count + decisions.count + snapshots.count }

  /// The updates of the wake schedule after all records.
  var wakeSchedule: [ScheduledWake] { devices.filter(\.isStoredWakeStale).map(\.scheduledWake) }

  /// Reserves capacity for `count` requests and wakes.
  mutating func reserve(_ count: Int) {
    devices.reserveCapacity(count)
    origins.reserveCapacity(count)
    cachedDevices.reserveCapacity(count)
    events.reserveCapacity(count)
    steps.reserveCapacity(2 * count)
  }

  /// Advances a device to the current time, and renews its UTC offsets, since a device may have no events for years.
  mutating func wake(_ loaded: LoadedDevice) {
    let index = index(of: loaded)
    advance(index)
    guard writeError == nil, let offsets = Self.offsetsToRenew(&loaded.device) else { return }
    apply(.utcOffsetsLearned(offsets), index)
  }

  /// Applies a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - loaded: The cached device of the request, or `nil` if there was none before the batch.
  mutating func apply(_ request: Request, to loaded: LoadedDevice?) {
    switch (request, index(of: request.device, loaded)) {
    case (.register(_, _, let reply), .some):
      steps.append(.answer { reply(.success(false)) })
    case (.register(let id, let zone, let reply), nil):
      if let writeError { return reject(request, writeError) }
      do throws(RequestError) { try deviceQuota.join() } catch { return reject(request, error) }
      create(id, zone)
      steps.append(.answer { reply(.success(true)) })
    case (.submit(_, let event, let inspection, let trace, let reply), .some(let index)):
      if let writeError { return reject(request, writeError) }
      advance(index)
      let limits = configuration.limits
      for trim in Self.room(for: event, in: &devices[index].device, limits) { apply(trim, index) }
      do {
        try Self.check(event, on: &devices[index].device, limits)
        if Self.isUnchanged(&devices[index].device, by: event) {
          let answer = inspection.flatMap { $0.body(devices[index].device) }
          steps.append(answer.map { .answer($0) } ?? .finish(reply))
          return
        }
        try checkWrite(event, index)
      } catch {
        return reject(request, error)
      }
      let required = Self.offsets(requiredBy: event, &devices[index].device)
      if let required { apply(.utcOffsetsLearned(required), index) }
      var answer = inspection.flatMap { $0.moment == .beforeEvent ? $0.body(devices[index].device) : nil }
      let decisionCount = decisions.count
      apply(event, index)
      applyImplied(by: event, index)
      if let inspection, inspection.moment == .afterEvent { answer = inspection.body(devices[index].device) }
      if let trace { record(trace, index, decisions[decisionCount...].map(\.decision.number)) }
      if let offsets = Self.offsetsToRenew(&devices[index].device) { apply(.utcOffsetsLearned(offsets), index) }
      if event.isRedacted {
        steps.append(.confirm(request, answer: answer ?? { reply(.success(())) }))
      } else {
        steps.append(answer.map { .answer($0) } ?? .finish(reply))
      }
    case (.read(_, let reply), .some(let index)), (.observe(_, let reply), .some(let index)):
      advance(index)
      if case .observe = request { newlyObserved.insert(index) }
      let device = devices[index].device
      steps.append(.answer { reply(.success(device)) })
    case (.resetClock(_, let reply), .some(let index)):
      if let writeError { return reject(request, writeError) }
      do throws(RequestError) {
        let before = try resetClock(index)
        steps.append(.answer { [now] in reply(.success((before, now))) })
      } catch {
        reject(request, error)
      }
    case (.remove, _):
      preconditionFailure("a removal is no part of a batch: see ShardLoop.startRemoval(_:)")
    case (.submit, nil), (.resetClock, nil), (.read, nil), (.observe, nil):
      reject(request, RequestError(.notFound, field: "device", "no device of this name"))
    }
  }

  // These functions take the device as `inout`: reading it in place through the class reference would copy it.

  private static func room(for event: Event, in device: inout Device, _ limits: Limits) -> [Event] {
    device.makingRoom(for: event, limits: limits)
  }

  private static func check(_ event: Event, on device: inout Device, _ limits: Limits) throws(RequestError) {
    try device.check(event, limits: limits)
    try device.checkNew(event)
  }

  private static func isUnchanged(_ device: inout Device, by event: Event) -> Bool { device.isUnchanged(by: event) }

  private static func offsets(requiredBy event: Event, _ device: inout Device) -> UTCOffsets? {
    device.offsets(requiredBy: event)
  }

  private static func offsetsToRenew(_ device: inout Device) -> UTCOffsets? { device.offsetsToRenew }

  private static func donation(impliedBy event: Event, on device: inout Device) -> Event? {
    device.donation(impliedBy: event)
  }

  private static func tap(reportedBy event: Event, on device: inout Device) -> WidgetEvent? {
    device.tap(reportedBy: event)
  }

  private static func labelChange(by event: Event, on device: inout Device) -> LabelChange? {
    device.labelChange(by: event)
  }

  private static func observation(of device: inout Device, _ tap: WidgetEvent?) -> WidgetObservation {
    device.observation(tap: tap)
  }

  /// Restates the device's time, and returns its time before.
  ///
  /// The restatement gets the sequence of an event that changes nothing, and a snapshot after that event.
  private mutating func resetClock(_ index: Int) throws(RequestError) -> Instant {
    advance(index)
    let loaded = devices[index]
    let before = loaded.device.now
    guard before > now else {
      throw RequestError(.failedPrecondition, field: "device", "the device's clock is not ahead of the server's")
    }
    try checkSnapshot(loaded)
    // Changes nothing, and is reported to surfaces, which then read the restated time.
    apply(.developerModeChanged(loaded.device.isDeveloperModeOn), index)
    append(loaded.device.restateTime(at: now), of: loaded)
    if isObserved(index) { observe(index) }
    loaded.snapshotSequence = loaded.sequence
    loaded.storedWake = .min
    snapshots.append(loaded.snapshot)
    if let offsets = Self.offsetsToRenew(&loaded.device) { apply(.utcOffsetsLearned(offsets), index) }
    (loaded.writes, loaded.relearnings) = (AppBudgets(), AppBudgets())
    return before
  }

  private mutating func index(of id: DeviceID, _ loaded: LoadedDevice?) -> Int? {
    if let loaded { return index(of: loaded) }
    return createdIndices.isEmpty ? nil : createdIndices[id]
  }

  /// Returns the device's index in the batch, and adds it to the batch if necessary.
  private mutating func index(of loaded: LoadedDevice) -> Int {
    if let index = loaded.batchIndex { return index }
    loaded.batchIndex = devices.count
    cachedDevices.append(loaded)
    if isOnCopies {
      devices.append(loaded.copy())
    } else {
      origins.append(Origin(loaded))
      devices.append(loaded)
    }
    return devices.count - 1
  }

  /// Ends the batch: the cached devices can become part of another one.
  func end() {
    for loaded in cachedDevices { loaded.batchIndex = nil }
  }

  /// Records that the last event of the device belongs to a trace.
  private mutating func record(_ trace: String, _ index: Int, _ decisions: [UInt64]) {
    let loaded = devices[index]
    traced.append(
      TracedEvent(trace: trace, device: loaded.device.id, sequence: loaded.sequence, decisions: decisions))
  }

  /// Adds a step that fails a request.
  mutating func reject(_ request: Request, _ error: any Error) {
    rejectionCount += 1
    steps.append(.answer { request.fail(error) })
  }

  private mutating func create(_ id: DeviceID, _ zone: TimeZoneID) {
    let device = Device(id: id, timeZone: zone, policy: configuration.policy, at: now)
    created.append(device)
    createdIndices[id] = devices.count
    devices.append(LoadedDevice(device, sequence: 0, snapshotSequence: 0, storedWake: .min))
  }

  /// Learns the donation that an event implies, unless a limit excludes it (rule P8).
  private mutating func applyImplied(by event: Event, _ index: Int) {
    guard let donation = Self.donation(impliedBy: event, on: &devices[index].device) else { return }
    let limits = configuration.limits
    for trim in Self.room(for: donation, in: &devices[index].device, limits) { apply(trim, index) }
    do {
      try Self.check(donation, on: &devices[index].device, limits)
    } catch {
      return
    }
    let required = Self.offsets(requiredBy: donation, &devices[index].device)
    if let required { apply(.utcOffsetsLearned(required), index) }
    apply(donation, index)
  }

  /// Applies an event that has been checked.
  private mutating func apply(_ event: Event, _ index: Int) {
    let loaded = devices[index]
    let (id, at) = (loaded.device.id, loaded.device.now)
    loaded.sequence += 1
    let sequence = loaded.sequence
    let isObserved = isObserved(index)
    let tap = isObserved ? Self.tap(reportedBy: event, on: &loaded.device) : nil
    let labelChange = Self.labelChange(by: event, on: &loaded.device)
    let actions = loaded.device.handle(event, at: at, sequence: sequence, counting: &counters)
    events.append(JournalEntry(id, sequence: sequence, at: at, event))
    if case .policyChanged = event {
      loaded.storedWake = .min
      loaded.needsPolicyCheck = true
    }
    append(actions, of: loaded)
    if isObserved, event.affectsPlacements || actions.contains(where: \.changesPlacements) {
      observe(index, tap)
    }
    if let labelChange { steps.append(.changeLabels(labelChange, id)) }
    if event.affectsSurfaces { steps.append(.changeSurfaces(id)) }
    loaded.journaledSize += event.journalSize
    // A deletion or removal redacts all earlier records, so the state after it is stored as a snapshot.
    if event.isRedacted || loaded.isSnapshotDue(configuration) {
      loaded.snapshotSequence = sequence
      loaded.journaledSize = 0
      snapshots.append(loaded.snapshot)
    }
  }

  /// Rejects an event that exceeds its app's write budget, and a deletion or removal whose snapshot cannot be
  /// stored.
  private func checkWrite(_ event: Event, _ index: Int) throws {
    let loaded = devices[index]
    if event.isRedacted { try checkSnapshot(loaded) }
    try loaded.spendWrite(event, at: now, configuration)
  }

  /// Throws if the device is too large for a snapshot.
  private func checkSnapshot(_ loaded: LoadedDevice) throws(RequestError) {
    let size = loaded.device.storedSize
    guard size <= configuration.snapshotSizeMax else {
      throw .over(limit: "device-size-max", maximum: configuration.limits.deviceSizeMax, count: size)
    }
  }

  /// Advances a device to the current time. The device's time does not change if the clock has been set back.
  private mutating func advance(_ index: Int) {
    let loaded = devices[index]
    let target = max(now, loaded.device.now)
    // An observed device is advanced step by step, so that every change is observed at its instant.
    if loaded.device.nextWake.map({ $0 <= target }) ?? false, isObserved(index) {
      while let due = loaded.device.nextWake, due <= target {
        let actions = loaded.device.advance(to: due, counting: &counters)
        append(actions, of: loaded)
        if actions.contains(where: \.changesPlacements) { observe(index) }
      }
    }
    append(loaded.device.advance(to: target, counting: &counters), of: loaded)
  }

  /// Adds a step that reports the placed widgets of a device.
  private mutating func observe(_ index: Int, _ tap: WidgetEvent? = nil) {
    let loaded = devices[index]
    steps.append(.observe(Self.observation(of: &loaded.device, tap), loaded.device.id))
  }

  /// Whether the sink observes the widgets of a device, or will once the batch is durable.
  private func isObserved(_ index: Int) -> Bool {
    newlyObserved.contains(index) || sink.observesWidgets(of: devices[index].device.id)
  }

  private mutating func append(_ actions: [Action], of loaded: LoadedDevice) {
    guard !actions.isEmpty else { return }
    for action in actions {
      if let decision = action.decision { decisions.append(RecordedDecision(decision, of: loaded.device.id)) }
    }
    steps.append(.perform(actions, loaded))
  }
}
