import CAllocationCount
import Logging
import MarqueeModel
import MarqueeRuntime
import Metrics

/// A day of many devices through the runtime on two shards, without sockets and without a disk.
///
/// Each device is as ``BusyHome`` has it. Time goes on in 80 steps, whatever the number of devices: whatever is due is
/// done, and a quarter of the devices is picked up.
struct RuntimeBenchmark {
  /// How many devices there are in each row.
  let deviceCounts: [Int]

  /// A table with a row for each number of devices.
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
    let rate = Finding("a day of \(most) devices through the runtime", last.rate, "events/s", .atLeast(400_000))
    guard least < most else { return BenchmarkReport(text: table.text, findings: [rate]) }
    return BenchmarkReport(
      text: table.text,
      findings: [
        rate,
        Finding("an event of \(most) devices, of one of \(least)", last.growth, "times", .atMost(1.2)),
      ])
  }
}

/// What a day took.
struct CrowdedDay {
  var eventCount = 0
  /// Times that a device was woken because something was due.
  var wakeCount = 0
  /// Of the clock on the wall.
  var seconds = 0.0
  /// Of both cores.
  var cpuMicroseconds = 0.0
  /// Allocations for each event of one step, those of wakes and of what made the events included.
  var allocations = 0.0
}

/// Many devices in one runtime.
struct BusyCrowd {
  /// Steps of time from one session of a device to its next.
  private static let stepCount = 4
  /// Devices that submit events at the same time, at most: each one event, and the next when that one is answered.
  private static let callerCountMax = 1_000

  private let homes: [BusyHome]
  private let devices: [DeviceID]

  /// So many devices.
  init(count: Int) throws {
    homes = try (0..<min(count, Self.callerCountMax)).map { _ in try BusyHome() }
    devices = try (0..<count).map { number in
      // As long as a UUID.
      let digits = "\(1_000_000_000_000 + number)"
      return try DeviceID("6fa1b2c3-4d5e-4f60-8a7b-\(digits.dropFirst())")
    }
  }

  /// Registers and sets up all devices, and lives through a day.
  func liveDay() async throws -> CrowdedDay {
    let clock = ManualClock(at: BusyHome.instant(day: 0, minute: 0))
    let wakes = WakeCount()
    var configuration = Runtime.Configuration(shardCount: 2)
    configuration.loadedDeviceCountMax = devices.count
    let runtime = Runtime(
      configuration, clock: clock, journal: ForgetfulJournal(), sink: SilentSink(),
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
        _ = try await runtime.settle()
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

  /// Runs `body` for devices, for so many at the same time as there are homes.
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
