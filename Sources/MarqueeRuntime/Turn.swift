import MarqueeModel
import MarqueeScheduler
import OrderedCollections

/// A device in memory, as it is durable.
struct Resident: Sendable {
  var device: Device
  /// The sequence of its last event.
  var sequence: UInt64
  /// The sequence of its last snapshot.
  var snapshotSequence: UInt64
}

/// What one turn of a loop makes of wakes and requests: drafts of the devices, what is to be written before they hold,
/// and what is to be done then. Nothing of it has happened yet.
struct Turn {
  enum Step {
    case perform([Action], DeviceID)
    case answer(@Sendable () -> Void)
  }

  /// Why nothing can be written. Events are then refused with it, and only time passes.
  let obstacle: (any Error)?
  private let now: Instant
  private let configuration: Runtime.Configuration

  private(set) var drafts: OrderedDictionary<DeviceID, Resident> = [:]
  private(set) var created: [Device] = []
  private(set) var events: [(device: DeviceID, sequence: UInt64, at: Instant, event: Event)] = []
  private(set) var decisions: [(device: DeviceID, decision: Decision)] = []
  private(set) var snapshots: [(sequence: UInt64, device: Device)] = []
  private(set) var steps: [Step] = []
  private(set) var refusalCount = 0

  init(at now: Instant, _ configuration: Runtime.Configuration, obstacle: (any Error)? = nil) {
    self.now = now
    self.configuration = configuration
    self.obstacle = obstacle
  }

  /// How many records are to be written.
  var recordCount: Int { created.count + events.count + decisions.count + snapshots.count }

  /// Lets a device do what is due.
  mutating func wake(_ resident: Resident) {
    _ = catchUp(resident)
  }

  /// Does what is asked of a device, which is `resident` as the turn has found it, or `nil` when there is none.
  mutating func take(_ request: Request, of resident: Resident?) {
    switch (request, resident) {
    case (.register(_, _, let reply), .some):
      steps.append(.answer { reply(.success(false)) })
    case (.register(let id, let zone, let reply), nil):
      register(id, zone, reply)
    case (.submit(_, let event, let reply), .some(let resident)):
      submit(event, resident, reply)
    case (.read(_, let reply), .some(let resident)):
      let device = drafts.values[catchUp(resident)].device
      steps.append(.answer { reply(.success(device)) })
    case (.submit, nil), (.read, nil):
      refuse(request, Refusal(.notFound, field: "device", "no device of this name"))
    }
  }

  /// Answers that a request was not done.
  mutating func refuse(_ request: Request, _ error: any Error) {
    refusalCount += 1
    steps.append(.answer { request.fail(error) })
  }

  private mutating func register(_ id: DeviceID, _ zone: TimeZoneID, _ reply: @escaping Request.Reply<Bool>) {
    if let obstacle { return refuse(.register(id, zone, reply), obstacle) }
    let device = Device(id: id, timeZone: zone, policy: configuration.policy, at: now)
    created.append(device)
    drafts[id] = Resident(device: device, sequence: 0, snapshotSequence: 0)
    steps.append(.answer { reply(.success(true)) })
  }

  private mutating func submit(_ event: Event, _ resident: Resident, _ reply: @escaping Request.Reply<Void>) {
    let id = resident.device.id
    if let obstacle { return refuse(.submit(id, event, reply), obstacle) }
    let index = catchUp(resident)
    do {
      try drafts.values[index].device.check(event, limits: configuration.limits)
    } catch {
      return refuse(.submit(id, event, reply), error)
    }
    let at = drafts.values[index].device.now
    let actions = drafts.values[index].device.handle(event, at: at)
    drafts.values[index].sequence += 1
    let sequence = drafts.values[index].sequence
    events.append((id, sequence, at, event))
    keep(actions, of: id)
    if sequence.isMultiple(of: configuration.snapshotStride) {
      drafts.values[index].snapshotSequence = sequence
      snapshots.append((sequence, drafts.values[index].device))
    }
    steps.append(.answer { reply(.success(())) })
  }

  /// Brings a device up to now, or leaves it where it is when the clock has gone back; gives the index of its draft.
  private mutating func catchUp(_ resident: Resident) -> Int {
    let id = resident.device.id
    let index = drafts.index(forKey: id) ?? drafts.count
    if index == drafts.count { drafts[id] = resident }
    let actions = drafts.values[index].device.advance(to: max(now, resident.device.now))
    keep(actions, of: id)
    return index
  }

  private mutating func keep(_ actions: [Action], of id: DeviceID) {
    guard !actions.isEmpty else { return }
    for action in actions {
      if case .rotate(let decision, _) = action.order { decisions.append((id, decision)) }
    }
    steps.append(.perform(actions, id))
  }
}
