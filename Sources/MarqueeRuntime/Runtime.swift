import Logging
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import Metrics
import ServiceLifecycle
import Synchronization

/// Runs all devices, each as a value on the event loop of its shard: applies events, keeps timers, and dispatches
/// actions.
///
/// Results of calls, actions, and the devices that ``read(_:_:)`` passes follow from durable events only. Requests may
/// be made before ``run()``; they are queued until their device is loaded.
public final class Runtime: Service {
  /// The configuration of a runtime.
  public struct Configuration: Sendable {
    /// The number of shards, each with an event loop of its own; at least 1.
    public var shardCount: Int
    /// The shards whose devices are served from the start, of a node of a cluster; `nil` for all devices, always.
    public var shards: ShardSet?
    /// The lease of a node of a cluster and the owners of other shards; `nil` without a lease.
    public var node: NodeState?
    /// The configured policy. Stored devices with another policy adopt it at the start, and keep their overrides.
    public var policy = Policy.default
    /// The limits of one device.
    public var limits = Limits.default
    /// The maximum number of devices.
    public var deviceCountMax = 1_000_000
    /// The maximum number of queued requests per shard.
    public var queuedEventCountMax = 4_096
    /// The maximum number of bytes of content and donations in queued requests per shard.
    public var queuedContentSizeMax = 268_435_456
    /// The approximate maximum number of idle devices in memory; at least 1. Beyond it, the least recently used devices
    /// are evicted until they are due or requested.
    public var cachedDeviceCountMax = 20_000
    /// The maximum number of donations per minute that one device relearns because of one app's events.
    public var relearnedDonationRateMax = 1_000_000
    /// The maximum number of bytes that one app may write to one device at once.
    public var appWriteSizeBurst = 100_663_296
    /// The sustained number of bytes per hour that one app may write to one device.
    public var appWriteSizeHourly = 67_108_864
    /// The number of events of a device after which a snapshot is considered.
    public var snapshotStride: UInt64 = 256
    /// The maximum size of a snapshot in bytes. The events of a larger device are stored nevertheless.
    public var snapshotSizeMax = 805_306_368

    /// Creates the default configuration with `shardCount` shards.
    public init(shardCount: Int) {
      self.shardCount = shardCount
    }
  }

  /// The maximum number of devices whose last stored instants are read at the start.
  private static let latestInstantCountMax = 1_024
  /// The maximum time by which the clock may be ahead of all stored instants without a warning.
  private static let clockLeadMax = TimeSpan.days(1)

  /// The maximum number of concurrent reads of past states: the limit `past-read-count-max`.
  ///
  /// A read replays events and donations on one of the journal's few read connections, which also load devices, so
  /// these reads must never occupy all of them.
  public static let pastReadCountMax = 2
  /// The maximum number of events of a period that a read of past timelines replays: the limit `past-event-count-max`.
  public static let pastEventCountMax = 10_000

  let shards: [Shard]
  private let configuration: Configuration
  private let logger: Logger
  private let clock: any WallClock
  private let journals: [any DeviceJournal]
  /// The number of shards into which all devices are divided.
  private let shardCount: Int
  private let deviceQuota: DeviceQuota
  private let pastReadCount = Atomic(0)

  /// Creates a runtime with one journal: see
  /// ``init(_:clock:journals:sink:logger:metrics:writeEnded:)``.
  public convenience init(
    _ configuration: Configuration, clock: any WallClock, journal: any DeviceJournal, sink: any ActionSink,
    logger: Logger, metrics: any MetricsFactory = MetricsSystem.factory,
    writeEnded: @escaping @Sendable (_ isWritten: Bool) -> Void = { _ in }
  ) {
    let journals = Array(repeating: journal, count: configuration.shardCount)
    self.init(
      configuration, clock: clock, journals: journals, sink: sink, logger: logger, metrics: metrics,
      writeEnded: writeEnded)
  }

