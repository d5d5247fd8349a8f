import MarqueeModel
import MarqueeScheduler

/// A device in memory.
///
/// A turn changes it where it is, since to copy what an event changes costs more than the event. Between turns it is as
/// it is durable: when a turn cannot be written, what it changed is loaded again.
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
  /// Whether it was put among ``Residents``.
  var isHeld = false
  /// Its index in the present turn, if that met it.
  var turnIndex: Int?
  /// The wake that the loop last queued for it.
  var queuedWake: Instant?
  /// Whether the configured policy that it knows may be another one than when that was last looked at.
  var isPolicyNews = true

  init(_ device: Device, sequence: UInt64, snapshotSequence: UInt64, agendaWake: Instant?) {
    self.device = device
    self.sequence = sequence
    self.snapshotSequence = snapshotSequence
    self.agendaWake = agendaWake
  }

  /// Another one that is the same for now.
  func copy() -> Resident {
    Resident(device, sequence: sequence, snapshotSequence: snapshotSequence, agendaWake: agendaWake)
  }

  /// What the device needs next.
  var appointment: Appointment { Appointment(device.id, wake: device.nextWake, policy: device.configuredPolicy) }

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

/// What one turn of a loop makes of wakes and requests: the devices as they are then, what is to be written before that
/// holds, and what is to be done then.
struct Turn {
  /// Where a device was before the turn changed it.
  struct Origin {
    let device: DeviceID
    let now: Instant
    let snapshotSequence: UInt64
    let agendaWake: Instant?

    init(_ resident: Resident) {
      device = resident.device.id
      now = resident.device.now
      snapshotSequence = resident.snapshotSequence
      agendaWake = resident.agendaWake
    }
  }

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
  /// Whether copies of the residents are changed in their stead, which costs more but leaves nothing to load again.
  private let isOnCopies: Bool
  private let now: Instant
  private let configuration: Runtime.Configuration
  private let population: Population

  /// The devices that were met, in the order in which they first were.
  private(set) var residents: [Resident] = []
  /// What it met in memory: the same, unless those are copies.
  private var met: [Resident] = []
  /// Where those were of them that were there before and are no copies.
  private(set) var origins: [Origin] = []
  /// Those of them that are in memory for the first time.
  private var newcomers: [DeviceID: Int] = [:]
  private(set) var created: [Device] = []
  private(set) var events: [(device: DeviceID, sequence: UInt64, at: Instant, event: Event)] = []
  private(set) var decisions: [(device: DeviceID, decision: Decision)] = []
  private(set) var snapshots: [(sequence: UInt64, device: Device)] = []
  private(set) var steps: [Step] = []
  private(set) var refusalCount = 0
  /// Events that belong to traces, and what they led to.
  private(set) var traced: [TracedEvent] = []
  /// What the devices decided, what they did not, and what came of earlier decisions.
  private(set) var tally = Tally()

  init(
    at now: Instant, _ configuration: Runtime.Configuration, _ population: Population, isOnCopies: Bool,
    obstacle: (any Error)?
  ) {
    self.now = now
    self.isOnCopies = isOnCopies
    self.configuration = configuration
    self.population = population
    self.obstacle = obstacle
  }

  /// How many records are to be written.
  var recordCount: Int { created.count + events.count + decisions.count + snapshots.count }

  /// What the agenda has to learn of devices as they are with all that is to be written.
  var agenda: [Appointment] { residents.filter(\.isAgendaStale).map(\.appointment) }

  /// Makes room for so many requests.
  mutating func reserve(_ count: Int) {
    residents.reserveCapacity(count)
    origins.reserveCapacity(count)
    met.reserveCapacity(count)
    events.reserveCapacity(count)
    steps.reserveCapacity(2 * count)
  }

  /// Lets a device do what is due.
  mutating func wake(_ resident: Resident) {
    catchUp(index(of: resident))
  }

