import Foundation
import Logging
import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeStore
import Metrics

/// A benchmark of the CPU time of one event as the amount of data grows, over three decades of each dimension.
struct GrowthBenchmark {
  /// The number of rounds per measurement, of which the median is used.
  let rounds: Int
  /// The directory in which a folder for the files is created.
  let folder: String

  private static let eventCount = 2_000

  /// Returns all curves.
  func curves() async throws -> [GrowthCurve] {
    try [await devices(), widgets(), entries(), publications(), donations(), await watchers()]
  }

  /// Measures durable events of a thousand devices, by the number of devices in the data directory.
  private func devices() async throws -> GrowthCurve {
    var curve = GrowthCurve("Devices in the data directory", "a durable event, µs")
    for count in [1_000, 10_000, 100_000, 1_000_000] {
      let place = URL(filePath: folder).appending(path: "marquee-growth-\(ProcessInfo.processInfo.processIdentifier)")
        .path
      defer { try? FileManager.default.removeItem(atPath: place) }  // best effort
      try await FleetStore.fill(place, count: count, at: .now)
      curve.add(count, try await durableEvent(of: 1_000, among: count, in: place))
    }
    return curve
  }

  private func durableEvent(of activeCount: Int, among count: Int, in place: String) async throws -> Double {
    let store = try Store(directory: place)
    let runtime = Runtime(
      Runtime.Configuration(shardCount: 2), clock: SystemWallClock(), journal: store, sink: NoOpSink(),
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }, metrics: NOOPMetricsHandler.instance)
    let running = Task { try await runtime.run() }
    let home = try FleetHome()
    let devices = try (0..<activeCount).map { try FleetHome.name($0 * (count / activeCount)) }
    func scroll(to widget: Widget) async throws {
      try await withThrowingDiscardingTaskGroup { group in
        for device in devices {
          group.addTask { try await runtime.submit(.reported(.scrolled(home.stack, to: widget)), to: device) }
        }
      }
    }
    // The first round loads the devices.
    for widget in home.widgets { try await scroll(to: widget) }
    var figures: [Double] = []
    for round in 0..<rounds {
      let start = Spread.cpuMicroseconds()
      try await scroll(to: home.widgets[round % 2])
      figures.append((Spread.cpuMicroseconds() - start) / Double(activeCount))
    }
    running.cancel()
    _ = await running.result
    try store.close()
    return Spread(figures).median
  }

  private func widgets() throws -> GrowthCurve {
    var curve = GrowthCurve("Widgets on the device", "a scroll, µs")
    for count in [4, 40, 400, 4_000] { curve.add(count, try scroll(GrowingHome(widgetCount: count, entryCount: 24))) }
    return curve
  }

  private func entries() throws -> GrowthCurve {
    var curve = GrowthCurve("Entries of each timeline", "a scroll, µs")
    for count in [4, 40, 400, 4_000] { curve.add(count, try scroll(GrowingHome(widgetCount: 8, entryCount: count))) }
    return curve
  }

  private func publications() throws -> GrowthCurve {
    var curve = GrowthCurve("Entries of a published timeline", "publishing, ns an entry")
    for count in [4, 40, 400, 4_000] {
      let home = try GrowingHome(widgetCount: 8, entryCount: count)
      let (entries, widget, repetitions) = (try home.entries(of: 0), home.widgets[0], max(20, Self.eventCount / count))
      var device = home.device
      let spread = Spread.microseconds(rounds: rounds, count: repetitions) {
        let event = Event.timelinePublished(widget, Timeline(submitted: entries, policy: .never))
        do { try device.check(event) } catch { preconditionFailure("rejected timeline: \(error)") }
        _ = device.handle(event, at: device.now)
      }
      curve.add(count, spread.median * 1_000 / Double(count))
    }
    return curve
  }

  private func donations() throws -> GrowthCurve {
    var curve = GrowthCurve("Donations remembered", "one more donation, µs")
    for count in [60, 600, 6_000, 60_000] {
      var home = try GrowingHome(widgetCount: 8, entryCount: 24)
      for _ in 0..<count { try home.donate() }
      let events = try (0..<100 * rounds).map { _ in try home.donation() }
      var next = events.makeIterator()
      let spread = Spread.microseconds(rounds: rounds, count: 100) {
        if let (event, instant) = next.next() { home.take(event, at: instant) }
      }
      curve.add(count, spread.median)
    }
    return curve
  }

  private func watchers() async throws -> GrowthCurve {
    var curve = GrowthCurve("Watching displays", "until all have a change, µs a display")
    for count in [10, 100, 1_000, 10_000] {
      let changes = try await FanOutBenchmark(watcherCounts: [], rounds: rounds).changes(to: count)
      curve.add(count, Spread(changes.map { $0.delay(of: 1) }).median * 1_000 / Double(count))
    }
    return curve
  }

  private func scroll(_ home: GrowingHome) throws -> Double {
    var device = home.device
    let events = home.widgets.prefix(2).map { Event.reported(.scrolled(home.stacks[0], to: $0)) }
    var number = 0
    return Spread.microseconds(rounds: rounds, count: Self.eventCount) {
      number += 1
      _ = device.handle(events[number % 2], at: device.now)
    }.median
  }
}

extension Instant {
  /// Wall-clock time.
  static var now: Instant { Instant(milliseconds: LoadMeter.wallMicroseconds / 1_000) ?? .min }
}
