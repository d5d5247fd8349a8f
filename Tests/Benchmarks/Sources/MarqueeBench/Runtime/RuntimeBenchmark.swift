import CAllocationCount
import Logging
import MarqueeModel
import MarqueeRuntime
import Metrics

/// A benchmark of a day of many devices in the runtime on two shards, without sockets or a disk.
///
/// Each device is a ``BusyHome``. Time advances in 80 steps, regardless of the number of devices: each step performs
/// everything that is due, and a quarter of the devices have a session.
struct RuntimeBenchmark {
  /// The number of devices of each row.
  let deviceCounts: [Int]

  /// Returns a table with a row per number of devices.
  func report() async throws -> BenchmarkReport {
    var table = MarkdownTable([
      "devices", "events", "wakes", "events/s", "CPU, µs an event", "of the first row's", "allocations an event",
    ])
    var first: Double?
    var last = (rate: 0.0, growth: 1.0)
    for count in deviceCounts {
      let day = try await BusyCrowd(count: count).liveDay()
      let cost = day.cpuMicroseconds / Double(day.eventCount)
      let base = first ?? cost
      first = base
      last = (Double(day.eventCount) / day.seconds, cost / base)
      table.add([
        "\(count)", "\(day.eventCount)", "\(day.wakeCount)", "\(Int(Double(day.eventCount) / day.seconds))",
        Spread.rounded(cost, 2), Spread.rounded(cost / base, 2), Spread.rounded(day.allocations),
      ])
    }
    let (least, most) = (deviceCounts.min() ?? 0, deviceCounts.max() ?? 0)
    let rate = Figure("a day of \(most) devices through the runtime", last.rate)
    guard least < most else { return BenchmarkReport(text: table.text, figures: [rate]) }
    let growth = Figure("an event of \(most) devices, of one of \(least)", last.growth)
    return BenchmarkReport(text: table.text, figures: [rate, growth])
  }
}

/// The measurement of a day.
struct CrowdedDay {
  var eventCount = 0
  /// The number of wakes.
  var wakeCount = 0
  /// The wall-clock time, in seconds.
  var seconds = 0.0
  /// The CPU time of both cores, in microseconds.
  var cpuMicroseconds = 0.0
  /// The allocations per event of one step, including those of wakes and of creating the events.
  var allocations = 0.0
}

/// Many devices in one runtime.
struct BusyCrowd {
  /// The number of steps between sessions of a device.
  private static let stepCount = 4
  /// The maximum number of devices that submit events concurrently, each with one event in flight.
  private static let callerCountMax = 1_000

  private let homes: [BusyHome]
  private let devices: [DeviceID]

  /// Creates devices.
  init(count: Int) throws {
    homes = try (0..<min(count, Self.callerCountMax)).map { _ in try BusyHome() }
    devices = try (0..<count).map { number in
      // As long as a UUID.
      let digits = "\(1_000_000_000_000 + number)"
      return try DeviceID("6fa1b2c3-4d5e-4f60-8a7b-\(digits.dropFirst())")
    }
  }

  /// Registers and sets up all devices, and runs a day.
  func liveDay() async throws -> CrowdedDay {
    let clock = ManualClock(at: BusyHome.instant(day: 0, minute: 0))
    let wakes = WakeCount()
    var configuration = Runtime.Configuration(shardCount: 2)
    configuration.cachedDeviceCountMax = devices.count
    let runtime = Runtime(
      configuration, clock: clock, journal: NoOpJournal(), sink: NoOpSink(),
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }, metrics: wakes)
    let running = Task { try await runtime.run() }
    defer { running.cancel() }
    try await setUp(in: runtime)
    wakes.reset()
    var day = CrowdedDay(eventCount: devices.count * BusyHome.sessionCount * BusyHome.sessionEventCount)
    let (start, cpuStart) = (ContinuousClock.now, Spread.cpuMicroseconds())
    for session in 0..<BusyHome.sessionCount {
      for step in 0..<Self.stepCount {
        let isCounted = session == BusyHome.sessionCount / 2 && step == 0
        if isCounted { allocation_count_set(true) }
        let delay = TimeSpan(milliseconds: 3_000_000 * Int64(step) / Int64(Self.stepCount))
        clock.advance(to: BusyHome.time(day: 0, session: session).advanced(by: delay))
        _ = try await runtime.waitUntilIdle()
        let quarter = devices.count * step / Self.stepCount..<devices.count * (step + 1) / Self.stepCount
        try await pickUp(quarter, session, in: runtime)
        guard isCounted else { continue }
        day.allocations = Double(allocation_count()) / Double(quarter.count * BusyHome.sessionEventCount)
        allocation_count_set(false)
      }
    }
    let spent = start.duration(to: .now).components
    day.cpuMicroseconds = Spread.cpuMicroseconds() - cpuStart
    day.seconds = Double(spent.seconds) + Double(spent.attoseconds) / 1e18
    day.wakeCount = wakes.count
    return day
  }

  private func setUp(in runtime: Runtime) async throws {
    try await each(of: devices.indices) { home, device in
      _ = try await runtime.register(device, timeZone: TimeZoneID("UTC"))
      for event in try home.setUp(day: 0) { try await runtime.submit(event, to: device) }
    }
  }

  private func pickUp(_ devices: Range<Int>, _ session: Int, in runtime: Runtime) async throws {
    try await each(of: devices) { home, device in
      for event in try home.session(day: 0, session) { try await runtime.submit(event, to: device) }
    }
  }

  /// Runs `body` for all devices, concurrently for as many as there are homes.
  private func each(
    of meant: Range<Int>, _ body: @escaping @Sendable (BusyHome, DeviceID) async throws -> Void
  ) async throws {
    for start in stride(from: meant.lowerBound, to: meant.upperBound, by: homes.count) {
      try await withThrowingDiscardingTaskGroup { group in
        for (home, device) in zip(homes, devices[start..<min(start + homes.count, meant.upperBound)]) {
          group.addTask { try await body(home, device) }
        }
      }
    }
  }
}
