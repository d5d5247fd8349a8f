import Foundation
import Logging
import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import Metrics
import ServiceLifecycleTestKit
import Synchronization

@testable import MarqueeRuntime

// The store fits the port as it is.
extension Store: DeviceJournal {}

/// Notes what was performed, in order.
final class RecordingSink: ActionSink {
  private let actions = Mutex<[(device: DeviceID, action: Action)]>([])

  func perform(_ actions: [Action], of device: DeviceID) {
    self.actions.withLock { $0 += actions.map { (device, $0) } }
  }

  var all: [Action] { actions.withLock { $0.map(\.action) } }

  func actions(of device: DeviceID) -> [Action] {
    actions.withLock { all in all.compactMap { $0.device == device ? $0.action : nil } }
  }

  func decisions(of device: DeviceID) -> [Decision] { actions(of: device).compactMap(\.decision) }
}

/// A store whose writes, or loads of one device, fail on demand, and that notes what is loaded.
final class FlakyJournal: DeviceJournal {
  enum Failure: Error {
    case transient
    case fatal
    case unreadable
  }

  private let store: Store
  private let failure = Mutex<Failure?>(nil)
  private let loadFailure = Mutex<Failure?>(nil)
  private let unreadable: DeviceID?
  private let loads = Mutex<[DeviceID]>([])

  /// Devices that were loaded, in order.
  var loaded: [DeviceID] { loads.withLock(\.self) }

  init(_ store: Store, unreadable: DeviceID? = nil) {
    self.store = store
    self.unreadable = unreadable
  }

  /// Makes writes fail from now on, or succeed again with `nil`.
  func fail(_ failure: Failure?) {
    self.failure.withLock { $0 = failure }
  }

  /// Makes loads fail from now on, or succeed again with `nil`.
  func failLoads(_ failure: Failure?) {
    loadFailure.withLock { $0 = failure }
  }

  func append(
    created: [Device], events: [(device: DeviceID, sequence: UInt64, at: Instant, event: Event)],
    decisions: [(device: DeviceID, decision: Decision)], snapshots: [(sequence: UInt64, device: Device)],
    agenda: [Appointment]
  ) async throws {
    if let failure = failure.withLock({ $0 }) { throw failure }
    try await store.append(
      created: created, events: events, decisions: decisions, snapshots: snapshots, agenda: agenda)
  }

  func agenda(
    policy: Policy, after name: DeviceID?, count: Int
  ) async throws -> [(device: DeviceID, wake: Instant)] {
    try await store.agenda(policy: policy, after: name, count: count)
  }

  func isTransient(_ error: any Error) -> Bool {
    if let failure = error as? Failure { failure == .transient } else { store.isTransient(error) }
  }

  func load(_ id: DeviceID) async throws -> (device: Device, sequence: UInt64, unrecorded: [Decision])? {
    if let failure = loadFailure.withLock({ $0 }) { throw failure }
    loads.withLock { $0.append(id) }
    if id == unreadable { throw failure.withLock { $0 } == .transient ? Failure.transient : .unreadable }
    return try await store.load(id)
  }

  func history(of id: DeviceID, at instant: Instant) async throws -> Device? {
    try await store.history(of: id, at: instant)
  }

  func origin(of id: DeviceID) async throws -> (device: Device, eventCount: UInt64, lastEvent: Instant)? {
    try await store.origin(of: id)
  }

  func events(
    of id: DeviceID, after sequence: UInt64
  ) async throws -> [(sequence: UInt64, at: Instant, event: Event)] {
    try await store.events(of: id, after: sequence)
  }

  func deviceCount() async throws -> Int { try await store.deviceCount() }

  func devices(after name: DeviceID?, count: Int) async throws -> [DeviceID] {
    try await store.devices(after: name, count: count)
  }

  func decisions(
    of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int
  ) async throws -> [Decision] {
    try await store.decisions(of: id, stack: stack, before: number, count: count)
  }
}

/// A runtime with what it stands on.
struct Harness: Sendable {
  /// How a run ends.
  enum End {
    /// It is asked to stop.
    case shutdown
    /// It is torn down between two turns, without a chance to tidy up.
    case kill
  }

  let clock: ManualClock
  let journal: any DeviceJournal
  var configuration: Runtime.Configuration
  var metrics: any MetricsFactory = NOOPMetricsHandler.instance

  init(at now: Instant = Home.midnight, _ journal: any DeviceJournal) {
    clock = ManualClock(at: now)
    self.journal = journal
    configuration = Runtime.Configuration(shardCount: 2)
  }

  /// Runs a new runtime while `body` does, and ends it.
  func run<Value: Sendable>(
    end: End = .shutdown, _ body: (Runtime, RecordingSink) async throws -> Value
  ) async throws -> Value {
    let sink = RecordingSink()
    let runtime = Runtime(
      configuration, clock: clock, journal: journal, sink: sink, logger: .quiet, metrics: metrics)
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

  /// A shard that is not running, whose requests can be filed in a known order.
  func shard(_ sink: RecordingSink) -> Shard {
    Shard(
      index: 0, count: 1, configuration: configuration, clock: clock, journal: journal, sink: sink, logger: .quiet,
      metrics: RuntimeMetrics(metrics), population: Population(countMax: 100),
      inbox: Inbox(countMax: 100, sizeMax: 1_000_000))
  }
}

extension Logger {
  static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