  /// Creates a runtime, which serves requests once ``run()`` is called.
  ///
  /// - Parameters:
  ///   - configuration: The configuration.
  ///   - clock: The clock that determines the devices' time.
  ///   - journals: The persistent storage of the devices of each event loop. Event loop `i` of `n` has the devices of
  ///     the shards whose numbers are `i` modulo `n`.
  ///   - sink: The receiver of the devices' actions.
  ///   - logger: The logger.
  ///   - metrics: The factory of the runtime's metrics.
  ///   - writeEnded: Called after each attempt to write requested changes, with whether they are durable. If they are
  ///     not, the requests fail, and a later attempt may succeed. Called on the event loops: must not block.
  /// - Precondition: The policy is valid, and the counts are positive.
  public init(
    _ configuration: Configuration, clock: any WallClock, journals: [any DeviceJournal], sink: any ActionSink,
    logger: Logger, metrics: any MetricsFactory = MetricsSystem.factory,
    writeEnded: @escaping @Sendable (_ isWritten: Bool) -> Void = { _ in }
  ) {
    precondition(journals.count == configuration.shardCount, "one journal for each event loop")
    precondition(configuration.shardCount > 0, "shardCount must be positive: \(configuration.shardCount)")
    precondition(configuration.queuedEventCountMax > 0, "queuedEventCountMax must be positive")
    precondition(configuration.snapshotStride > 0, "snapshotStride must be positive")
    precondition(configuration.cachedDeviceCountMax > 0, "cachedDeviceCountMax must be positive")
    let metrics = RuntimeMetrics(metrics, shardCount: configuration.shardCount)
    self.configuration = configuration
    self.logger = logger
    self.clock = clock
    self.journals = journals
    shardCount = configuration.shards?.shardCount ?? ShardID.countDefault
    let deviceQuota = DeviceQuota(countMax: configuration.deviceCountMax)
    self.deviceQuota = deviceQuota
    shards = (0..<configuration.shardCount).map { index in
      Shard(
        index: index, count: configuration.shardCount, configuration: configuration, clock: clock,
        journal: journals[index], sink: sink, logger: logger, metrics: metrics, deviceQuota: deviceQuota,
        queue: RequestQueue(countMax: configuration.queuedEventCountMax, sizeMax: configuration.queuedContentSizeMax),
        writeEnded: writeEnded)
    }
  }

  /// Runs the event loops until a graceful shutdown, which completes queued requests and writes snapshots.
  ///
  /// A device is loaded when it is first due or requested, and adopts the configured policy then. Devices that are
  /// overdue or have another policy are due at the start. A runtime can run only once.
  ///
  /// - Throws: The journal's error after a failure that is not transient: it is unknown which records are durable, so
  ///   the process must exit and start again.
  public func run() async throws {
    do {
      deviceQuota.begin(with: try await journals[0].deviceCount(of: configuration.shards))
    } catch {
      for shard in shards { await shard.close(cause: error) }
      throw error
    }
    await readLatestInstants()
    try await withGracefulShutdownHandler {
      try await withThrowingTaskGroup { group in
        for shard in shards { group.addTask { try await shard.run() } }
        // An error of one shard cancels the others; `waitForAll` would wait for them first.
        while try await group.next() != nil {}
      }
    } onGracefulShutdown: {
      for shard in self.shards { shard.queue.close() }
    }
  }

  /// Passes the latest last stored instants of devices to the event loops, since a device whose clock is ahead may
  /// never be requested; logs a warning if the clock is far ahead of all stored instants. Call it before the event
  /// loops run, because the first record of a device that is overdue would hide a wrong clock.
  private func readLatestInstants() async {
    do {
      let now = clock.now
      let latest = try await journals[0].latestInstants(
        of: configuration.shards, count: Self.latestInstantCountMax)
      if let last = latest.first?.instant, last.span(to: now) > Self.clockLeadMax {
        logger.warning(
          "the clock is more than a day ahead of the last stored time; if it is wrong, stop the server and set it",
          metadata: ["clock": "\(now)", "latest_stored": "\(last)"])
      }
      for shard in shards {
        shard.queue.add(.storedInstants(latest.filter { index(of: $0.device) == shard.index }))
      }
    } catch {
      logger.warning("reading the latest stored times failed", metadata: ["error": "\(error)"])
    }
  }

