import Logging
import MarqueeModel
import MarqueeScheduler
import Metrics
import ServiceLifecycle

/// All devices, each a value on the one loop of its shard: takes in events, keeps timers, and has actions performed.
///
/// What a caller is told, what a display is shown, and what ``read(_:_:)`` gives follows from durable events only.
/// Requests may come before ``run()``; they wait until their device is loaded.
public final class Runtime: Service {
  /// What an operator can choose.
  public struct Configuration: Sendable {
    /// Loops that devices are spread over; at least 1.
    public var shardCount: Int
    /// The numbers of the rules. Devices that knew others when they were stored adopt these on start, and keep those
    /// of their own.
    public var policy = Policy.standard
    /// How much one device may hold.
    public var limits = Limits.standard
    /// Devices that may exist.
    public var deviceCountMax = 1_000_000
    /// Requests that may wait for one shard; those beyond are refused.
    public var queuedEventCountMax = 4_096
    /// Bytes of content and donations in requests that may wait for one shard; what passes it is refused.
    public var queuedContentSizeMax = 268_435_456
    /// Devices that stay in memory, about, though nothing happens to them; at least 1. Of those beyond, the ones to
    /// which nothing happened for longest are let go until they are due or asked for.
    public var loadedDeviceCountMax = 20_000
    /// A snapshot is taken of a device after each of so many events.
    public var snapshotStride: UInt64 = 256

    /// The defaults, with that many loops.
    public init(shardCount: Int) {
      self.shardCount = shardCount
    }
  }

  private let shards: [Shard]
  private let clock: any WallClock
  private let journal: any DeviceJournal
  private let population: Population

  /// A runtime that has not started.
  ///
  /// - Parameter writeEnded: Told after each attempt to write what was asked for whether it is durable; when it failed,
  ///   what was asked is refused, and a later attempt may succeed. Called on the loops: it must not block.
  /// - Precondition: the policy passes its check, and the counts are positive.
  public init(
    _ configuration: Configuration, clock: any WallClock, journal: any DeviceJournal, sink: any ActionSink,
    logger: Logger, metrics: any MetricsFactory = MetricsSystem.factory,
    writeEnded: @escaping @Sendable (_ isWritten: Bool) -> Void = { _ in }
  ) {
    precondition(configuration.shardCount > 0, "\(configuration.shardCount) shards")
    precondition(configuration.queuedEventCountMax > 0 && configuration.snapshotStride > 0, "a limit of 0")
    precondition(configuration.loadedDeviceCountMax > 0, "no device in memory")
    let metrics = RuntimeMetrics(metrics, shardCount: configuration.shardCount)
    self.clock = clock
    self.journal = journal
    let population = Population(countMax: configuration.deviceCountMax)
    self.population = population
    shards = (0..<configuration.shardCount).map { index in
      Shard(
        index: index, count: configuration.shardCount, configuration: configuration, clock: clock, journal: journal,
        sink: sink, logger: logger, metrics: metrics, population: population,
        inbox: Inbox(countMax: configuration.queuedEventCountMax, sizeMax: configuration.queuedContentSizeMax),
        writeEnded: writeEnded)
    }
  }

  /// Does what became due meanwhile, and serves until a graceful shutdown, which finishes what waits and writes
  /// snapshots. A device is loaded when it is first due or asked for; it adopts the configured policy then, and one
  /// that knows another is due at the start.
  ///
  /// Throws when the journal fails so that what is durable is not known: end the process and start anew. It can run
  /// once.
  public func run() async throws {
    population.begin(with: try await journal.deviceCount())
    try await withGracefulShutdownHandler {
      try await withThrowingTaskGroup { group in
        for shard in shards { group.addTask { try await shard.run() } }
        // What ends one ends all: `waitForAll` would wait for the others, which may have nothing to do.
        while try await group.next() != nil {}
      }
    } onGracefulShutdown: {
      for shard in self.shards { shard.inbox.close() }
    }
  }

  /// Makes a device of that name, unless there is one; says whether it is new. Durable when this returns.
  public func register(_ device: DeviceID, timeZone: TimeZoneID) async throws -> Bool {
    try await ask(device) { .register(device, timeZone, $0) }
  }

  /// Takes in an event. When this returns, the event is durable and its actions have been performed.
  ///
  /// Throws a `Refusal` when the event does not fit the device, a limit would be passed, too much waits already
  /// (`resourceExhausted`) or there is no such device (`notFound`), the journal's error when it cannot be written,
  /// and ``RuntimeError`` once the runtime stops. It is not interrupted when the task is cancelled.
  public func submit(_ event: Event, to device: DeviceID) async throws {
    let trace = Trace.current
    try await ask(device) { .submit(device, event, trace: trace, $0) }
  }

