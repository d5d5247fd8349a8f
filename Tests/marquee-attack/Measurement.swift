import Foundation
import MarqueeTestSupport

/// The measured effect of an attack on the server.
struct Measurement: Sendable {
  /// The latency of the probe that is always acceptable: with server, attacker and probe on two shared CPUs, scheduling
  /// alone can delay a read by tens of milliseconds.
  static let floor = Duration.milliseconds(20)
  /// The time for which the probe is measured before an attack, and the minimum during one.
  private static let interval = Duration.milliseconds(800)

  /// The time after the first run that affects the probe; each later one is followed by a longer pause.
  private static let pause = Duration.seconds(1)

  let seen: String
  /// The number of runs of the attack.
  let count: Int
  let baseline: LatencyProbe.Interval
  let underAttack: LatencyProbe.Interval
  /// The 99th percentile of the scheduling probe during the attack.
  let scheduling: Duration
  /// Memory, in KiB.
  let residentSizes: (before: Int, peak: Int, after: Int)

  /// Whether the server delayed the probe no more than before the attack, or than this machine delays any thread. That
  /// allowance is limited, since a server that uses all processors delays other threads, too. A machine that stalls
  /// before the attack shows nothing.
  var isLatencyAcceptable: Bool {
    baseline.callCount > 0 && underAttack.p99 <= max(baseline.p99 * 2, min(scheduling * 2, Self.floor * 3), Self.floor)
  }

  var words: String {
    let (before, peak, after) = residentSizes
    let sizes = [before, peak, after].map { String(format: "%.1f", Double($0) / 1_024) }
    let times = count > 1 ? " (\(count) times)" : ""
    return "\(seen)\(times); memory \(sizes[0]) MiB before, \(sizes[1]) at most, \(sizes[2]) after; "
      + "p99 \(baseline.p99.words) before, \(underAttack.p99.words) during, \(scheduling.words) between two threads, "
      + "\(underAttack.callCount) reads, \(underAttack.reportCount) reports"
  }
}

extension Measurement {
  /// Runs an attack repeatedly for a while, or once.
  ///
  /// A run that affects the probe is repeated after a pause, up to `trialCountMax` times, since other processes and
  /// other virtual machines use the processors, too.
  ///
  /// - Throws: A ``RequirementFailure`` if memory grows by more than `growthMax` MiB, the probe is affected, or the
  ///   server exits.
  static func of(
    _ harness: AttackHarness, growthMax: Int, repeats: Bool, trialCountMax: Int = 5,
    _ attack: (Int) async throws -> String
  ) async throws -> Measurement {
    var trial = 1
    while true {
      let measurement = try await once(harness, repeats: repeats, attack)
      let growth = measurement.residentSizes.peak - measurement.residentSizes.before
      try require(
        growth <= growthMax * 1_024, "\(growth) KiB more than before, at most \(growthMax) MiB: \(measurement.words)")
      if measurement.isLatencyAcceptable { return measurement }
      try require(trial < trialCountMax, "the latency probe was affected: \(measurement.words)")
      try await Task.sleep(for: pause * trial)
      trial += 1
    }
  }

  private static func once(
    _ harness: AttackHarness, repeats: Bool, _ attack: (Int) async throws -> String
  ) async throws -> Measurement {
    let before = harness.probe.mark()
    try await Task.sleep(for: interval)
    let baseline = try harness.probe.interval(since: before)
    let size = try harness.daemon.residentSize()
    try harness.daemon.resetPeakResidentSize()
    let (mark, controlMark) = (harness.probe.mark(), harness.control.mark())
    let begin = ContinuousClock.now
    var (seen, count) = ("", 0)
    repeat {
      seen = try await attack(count)
      count += 1
    } while repeats && begin.duration(to: .now) < interval
    let rest = interval - begin.duration(to: .now)
    if rest > .zero { try await Task.sleep(for: rest) }
    return Measurement(
      seen: seen, count: count, baseline: baseline, underAttack: try harness.probe.interval(since: mark),
      scheduling: try harness.control.p99(since: controlMark),
      residentSizes: (size, try harness.daemon.peakResidentSize(), try harness.daemon.residentSize()))
  }
}

extension Duration {
  /// The duration in milliseconds or seconds.
  var words: String {
    let milliseconds = self / .milliseconds(1)
    return milliseconds < 1_000
      ? String(format: milliseconds < 10 ? "%.2f ms" : "%.0f ms", milliseconds)
      : String(format: "%.2f s", milliseconds / 1_000)
  }
}