  /// Makes every event loop read the clock, so that it finds the devices whose clock is ahead after the clock was set
  /// back, without waiting for the next request. Call it before metrics are read; it does not wait.
  public func checkClock() {
    for shard in shards { shard.queue.signal() }
  }

  /// Registers a device, unless it exists.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - timeZone: The time zone of a new device.
  /// - Returns: Whether the device is new; its creation is durable.
  /// - Throws: The same errors as ``submit(_:to:)``.
  public func register(_ device: DeviceID, timeZone: TimeZoneID) async throws -> Bool {
    try await perform(on: device) { .register(device, timeZone, $0) }
  }

  /// Applies an event to a device. On return, the event is durable and its actions have been dispatched.
  ///
  /// Task cancellation does not interrupt the call.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - device: The device.
  /// - Throws: `RequestError` if the event is not valid for the device, a limit would be exceeded
  ///   (`resourceExhausted`), or the device does not exist (`notFound`); the journal's error if the event cannot be
  ///   written; ``RuntimeError`` if the queue is full or a budget is exhausted (`overloaded`), or the runtime stops.
  public func submit(_ event: Event, to device: DeviceID) async throws {
    let trace = Trace.current
    try await perform(on: device) { .submit(device, event, trace: trace, $0) }
  }

  /// Applies an event as ``submit(_:to:)`` does, and returns the result of reading the device just before it.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - device: The device.
  ///   - body: Reads the device at the instant of the event, with all due work done. It runs on the event loop, must
  ///     not block, and may run even if the event cannot be written.
  public func submit<Value: Sendable>(
    _ event: Event, to device: DeviceID, returning body: @escaping @Sendable (Device) -> Value
  ) async throws -> Value {
    try await submit(event, to: device, reading: .beforeEvent, body)
  }

  /// Applies an event as ``submit(_:to:)`` does, and returns the result of reading the device right after it.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - device: The device.
  ///   - body: Reads the device. It runs on the event loop, must not block, and may run even if the event cannot be
  ///     written.
  public func submitAndRead<Value: Sendable>(
    _ event: Event, to device: DeviceID, _ body: @escaping @Sendable (Device) -> Value
  ) async throws -> Value {
    try await submit(event, to: device, reading: .afterEvent, body)
  }

  private func submit<Value: Sendable>(
    _ event: Event, to device: DeviceID, reading moment: Request.Inspection.Moment,
    _ body: @escaping @Sendable (Device) -> Value
  ) async throws -> Value {
    let trace = Trace.current
    return try await perform(on: device) { (reply: @escaping Request.Reply<Value>) in
      let inspection = Request.Inspection(moment: moment) { device in
        let value = body(device)
        return { reply(.success(value)) }
      }
      return .submit(device, event, inspection, trace: trace) {
        if case .failure(let error) = $0 { reply(.failure(error)) }
      }
    }
  }

  /// Throws if a device does not exist or cannot be read.
  ///
  /// - Throws: The same errors as ``read(_:_:)``.
  public func requireDevice(_ device: DeviceID) async throws {
    try await read(device) { _ in }
  }

  /// Reads the current state of a device, after all earlier requests.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - body: Reads the device. It runs on the event loop and must not block. No action of the device is dispatched
  ///     while it runs, and the actions of all later changes are dispatched after it, so it can subscribe to changes.
  /// - Throws: The same errors as ``submit(_:to:)``, and the errors of `body`.
  public func read<Value: Sendable>(
    _ device: DeviceID, _ body: @escaping @Sendable (Device) throws -> Value
  ) async throws -> Value {
    try await perform(on: device) { reply in
      .read(device) { outcome in reply(Result { try body(outcome.get()) }) }
    }
  }

