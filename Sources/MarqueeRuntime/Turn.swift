import MarqueeModel
import MarqueeScheduler

/// A device in memory. One that a shard holds is as it is durable, and stays so: what a turn changes is a draft of it.
final class Resident {
  var device: Device
  /// The sequence of its last event.
  var sequence: UInt64
  /// Its sequence when it was loaded or a snapshot of it was last taken.
  var snapshotSequence: UInt64
  /// The next wake that the journal's agenda has, `nil` for none; ``Instant/min`` when it has to learn more than that.
  var agendaWake: Instant?
  /// Whether anything happened to it since ``Residents`` last considered letting it go.
  var isRecent = true

  init(_ device: Device, sequence: UInt64, snapshotSequence: UInt64, agendaWake: Instant?) {
    self.device = device
    self.sequence = sequence
    self.snapshotSequence = snapshotSequence
    self.agendaWake = agendaWake
  }

  /// Another one that is the same for now.
  func draft() -> Resident {
    Resident(device, sequence: sequence, snapshotSequence: snapshotSequence, agendaWake: agendaWake)
  }

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
    /// A caller is told that what was asked is done.
    case finish(Request.Reply<Void>)
  }

  /// Why nothing can be written. Events are then refused with it, and only time passes.
  let obstacle: (any Error)?
  private let now: Instant
  private let configuration: Runtime.Configuration
  private let population: Population

  /// In the order in which their devices were first met.
  private(set) var drafts: [Resident] = []
  private var indices: [DeviceID: Int] = [:]
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
  var agenda: [Device] { drafts.filter(\.isAgendaStale).map(\.device) }

  /// Makes room for so many requests.
  mutating func reserve(_ count: Int) {
    drafts.reserveCapacity(count)
    indices.reserveCapacity(count)
    events.reserveCapacity(count)
    steps.reserveCapacity(2 * count)
  }

  /// Lets a device do what is due; `resident` gives it as it is durable.
  mutating func wake(_ id: DeviceID, _ resident: Resident) {
    catchUp(indices[id] ?? addDraft(resident, of: id))
  }

  /// Does what is asked of a device. `resident` gives it as it is durable, `nil` when there is none.
  mutating func take(_ request: Request, _ resident: () -> Resident?) {
    switch (request, index(of: request.device, resident)) {
    case (.register(_, _, let reply), .some):
      steps.append(.answer { reply(.success(false)) })
    case (.register(let id, let zone, let reply), nil):
      if let obstacle { return refuse(request, obstacle) }
      do throws(Refusal) { try population.join() } catch { return refuse(request, error) }
      create(id, zone)
      steps.append(.answer { reply(.success(true)) })
    case (.submit(_, let event, let look, let trace, let reply), .some(let index)):
      if let obstacle { return refuse(request, obstacle) }
      catchUp(index)
      for trim in drafts[index].device.makingRoom(for: event, limits: configuration.limits) { take(trim, index) }
      do {
        try drafts[index].device.check(event, limits: configuration.limits)
      } catch {
        return refuse(request, error)
      }
      if case .donated(_, let donations) = event { learnOffsets(index, for: donations) }
      let answer = look.map { $0(drafts[index].device) }
      let decisionCount = decisions.count
      take(event, index)
      if let trace { note(trace, index, decisions[decisionCount...].map(\.decision.number)) }
      if drafts[index].device.donationCount() > 0 { learnOffsets(index) }
      steps.append(answer.map { .answer($0) } ?? .finish(reply))
    case (.read(_, let reply), .some(let index)):
      catchUp(index)
      let device = drafts[index].device
      steps.append(.answer { reply(.success(device)) })
    case (.submit, nil), (.read, nil):
      refuse(request, Refusal(.notFound, field: "device", "no device of this name"))
    }
  }

  /// The index of the device's draft, which is made if `resident` gives the device.
  private mutating func index(of id: DeviceID, _ resident: () -> Resident?) -> Int? {
    indices[id] ?? resident().map { addDraft($0, of: id) }
  }

  private mutating func addDraft(_ resident: Resident, of id: DeviceID) -> Int {
    drafts.append(resident.draft())
    indices[id] = drafts.count - 1
    return drafts.count - 1
  }

  /// Notes that the event taken in last belongs to a trace.
  private mutating func note(_ trace: String, _ index: Int, _ decisions: [UInt64]) {
    let draft = drafts[index]
    traced.append(
      TracedEvent(trace: trace, device: draft.device.id, sequence: draft.sequence, decisions: decisions))
  }

  /// Answers that a request was not done.
  mutating func refuse(_ request: Request, _ error: any Error) {
    refusalCount += 1
    steps.append(.answer { request.fail(error) })
  }

  private mutating func create(_ id: DeviceID, _ zone: TimeZoneID) {
    let device = Device(id: id, timeZone: zone, policy: configuration.policy, at: now)
    created.append(device)
    _ = addDraft(Resident(device, sequence: 0, snapshotSequence: 0, agendaWake: .min), of: id)
  }

  /// Tells the device its zone's offsets unless it knows them for long enough, and for the dates of donations to come.
  private mutating func learnOffsets(_ index: Int, for donations: [Donation] = []) {
    let (now, draft) = (drafts[index].device.now, drafts[index])
    let earliest = donations.reduce(now) { min($0, $1.date) }
    if let known = draft.device.offsets, known.covers(earliest, now.advanced(by: UTCOffsets.reserve)) { return }
    take(.utcOffsetsLearned(UTCOffsets(of: draft.device.timeZone, from: earliest, around: now)), index)
  }

  /// Takes in an event that was checked.
  private mutating func take(_ event: Event, _ index: Int) {
    let draft = drafts[index]
    let (id, at) = (draft.device.id, draft.device.now)
    let actions = draft.device.handle(event, at: at, counting: &tally)
    draft.sequence += 1
    let sequence = draft.sequence
    events.append((id, sequence, at, event))
    if case .policyChanged = event { draft.agendaWake = .min }
    keep(actions, of: id)
    // What a deletion took is gone from everything before it, so the device after it is kept as it is.
    if sequence.isMultiple(of: configuration.snapshotStride) || event.isRedacted {
      draft.snapshotSequence = sequence
      snapshots.append((sequence, draft.device))
    }
  }

  /// Brings a device up to now, or leaves it where it is when the clock has gone back.
  private mutating func catchUp(_ index: Int) {
    let draft = drafts[index]
    keep(draft.device.advance(to: max(now, draft.device.now), counting: &tally), of: draft.device.id)
  }

  private mutating func keep(_ actions: [Action], of id: DeviceID) {
    guard !actions.isEmpty else { return }
    for action in actions {
      if let decision = action.decision { decisions.append((id, decision)) }
    }
    steps.append(.perform(actions, id))
  }
}
