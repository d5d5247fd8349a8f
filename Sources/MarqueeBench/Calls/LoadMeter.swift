import Glibc
import Histogram

/// Counts calls and their times, from the end of a warm-up for a given time. On one thread.
struct LoadMeter {
  /// What was seen.
  struct Report: Codable {
    let calls: Int
    let seconds: Double
    let p50: Double
    let p99: Double
    /// CPU time of the process that makes the calls.
    let cpuSeconds: Double
    /// CPU time of the process that answers, as far as it was named.
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

  /// Measures `seconds` after `warmUp` seconds from now; the server's CPU time too when its process is given.
  init(seconds: Double, warmUp: Double, server: pid_t?) {
    start = Self.now + UInt64(warmUp * 1e9)
    end = start + UInt64(seconds * 1e9)
    serverClock = server.map(Self.clock)
  }

  /// Nanoseconds on the monotonic clock.
  static var now: UInt64 { nanoseconds(CLOCK_MONOTONIC) }

  /// Microseconds since 1970 on the clock on the wall.
  static var wallMicroseconds: Int64 { Int64(nanoseconds(CLOCK_REALTIME) / 1_000) }

  /// Counts a call that began at `begin` and is over now; `false` when the time is over.
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

  /// What was measured; the time must be over.
  var report: Report {
    precondition(lastEnd >= end, "the time is not over")
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

  /// CPU time of a process so far.
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
