import Foundation
import Logging
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport
import Metrics
import ServiceLifecycleTestKit
import Synchronization
import Testing

@testable import MarqueeRuntime

/// A sink that records the actions, the changes of surfaces, and the placed widgets of observed devices, in order.
final class RecordingSink: ActionSink {
  private let observed = Mutex<Set<DeviceID>>([])
  private let observations = Mutex<[WidgetObservation]>([])
  private let actions = Mutex<[(device: DeviceID, action: Action)]>([])
  private let changes = Mutex<[DeviceID]>([])

  func perform(_ actions: [Action], of device: DeviceID, _ state: () -> Device) {
    self.actions.withLock { $0 += actions.map { (device, $0) } }
  }

  func surfacesChanged(on device: DeviceID) { changes.withLock { $0.append(device) } }

  func observesWidgets(of device: DeviceID) -> Bool { observed.withLock { $0.contains(device) } }

  func widgetsChanged(_ observation: WidgetObservation, on device: DeviceID) {
    if observesWidgets(of: device) { observations.withLock { $0.append(observation) } }
  }

  /// Observes the widgets of a device from now on, or no longer.
  func observe(_ device: DeviceID, _ isObserved: Bool = true) {
    observed.withLock { if isObserved { $0.insert(device) } else { $0.remove(device) } }
  }

  /// The observations so far: the time in minutes since midnight, the visible widgets, and whether it is a tap.
  var observationLines: [String] {
    observations.withLock(\.self).map { observation in
      let visible = observation.items.filter { $0.visibleSince != nil }.map(\.placement.instance.widget.kind.name.text)
      let minutes = SampleDevice.midnight.span(to: observation.at).milliseconds / 60_000
      return "\(minutes) \(visible.joined(separator: ","))" + (observation.tap == nil ? "" : " tapped")
    }
  }

  /// The devices whose surfaces changed, in order.
  var surfaceChanges: [DeviceID] { changes.withLock(\.self) }

  var all: [Action] { actions.withLock { $0.map(\.action) } }

  func actions(of device: DeviceID) -> [Action] {
    actions.withLock { all in all.compactMap { $0.device == device ? $0.action : nil } }
  }

  func decisions(of device: DeviceID) -> [Decision] { actions(of: device).compactMap(\.decision) }
}

/// A store whose writes, or loads of one device, fail on demand, and that records its loads and snapshots.
final class FlakyJournal: DeviceJournal {
  enum Failure: Error {
    case transient
    case fatal
    case unreadable
    /// Everything is written, but deletions are unfinished.
    case unfinished

    /// The error that the runtime receives.
    var error: JournalError {
      let code: JournalError.Code =
        switch self {
        case .transient: .ioFailed
        case .fatal: .commitFailed
        case .unreadable: .corrupt
        case .unfinished: .deletionUnfinished
        }
      return JournalError(code, "an injected failure", cause: self)
    }
  }

  private let store: Store
  private let failure = Mutex<Failure?>(nil)
  private let loadFailure = Mutex<Failure?>(nil)
  private let unreadable: DeviceID?
  private let loads = Mutex<[DeviceID]>([])
  private let snapshots = Mutex<[DeviceID]>([])
  private let invalidWakes = Mutex<Set<DeviceID>>([])

  /// The gate at which deletions and removals wait.
  let deletionGate = WriteGate()
  let deletionRewritesDevice: Bool

  /// The devices that were loaded, in order.
  var loaded: [DeviceID] { loads.withLock(\.self) }

  /// The devices of which a snapshot was written, in order.
  var saved: [DeviceID] { snapshots.withLock(\.self) }

  init(_ store: Store, unreadable: DeviceID? = nil, deletionRewritesDevice: Bool = false) {
    self.store = store
    self.deletionRewritesDevice = deletionRewritesDevice
    self.unreadable = unreadable
  }

  /// Makes writes fail from now on, or succeed again with `nil`.
  func fail(_ failure: Failure?) {
    self.failure.withLock { $0 = failure }
  }

  /// Makes the entry of a device in the wake schedule invalid, as a store does if its checksum does not match.
  func invalidateWake(of id: DeviceID) {
    invalidWakes.withLock { _ = $0.insert(id) }
  }

  /// Makes loads fail from now on, or succeed again with `nil`.
  func failLoads(_ failure: Failure?) {
    loadFailure.withLock { $0 = failure }
  }

