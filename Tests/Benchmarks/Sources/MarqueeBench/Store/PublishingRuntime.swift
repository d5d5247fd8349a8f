import Foundation
import Logging
import MarqueeJournal
import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import Metrics

/// A runtime that performs no actions, with a device per publisher, on a journal.
final class PublishingRuntime: Sendable {
  private let runtime: Runtime
  private let running: Task<Void, any Error>
  private let devices: [DeviceID]
  /// The timelines; consecutive ones differ in widget, and consecutive ones of a widget in content.
  private let publications: [Event]

  /// Creates the devices, with three stacks of eight widgets each.
  init(_ journal: any DeviceJournal, publisherCount: Int) async throws {
    devices = try Self.devices(publisherCount)
    publications = try Self.publications()
    let runtime = Runtime(
      Runtime.Configuration(shardCount: ProcessInfo.processInfo.activeProcessorCount),
      clock: ManualClock(at: BusyHome.instant(day: 0, minute: 0)), journal: journal, sink: NoOpSink(),
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }, metrics: NOOPMetricsHandler.instance)
    self.runtime = runtime
    running = Task { try await runtime.run() }
    let events = try BusyHome().setUp(day: 0)
    try await withThrowingDiscardingTaskGroup { [devices] group in
      for device in devices {
        group.addTask {
          _ = try await runtime.register(device, timeZone: TimeZoneID("UTC"))
          for event in events { try await runtime.submit(event, to: device) }
        }
      }
    }
  }

  /// Returns the names of devices.
  static func devices(_ count: Int) throws -> [DeviceID] {
    try (0..<count).map { number in
      try DeviceID("6fa1b2c3-4d5e-4f60-8a7b-\("\(1_000_000_000_000 + number)".dropFirst())")
    }
  }

  /// Returns the events that a publisher publishes, over and over.
  static func publications() throws -> [Event] {
    let home = try BusyHome()
    return try (0...1).flatMap { day in
      try home.setUp(day: day).filter { if case .timelinePublished = $0 { true } else { false } }
    }
  }

  /// Stores devices without events, for a journal that is written without a runtime.
  static func create(_ count: Int, in journal: any DeviceJournal) async throws {
    let zone = try TimeZoneID("UTC")
    try await journal.append(
      created: devices(count).map { Device(id: $0, timeZone: zone, policy: Policy(), at: .min) }, events: [],
      decisions: [], snapshots: [], wakeSchedule: [])
  }

  func publish(_ number: Int, by publisher: Int) async throws {
    try await runtime.submit(publications[number % publications.count], to: devices[publisher])
  }

  /// Stops the runtime.
  func end() async throws {
    running.cancel()
    do { try await running.value } catch is CancellationError {
      // Cancellation is the regular end.
    }
  }
}
