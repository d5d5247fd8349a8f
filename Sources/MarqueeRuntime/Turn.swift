import MarqueeModel
import MarqueeScheduler
import OrderedCollections

/// A device in memory, as it is durable.
struct Resident: Sendable {
  var device: Device
  /// The sequence of its last event.
  var sequence: UInt64
  /// Its sequence when it was loaded or a snapshot of it was last taken.
  var snapshotSequence: UInt64
  /// The next wake that the journal's agenda has, `nil` for none; ``Instant/min`` when it has to learn more than that.
  var agendaWake: Instant?

  /// Whether the agenda has to learn the device's next wake: it comes earlier, or what the agenda has is past.
  ///
  /// A wake that is too early costs a look at the device after a restart; to put each off would cost a write for each
  /// event.
  var isAgendaStale: Bool {
    guard device.nextWake != agendaWake else { return false }
    guard let agendaWake else { return true }
    return agendaWake <= device.now || agendaWake > device.nextWake ?? .max
  }
}

/// An event that belongs to a trace.
struct TracedEvent: Sendable {
  let trace: String
  let device: DeviceID
  /// The event's number in the journal.
  let sequence: UInt64
  /// The numbers of the decisions that the event led to at once.
  let decisions: [UInt64]
}

/// What one turn of a loop makes of wakes and requests: drafts of the devices, what is to be written before they hold,
/// and what is to be done then. Nothing of it has happened yet.
struct Turn {
  /// Something to do once what is to be written is durable.
  enum Step {
    /// The sink performs a device's actions.
    case perform([Action], DeviceID)
    /// A caller is answered.
    case answer(@Sendable () -> Void)
  }

  /// Why nothing can be written. Events are then refused with it, and only time passes.
  let obstacle: (any Error)?
  private let now: Instant
  private let configuration: Runtime.Configuration
  private let population: Population

  private(set) var drafts: OrderedDictionary<DeviceID, Resident> = [:]
  private(set) var created: [Device] = []
  private(set) var events: [(device: DeviceID, sequence: UInt64, at: Instant, event: Event)] = []
  private(set) var decisions: [(device: DeviceID, decision: Decision)] = []
  private(set) var snapshots: [(sequence: UInt64, device: Device)] = []
  private(set) var steps: [Step] = []
  private(set) var refusalCount = 0
  /// Events that belong to traces, and what they led to.
  private(set) var traced: [TracedEvent] = []
  /// What the drafts decided, what they did not, and what came of earlier decisions.
  private(set) var tally = Tally()

  init(
    at now: Instant, _ configuration: Runtime.Configuration, _ population: Population, obstacle: (any Error)? = nil
  ) {
    self.now = now
    self.configuration = configuration
    self.population = population
    self.obstacle = obstacle
  }

  /// How many records are to be written.
  var recordCount: Int { created.count + events.count + decisions.count + snapshots.count }

  /// Devices of which the agenda has to learn, as they are with all that is to be written.
  var agenda: [Device] { drafts.values.filter(\.isAgendaStale).map(\.device) }

  /// Takes a device in, as it is durable, unless the turn has its draft already.
  mutating func adopt(_ resident: Resident) {
    if drafts[resident.device.id] == nil { drafts[resident.device.id] = resident }
  }

  /// Lets an adopted device do what is due.
  mutating func wake(_ id: DeviceID) {
    guard let index = drafts.index(forKey: id) else { preconditionFailure("a wake of an unknown device") }
    catchUp(index)
  }