  /// Takes in an event as ``submit(_:to:)`` does, and gives what `body` finds on the device just before it.
  ///
  /// `body` runs on the loop and must not block. It sees the device at the instant at which the event is taken in, with
  /// whatever became due done, and may have seen in vain: what it gives counts only when this returns.
  public func submit<Value: Sendable>(
    _ event: Event, to device: DeviceID, returning body: @escaping @Sendable (Device) -> Value
  ) async throws -> Value {
    let trace = Trace.current
    return try await ask(device) { (reply: @escaping Request.Reply<Value>) in
      .submit(
        device, event,
        { device in
          let value = body(device)
          return { reply(.success(value)) }
        }, trace: trace, { if case .failure(let error) = $0 { reply(.failure(error)) } })
    }
  }

  /// Looks at a device as it is now, after everything that was asked before. Throws as ``submit(_:to:)`` does.
  ///
  /// `body` runs on the loop and must not block. No action of the device is performed while it runs, and those that
  /// follow from what it has not seen are performed after it: a good place to subscribe.
  public func read<Value: Sendable>(
    _ device: DeviceID, _ body: @escaping @Sendable (Device) throws -> Value
  ) async throws -> Value {
    try await ask(device) { reply in
      .read(device) { outcome in reply(Result { try body(outcome.get()) }) }
    }
  }

  /// The device as it was at `instant`, which is not after now.
  public func past(_ device: DeviceID, at instant: Instant) async throws -> Device {
    let now = try await read(device) { $0.now }
    guard instant <= max(now, clock.now) else {
      throw Refusal(
        .invalidArgument, field: "at", "\(now.span(to: instant).milliseconds) ms from now, which is not known yet")
    }
    guard let past = try await journal.history(of: device, at: instant) else {
      throw Refusal(.notFound, field: "at", "the device did not exist then")
    }
    return past
  }

  /// How the device began, how many events it has had, and until when they tell of it: none is missing up to then.
  public func origin(of device: DeviceID) async throws -> (device: Device, eventCount: UInt64, until: Instant) {
    let now = try await read(device) { $0.now }
    guard let origin = try await journal.origin(of: device) else {
      throw Refusal(.notFound, field: "device", "no device of this name")
    }
    return (origin.device, origin.eventCount, max(now, origin.lastEvent))
  }

  /// The device's events after the one of that sequence, in order; at least one if there is one, and no more than the
  /// journal gives at once.
  public func events(
    of device: DeviceID, after sequence: UInt64
  ) async throws -> [(sequence: UInt64, at: Instant, event: Event)] {
    try await journal.events(of: device, after: sequence)
  }

  /// The names of at most `count` devices in their order, those after `name`. The journal may give fewer.
  public func devices(after name: DeviceID?, count: Int) async throws -> [DeviceID] {
    try await journal.devices(after: name, count: count)
  }

  /// At most `count` decisions of the device, the newest first: those before the one of that number, if given, and
  /// of that stack, if given. The journal may give fewer.
  public func decisions(
    of device: DeviceID, stack: StackID? = nil, before number: UInt64? = nil, count: Int
  ) async throws -> [Decision] {
    try await read(device) { _ in }
    return try await journal.decisions(of: device, stack: stack, before: number, count: count)
  }

  /// Returns once everything that is due by now on any device has been done: decided, durable, and performed. Gives the
  /// next instant at which anything can change without an event; `nil` when nothing is due.
  ///
  /// Decisions follow from durable events, so that while the journal cannot be written they are kept as otherwise, and
  /// their rows are written later. Throws ``RuntimeError`` once the runtime stops.
  public func settle() async throws -> Instant? {
    try await withThrowingTaskGroup { group in
      for shard in shards {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            shard.inbox.add(settlement: { continuation.resume(with: $0) })
          }
        }
      }
      var earliest: Instant?
      for try await case let wake? in group { earliest = earliest.map { min($0, wake) } ?? wake }
      return earliest
    }
  }

  /// How much of its own limits the runtime uses, and how much of theirs those devices in memory use that use most.
  ///
  /// Asked while the runtime runs. Every device in memory is glanced at, on the loops; none is loaded for it. Throws
  /// ``RuntimeError`` once the runtime stops.
  public func limitUses() async throws -> [LimitUse] {
    var uses = try await withThrowingTaskGroup { group in
      for shard in shards {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            shard.inbox.addSurvey { continuation.resume(with: $0) }
          }
        }
      }
      return try await group.reduce([]) { LimitUse.fullest($0 + $1) }
    }
    let queues = shards.map(\.inbox.load)
    uses.append(LimitUse("queued-event-count-max", queues.map(\.count).max() ?? 0))
    uses.append(LimitUse("queued-content-size-max", queues.map(\.size).max() ?? 0))
    uses.append(LimitUse("device-count-max", population.count))
    return uses
  }

  private func ask<Value: Sendable>(
    _ device: DeviceID, _ request: (@escaping Request.Reply<Value>) -> Request
  ) async throws -> Value {
    let inbox = shards[Shard.index(of: device, count: shards.count)].inbox
    // Unchecked, since every request is answered exactly once: Shard.run() answers those that wait at the end.
    return try await withUnsafeThrowingContinuation { continuation in
      do {
        try inbox.add(request { continuation.resume(with: $0) })
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}