  /// Reads the current state of a device like ``read(_:_:)``, for a `body` that makes the sink observe the device's
  /// widgets: the sink receives all later changes.
  ///
  /// - Throws: The same errors as ``read(_:_:)``.
  public func observe<Value: Sendable>(
    _ device: DeviceID, _ body: @escaping @Sendable (Device) throws -> Value
  ) async throws -> Value {
    try await perform(on: device) { reply in
      .observe(device) { outcome in reply(Result { try body(outcome.get()) }) }
    }
  }

  /// The current time of the server.
  public var now: Instant { clock.now }

  /// Resets the time of a device whose clock is ahead of the server's.
  ///
  /// The settings of the user and of apps and everything learned are kept. The device's retained history begins with
  /// the reset.
  ///
  /// - Parameter device: The device.
  /// - Returns: The device's time before and after the reset, which is durable.
  /// - Throws: The same errors as ``submit(_:to:)``, and `RequestError` `failedPrecondition` if the device's clock is
  ///   not ahead.
  public func resetClock(of device: DeviceID) async throws -> (before: Instant, now: Instant) {
    try await perform(on: device) { .resetClock(device, $0) }
  }

  /// Removes a device, and erases everything that is stored of it (rule W6).
  ///
  /// Earlier requests of the device are handled before, and later ones find no such device until it is registered
  /// again. Its actions end without a last one.
  ///
  /// - Parameter device: The device.
  /// - Returns: `false` if there is no such device. Otherwise the removal is durable and complete.
  /// - Throws: The journal's error if the device cannot be removed, or is removed but its erasure is not complete;
  ///   ``RuntimeError`` if the runtime stops.
  public func remove(_ device: DeviceID) async throws -> Bool {
    try await perform(on: device) { .remove(device, $0) }
  }

  /// The number of concurrent calls of ``past(_:at:)`` and ``timelines(of:on:from:through:)`` that replay history.
  public var pastReads: Int { pastReadCount.load(ordering: .relaxed) }

  /// Returns the state of a device at `instant`.
  ///
  /// - Throws: `RequestError` if `instant` is in the future or the device did not exist then; ``RuntimeError``
  ///   `overloaded` if ``pastReadCountMax`` calls are in progress; or the journal's error.
  public func past(_ device: DeviceID, at instant: Instant) async throws -> Device {
    try await replaying(device, until: instant) { try await journal(of: device).history(of: device, at: instant) }
  }

  /// Returns the timelines that the instance of a widget had in a period.
  ///
  /// The period begins later than `start` if the device's retained history does, or if the device had more than
  /// ``pastEventCountMax`` events in it.
  ///
  /// - Parameters:
  ///   - instance: The instance of a widget, which need not exist.
  ///   - device: The device.
  ///   - start: The beginning of the period, before `end`.
  ///   - end: The end of the period, exclusive.
  /// - Throws: As ``past(_:at:)``.
  public func timelines(
    of instance: WidgetInstance, on device: DeviceID, from start: Instant, through end: Instant
  ) async throws -> TimelineHistory {
    try await replaying(device, until: end) {
      try await journal(of: device).timelines(
        of: instance, on: device, from: start, through: end, eventCountMax: Self.pastEventCountMax)
    }
  }

  /// Runs a read of the past unless too many are in progress. The read returns `nil` if the device did not exist.
  private func replaying<Value>(
    _ device: DeviceID, until instant: Instant, _ body: () async throws -> Value?
  ) async throws -> Value {
    let now = try await read(device) { $0.now }
    guard instant <= max(now, clock.now) else {
      throw RequestError(
        .invalidArgument, field: "at", "must not be in the future (\(now.span(to: instant).words) from now)")
    }
    try Task.checkCancellation()
    let count = pastReadCount.add(1, ordering: .relaxed).newValue
    defer { pastReadCount.subtract(1, ordering: .relaxed) }
    guard count <= Self.pastReadCountMax else {
      throw RuntimeError.full(limit: "past-read-count-max", maximum: Self.pastReadCountMax, count: count)
    }
    guard let past = try await body() else {
      throw RequestError(.notFound, field: "at", "the device did not exist then")
    }
    return past
  }