  /// Does what is asked of a device. It has been adopted, or does not exist.
  mutating func take(_ request: Request) {
    switch (request, drafts.index(forKey: request.device)) {
    case (.register(_, _, let reply), .some):
      steps.append(.answer { reply(.success(false)) })
    case (.register(let id, let zone, let reply), nil):
      if let obstacle { return refuse(request, obstacle) }
      do throws(Refusal) { try population.join() } catch { return refuse(request, error) }
      create(id, zone)
      steps.append(.answer { reply(.success(true)) })
    case (.submit(_, let event, let look, let trace, _), .some(let index)):
      if let obstacle { return refuse(request, obstacle) }
      catchUp(index)
      for trim in drafts.values[index].device.makingRoom(for: event, limits: configuration.limits) { take(trim, index) }
      do {
        try drafts.values[index].device.check(event, limits: configuration.limits)
      } catch {
        return refuse(request, error)
      }
      if case .donated(_, let donations) = event { learnOffsets(index, for: donations) }
      let answer = look(drafts.values[index].device)
      let decisionCount = decisions.count
      take(event, index)
      if let trace { note(trace, index, decisions[decisionCount...].map(\.decision.number)) }
      if drafts.values[index].device.donationCount() > 0 { learnOffsets(index) }
      steps.append(.answer(answer))
    case (.read(_, let reply), .some(let index)):
      catchUp(index)
      let device = drafts.values[index].device
      steps.append(.answer { reply(.success(device)) })
    case (.submit, nil), (.read, nil):
      refuse(request, Refusal(.notFound, field: "device", "no device of this name"))
    }
  }

  /// Notes that the event taken in last belongs to a trace.
  private mutating func note(_ trace: String, _ index: Int, _ decisions: [UInt64]) {
    let (device, sequence) = (drafts.keys[index], drafts.values[index].sequence)
    traced.append(TracedEvent(trace: trace, device: device, sequence: sequence, decisions: decisions))
  }

  /// Answers that a request was not done.
  mutating func refuse(_ request: Request, _ error: any Error) {
    refusalCount += 1
    steps.append(.answer { request.fail(error) })
  }

  private mutating func create(_ id: DeviceID, _ zone: TimeZoneID) {
    let device = Device(id: id, timeZone: zone, policy: configuration.policy, at: now)
    created.append(device)
    drafts[id] = Resident(device: device, sequence: 0, snapshotSequence: 0, agendaWake: .min)
  }

  /// Tells the device its zone's offsets unless it knows them for long enough, and for the dates of donations to come.
  private mutating func learnOffsets(_ index: Int, for donations: [Donation] = []) {
    let device = drafts.values[index].device
    let earliest = donations.reduce(device.now) { min($0, $1.date) }
    if let known = device.offsets, known.covers(earliest, device.now.advanced(by: UTCOffsets.reserve)) { return }
    take(.utcOffsetsLearned(UTCOffsets(of: device.timeZone, from: earliest, around: device.now)), index)
  }

  /// Takes in an event that was checked.
  private mutating func take(_ event: Event, _ index: Int) {
    let (id, at) = (drafts.keys[index], drafts.values[index].device.now)
    let actions = drafts.values[index].device.handle(event, at: at, counting: &tally)
    drafts.values[index].sequence += 1
    let sequence = drafts.values[index].sequence
    events.append((id, sequence, at, event))
    if case .policyChanged = event { drafts.values[index].agendaWake = .min }
    keep(actions, of: id)
    // What a deletion took is gone from everything before it, so the device after it is kept as it is.
    if sequence.isMultiple(of: configuration.snapshotStride) || event.redacted != event {
      drafts.values[index].snapshotSequence = sequence
      snapshots.append((sequence, drafts.values[index].device))
    }
  }

  /// Brings a device up to now, or leaves it where it is when the clock has gone back.
  private mutating func catchUp(_ index: Int) {
    let instant = max(now, drafts.values[index].device.now)
    keep(drafts.values[index].device.advance(to: instant, counting: &tally), of: drafts.keys[index])
  }

  private mutating func keep(_ actions: [Action], of id: DeviceID) {
    guard !actions.isEmpty else { return }
    for action in actions {
      if let decision = action.decision { decisions.append((id, decision)) }
    }
    steps.append(.perform(actions, id))
  }
}
