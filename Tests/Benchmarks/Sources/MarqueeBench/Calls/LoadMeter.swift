import Glibc
import Histogram

/// Counts calls and their latencies for a given time after a warm-up. Used on one thread.
struct LoadMeter {
  /// The measurement.
  struct Report: Codable {
    let calls: Int
    let seconds: Double
    let p50: Double
    let p99: Double
    /// The client process's CPU time.
    let cpuSeconds: Double
    /// The server process's CPU time; `nil` if no process was given.
    let serverSeconds: Double?

    enum CodingKeys: String, CodingKey {
      case calls, seconds
      case p50 = "p50_us"
      case p99 = "p99_us"
      case cpuSeconds = "cpu_seconds"
      case serverSeconds = "server_cpu_seconds"
    }
  }

  private let start: UInt64
  private let end: UInt64
  private let serverClock: clockid_t?
  private var firstEnd: UInt64?
  private var lastEnd: UInt64 = 0
  private var count = 0
  private var cpu: (own: Double, server: Double) = (0, 0)
  private var times = Histogram<UInt32>(highestTrackableValue: 60_000_000_000)

  /// Creates a meter that measures `seconds` after `warmUp` seconds from now, including the server's CPU time if its
  /// process is given.
  init(seconds: Double, warmUp: Double, server: pid_t?) {
    start = Self.now + UInt64(warmUp * 1e9)
    end = start + UInt64(seconds * 1e9)
    serverClock = server.map(Self.clock)
  }

  /// The monotonic clock, in nanoseconds.
  static var now: UInt64 { nanoseconds(CLOCK_MONOTONIC) }

  /// The system clock, in microseconds since 1970.
  static var wallMicroseconds: Int64 { Int64(nanoseconds(CLOCK_REALTIME) / 1_000) }

  /// Counts a call that began at `begin` and ends now.
  ///
  /// - Returns: `false` if the measurement is over.
  mutating func ended(_ begin: UInt64) -> Bool {
    let now = Self.now
    guard now >= start else { return true }
    guard firstEnd != nil else {
      firstEnd = now
      cpu = cpuTimes
      return true
    }
    guard now < end else {
      if lastEnd < end { finish(now) }
      return false
    }
    count += 1
    times.record(now - begin)
    return true
  }

  /// Returns the measurement, which must be over.
  var report: Report {
    precondition(lastEnd >= end, "the measurement is not over")
    return Report(
      calls: count, seconds: Double(lastEnd - (firstEnd ?? lastEnd)) / 1e9,
      p50: Double(times.valueAtPercentile(50)) / 1e3, p99: Double(times.valueAtPercentile(99)) / 1e3,
      cpuSeconds: cpu.own, serverSeconds: serverClock.map { _ in cpu.server })
  }

  private mutating func finish(_ now: UInt64) {
    lastEnd = now
    let after = cpuTimes
    cpu = (after.own - cpu.own, after.server - cpu.server)
  }

  private var cpuTimes: (own: Double, server: Double) {
    let server = serverClock.map { Self.nanoseconds($0) } ?? 0
    return (Double(Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)) / 1e9, Double(server) / 1e9)
  }

  /// Returns a process's CPU time so far.
  static func cpuSeconds(of process: pid_t) -> Double { Double(nanoseconds(clock(of: process))) / 1e9 }

  private static func clock(of process: pid_t) -> clockid_t {
    var clock = clockid_t()
    let code = clock_getcpuclockid(process, &clock)
    precondition(code == 0, "process \(process) has no clock of CPU time: error \(code)")
    return clock
  }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    let code = clock_gettime(clock, &time)
    precondition(code == 0, "clock \(clock) cannot be read")
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
