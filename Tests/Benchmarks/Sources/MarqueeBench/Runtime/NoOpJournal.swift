import MarqueeJournal
import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import Metrics
import Synchronization

/// A journal that completes immediately and stores nothing, for devices that stay in memory, to measure the runtime
/// alone.
struct NoOpJournal: DeviceJournal {
  func append(
    created: [Device], events: [JournalEntry], decisions: [RecordedDecision], snapshots: [DeviceSnapshot],
    wakeSchedule: [ScheduledWake]
  ) async throws {}

  func remove(_ id: DeviceID) async throws -> Bool { false }

  func load(_ id: DeviceID) async throws -> (device: Device, sequence: UInt64, unrecorded: [Decision])? { nil }

  func history(of id: DeviceID, at instant: Instant) async throws -> Device? { nil }

  func origin(of id: DeviceID) async throws -> (device: Device, eventCount: UInt64, lastEvent: Instant)? { nil }

  func events(of id: DeviceID, after sequence: UInt64) async throws -> [JournalEntry] { [] }

  func deviceCount(of shards: ShardSet?) async throws -> Int { 0 }

  func devices(after name: DeviceID?, count: Int) async throws -> [DeviceID] { [] }

  func wakeSchedule(
    policy: Policy, of shards: ShardSet?, after name: DeviceID?, count: Int
  ) async throws -> [(device: DeviceID, wake: Instant)] { [] }

  func decisions(
    of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int
  ) async throws -> [Decision] { [] }
}

/// A sink without watchers.
struct NoOpSink: ActionSink {
  func perform(_ actions: [Action], of device: DeviceID, _ state: () -> Device) {}

  func surfacesChanged(on device: DeviceID) {}
}

/// Metrics that record only the number of wakes.
final class WakeCount: MetricsFactory {
  private final class Lateness: TimerHandler {
    private let sum = Atomic(0)

    var count: Int { sum.load(ordering: .relaxed) }

    func recordNanoseconds(_ duration: Int64) { sum.add(1, ordering: .relaxed) }

    func reset() { sum.store(0, ordering: .relaxed) }
  }

  private let lateness = Lateness()

  var count: Int { lateness.count }

  func reset() { lateness.reset() }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    label == "marquee_wake_lateness" ? lateness : NOOPMetricsHandler.instance
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { NOOPMetricsHandler.instance }

  func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
    NOOPMetricsHandler.instance
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { NOOPMetricsHandler.instance }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    NOOPMetricsHandler.instance
  }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