  /// Does what is asked of a device, which `resident` is; `nil` when there was none before the turn.
  mutating func take(_ request: Request, _ resident: Resident?) {
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
      let limits = configuration.limits
      for trim in Self.room(for: event, in: &residents[index].device, limits) { take(trim, index) }
      do {
        try Self.check(event, on: &residents[index].device, limits)
      } catch {
        return refuse(request, error)
      }
      if case .donated(_, let donations) = event { learnOffsets(index, for: donations) }
      let answer = look.map { $0(residents[index].device) }
      let decisionCount = decisions.count
      take(event, index)
      if let trace { note(trace, index, decisions[decisionCount...].map(\.decision.number)) }
      if Self.hasDonations(&residents[index].device) { learnOffsets(index) }
      steps.append(answer.map { .answer($0) } ?? .finish(reply))
    case (.read(_, let reply), .some(let index)):
      catchUp(index)
      let device = residents[index].device
      steps.append(.answer { reply(.success(device)) })
    case (.submit, nil), (.read, nil):
      refuse(request, Refusal(.notFound, field: "device", "no device of this name"))
    }
  }

  // A device that is looked at where a resident has it is copied first, unless whoever looks at it might change it.

  private static func room(for event: Event, in device: inout Device, _ limits: Limits) -> [Event] {
    device.makingRoom(for: event, limits: limits)
  }

  private static func check(_ event: Event, on device: inout Device, _ limits: Limits) throws(Refusal) {
    try device.check(event, limits: limits)
  }

  private static func hasDonations(_ device: inout Device) -> Bool { device.donationCount() > 0 }

  private mutating func index(of id: DeviceID, _ resident: Resident?) -> Int? {
    if let resident { return index(of: resident) }
    return newcomers.isEmpty ? nil : newcomers[id]
  }

  /// The resident's index; it is met if it was not yet.
  private mutating func index(of resident: Resident) -> Int {
    if let index = resident.turnIndex { return index }
    resident.turnIndex = residents.count
    met.append(resident)
    if isOnCopies {
      residents.append(resident.copy())
    } else {
      origins.append(Origin(resident))
      residents.append(resident)
    }
    return residents.count - 1
  }

  /// Has the residents know no turn any more.
  func end() {
    for resident in met { resident.turnIndex = nil }
  }

  /// Notes that the event taken in last belongs to a trace.
  private mutating func note(_ trace: String, _ index: Int, _ decisions: [UInt64]) {
    let resident = residents[index]
    traced.append(
      TracedEvent(trace: trace, device: resident.device.id, sequence: resident.sequence, decisions: decisions))
  }

  /// Answers that a request was not done.
  mutating func refuse(_ request: Request, _ error: any Error) {
    refusalCount += 1
    steps.append(.answer { request.fail(error) })
  }

  private mutating func create(_ id: DeviceID, _ zone: TimeZoneID) {
    let device = Device(id: id, timeZone: zone, policy: configuration.policy, at: now)
    created.append(device)
    newcomers[id] = residents.count
    residents.append(Resident(device, sequence: 0, snapshotSequence: 0, agendaWake: .min))
  }

  /// Tells the device its zone's offsets unless it knows them for long enough, and for the dates of donations to come.
  private mutating func learnOffsets(_ index: Int, for donations: [Donation] = []) {
    let (now, resident) = (residents[index].device.now, residents[index])
    let earliest = donations.reduce(now) { min($0, $1.date) }
    if let known = resident.device.offsets, known.covers(earliest, now.advanced(by: UTCOffsets.reserve)) { return }
    take(.utcOffsetsLearned(UTCOffsets(of: resident.device.timeZone, from: earliest, around: now)), index)
  }

  /// Takes in an event that was checked.
  private mutating func take(_ event: Event, _ index: Int) {
    let resident = residents[index]
    let (id, at) = (resident.device.id, resident.device.now)
    let actions = resident.device.handle(event, at: at, counting: &tally)
    resident.sequence += 1
    let sequence = resident.sequence
    events.append((id, sequence, at, event))
    if case .policyChanged = event {
      resident.agendaWake = .min
      resident.isPolicyNews = true
    }
    keep(actions, of: id)
    // What a deletion took is gone from everything before it, so the device after it is kept as it is.
    if sequence.isMultiple(of: configuration.snapshotStride) || event.isRedacted {
      resident.snapshotSequence = sequence
      snapshots.append((sequence, resident.device))
    }
  }

  /// Brings a device up to now, or leaves it where it is when the clock has gone back.
  private mutating func catchUp(_ index: Int) {
    let resident = residents[index]
    keep(resident.device.advance(to: max(now, resident.device.now), counting: &tally), of: resident.device.id)
  }

  private mutating func keep(_ actions: [Action], of id: DeviceID) {
    guard !actions.isEmpty else { return }
    for action in actions {
      if let decision = action.decision { decisions.append((id, decision)) }
    }
    steps.append(.perform(actions, id))
  }
}