  /// Returns a device's state at creation, the number of its events, and an instant up to which they are complete.
  public func origin(of device: DeviceID) async throws -> (device: Device, eventCount: UInt64, until: Instant) {
    let now = try await read(device) { $0.now }
    guard let origin = try await journal(of: device).origin(of: device) else {
      throw RequestError(.notFound, field: "device", "no device of this name")
    }
    return (origin.device, origin.eventCount, max(now, origin.lastEvent))
  }

  /// Returns a page of the device's events after `sequence`, in order: at least one event if one follows.
  public func events(of device: DeviceID, after sequence: UInt64) async throws -> [JournalEntry] {
    try await journal(of: device).events(of: device, after: sequence)
  }

  /// Returns at most `count` device names after `name`, in order. The journal may return fewer, but none only at the
  /// end.
  public func devices(after name: DeviceID?, count: Int) async throws -> [DeviceID] {
    try await journals[0].devices(after: name, count: count)
  }

  /// Returns at most `count` decisions of a device, the newest first.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - stack: The stack to which the decisions are restricted, or `nil` for all stacks.
  ///   - number: The decision number before which the page begins, or `nil` for the newest decisions.
  ///   - count: The maximum number of decisions. The journal may return fewer.
  public func decisions(
    of device: DeviceID, stack: StackID? = nil, before number: UInt64? = nil, count: Int
  ) async throws -> [Decision] {
    try await requireDevice(device)
    return try await journal(of: device).decisions(of: device, stack: stack, before: number, count: count)
  }

  /// Waits until all devices have processed everything that is due, durably, and their actions have been dispatched.
  ///
  /// While the journal cannot be written, decisions are dispatched nevertheless and recorded later, because they follow
  /// from durable events.
  ///
  /// - Returns: The next instant at which any device can change without an event, or `nil` if there is none.
  /// - Throws: ``RuntimeError`` if the runtime stops.
  public func waitUntilIdle() async throws -> Instant? {
    try await withThrowingTaskGroup { group in
      for shard in shards {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            shard.queue.add(.barrier { continuation.resume(with: $0) })
          }
        }
      }
      var earliest: Instant?
      for try await case let wake? in group { earliest = earliest.map { min($0, wake) } ?? wake }
      return earliest
    }
  }

  /// Returns the use of the runtime's limits, and of each device limit by the loaded device that uses most of it.
  ///
  /// Visits every loaded device, on the event loops, and loads none. Requires that the runtime is running.
  ///
  /// - Throws: ``RuntimeError`` if the runtime stops.
  public func limitUses() async throws -> [LimitUse] {
    var uses = try await withThrowingTaskGroup { group in
      for shard in shards {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            shard.queue.add(.usageQuery { continuation.resume(with: $0) })
          }
        }
      }
      return try await group.reduce([]) { LimitUse.fullest($0 + $1) }
    }
    let queues = shards.map(\.queue.load)
    uses.append(LimitUse("queued-event-count-max", queues.map(\.count).max() ?? 0))
    uses.append(LimitUse("queued-content-size-max", queues.map(\.size).max() ?? 0))
    uses.append(LimitUse("device-count-max", deviceQuota.count))
    return uses
  }

  /// Returns the index of the event loop of a device.
  private func index(of device: DeviceID) -> Int {
    Shard.index(of: device, count: shards.count, of: shardCount)
  }

  /// Returns the journal of a device.
  private func journal(of device: DeviceID) -> any DeviceJournal { journals[index(of: device)] }

  private func perform<Value: Sendable>(
    on device: DeviceID, _ request: (@escaping Request.Reply<Value>) -> Request
  ) async throws -> Value {
    let queue = shards[index(of: device)].queue
    // Unchecked, because every request is completed exactly once: Shard.run() completes the remaining ones at the end.
    return try await withUnsafeThrowingContinuation { continuation in
      do {
        try queue.add(request { continuation.resume(with: $0) })
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}