  func append(
    created: [Device], events: [JournalEntry], decisions: [RecordedDecision], snapshots: [DeviceSnapshot],
    wakeSchedule: [ScheduledWake]
  ) async throws {
    if events.contains(where: \.event.isRedacted) { await deletionGate.pass() }
    let failure = failure.withLock({ $0 })
    if let failure, failure != .unfinished { throw failure.error }
    self.snapshots.withLock { $0 += snapshots.map(\.device.id) }
    try await store.append(
      created: created, events: events, decisions: decisions, snapshots: snapshots, wakeSchedule: wakeSchedule)
    if let failure, events.contains(where: \.event.isRedacted) { throw failure.error }
  }

  func remove(_ id: DeviceID) async throws -> Bool {
    await deletionGate.pass()
    let failure = failure.withLock(\.self)
    if let failure, failure != .unfinished { throw failure.error }
    let isRemoved = try await store.remove(id)
    if let failure { throw failure.error }
    return isRemoved
  }

  func wakeSchedule(
    policy: Policy, of shards: ShardSet?, after name: DeviceID?, count: Int
  ) async throws -> [(device: DeviceID, wake: Instant)] {
    let invalid = invalidWakes.withLock(\.self)
    return try await store.wakeSchedule(policy: policy, of: shards, after: name, count: count)
      .map { ($0.device, invalid.contains($0.device) ? .min : $0.wake) }
  }

  func load(_ id: DeviceID) async throws -> (device: Device, sequence: UInt64, unrecorded: [Decision])? {
    if let failure = loadFailure.withLock({ $0 }) { throw failure.error }
    loads.withLock { $0.append(id) }
    if id == unreadable { throw (failure.withLock { $0 } == .transient ? Failure.transient : .unreadable).error }
    return try await store.load(id)
  }

  func history(of id: DeviceID, at instant: Instant) async throws -> Device? {
    try await store.history(of: id, at: instant)
  }

  func origin(of id: DeviceID) async throws -> (device: Device, eventCount: UInt64, lastEvent: Instant)? {
    try await store.origin(of: id)
  }

  func events(of id: DeviceID, after sequence: UInt64) async throws -> [JournalEntry] {
    try await store.events(of: id, after: sequence)
  }

  func deviceCount(of shards: ShardSet?) async throws -> Int { try await store.deviceCount(of: shards) }

  func devices(after name: DeviceID?, count: Int) async throws -> [DeviceID] {
    try await store.devices(after: name, count: count)
  }

  func decisions(
    of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int
  ) async throws -> [Decision] {
    try await store.decisions(of: id, stack: stack, before: number, count: count)
  }
}

/// Expects that an injected failure is thrown: any, or the given one.
func expectFailure(
  _ failure: FlakyJournal.Failure? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> some Any
) async {
  let error = await #expect(throws: JournalError.self, sourceLocation: sourceLocation) { _ = try await body() }
  let cause = error?.cause as? FlakyJournal.Failure
  #expect(cause != nil && cause == failure ?? cause, sourceLocation: sourceLocation)
}

/// A runtime with its dependencies.
struct Harness: Sendable {
  /// The end of a run.
  enum End {
    /// A graceful shutdown.
    case shutdown
    /// Cancellation between two batches, without a shutdown.
    case kill
  }

  let clock: ManualClock
  let journal: any DeviceJournal
  var configuration: Runtime.Configuration
  var metrics: any MetricsFactory = NOOPMetricsHandler.instance
  var logger = Logger.silent

  init(at now: Instant = SampleDevice.midnight, _ journal: any DeviceJournal) {
    clock = ManualClock(at: now)
    self.journal = journal
    configuration = Runtime.Configuration(shardCount: 2)
  }

  /// Runs a new runtime for the duration of `body`.
  func run<Value: Sendable>(
    end: End = .shutdown, _ body: (Runtime, RecordingSink) async throws -> Value
  ) async throws -> Value {
    let sink = RecordingSink()
    let runtime = Runtime(
      configuration, clock: clock, journal: journal, sink: sink, logger: logger, metrics: metrics)
    return try await testGracefulShutdown { trigger in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await runtime.run() }
        let value = try await body(runtime, sink)
        switch end {
        case .shutdown:
          trigger.triggerGracefulShutdown()
          try await group.waitForAll()
        case .kill:
          group.cancelAll()
          _ = await group.nextResult()
        }
        return value
      }
    }
  }

  /// Returns a shard that is not running, so that requests can be enqueued in a known order.
  func shard(_ sink: RecordingSink) -> Shard {
    Shard(
      index: 0, count: 1, configuration: configuration, clock: clock, journal: journal, sink: sink, logger: .silent,
      metrics: RuntimeMetrics(metrics), deviceQuota: DeviceQuota(countMax: 100),
      queue: RequestQueue(countMax: 100, sizeMax: 1_000_000))
  }
}

extension Runtime {
  /// The number of queued requests.
  var queuedCount: Int { shards.reduce(0) { $0 + $1.queue.count } }
}
