import Foundation
import MarqueeTestSupport

/// The measured effect of an attack on the server.
struct Measurement: Sendable {
  /// The latency of the probe that is always acceptable: with server, attacker and probe on two shared CPUs, scheduling
  /// alone can delay a read by tens of milliseconds.
  static let floor = Duration.milliseconds(20)
  /// The time for which the probe is measured before an attack, and the minimum during one.
  private static let spell = Duration.milliseconds(800)

  let seen: String
  /// The number of runs of the attack.
  let count: Int
  let quiet: LatencyProbe.Spell
  let disturbed: LatencyProbe.Spell
  /// Memory, in KiB.
  let residentSizes: (before: Int, greatest: Int, after: Int)

  /// Whether the probe was not significantly affected.
  var isPeaceful: Bool { disturbed.p99 <= max(quiet.p99 * 2, Self.floor) }

  var words: String {
    let (before, greatest, after) = residentSizes
    let sizes = [before, greatest, after].map { String(format: "%.1f", Double($0) / 1_024) }
    let times = count > 1 ? " (\(count) times)" : ""
    return "\(seen)\(times); memory \(sizes[0]) MiB before, \(sizes[1]) at most, \(sizes[2]) after; "
      + "p99 \(quiet.p99.words) before, \(disturbed.p99.words) during, \(disturbed.callCount) reads, "
      + "\(disturbed.reportCount) reports"
  }
}

extension Measurement {
  /// Runs an attack repeatedly for a while, or once.
  ///
  /// A run that affects the probe is repeated up to `trialCountMax` times, since other processes use the machine, too.
  ///
  /// - Throws: A ``Finding`` if memory grows by more than `growthMax` MiB, the probe is affected, or the server exits.
  static func of(
    _ harness: AttackHarness, growthMax: Int, repeats: Bool, trialCountMax: Int = 3,
    _ attack: (Int) async throws -> String
  ) async throws -> Measurement {
    var trial = 1
    while true {
      let measurement = try await once(harness, repeats: repeats, attack)
      let growth = measurement.residentSizes.greatest - measurement.residentSizes.before
      try require(
        growth <= growthMax * 1_024, "\(growth) KiB more than before, at most \(growthMax) MiB: \(measurement.words)")
      if measurement.isPeaceful { return measurement }
      try require(trial < trialCountMax, "the latency probe was affected: \(measurement.words)")
      trial += 1
    }
  }

  private static func once(
    _ harness: AttackHarness, repeats: Bool, _ attack: (Int) async throws -> String
  ) async throws -> Measurement {
    let before = harness.probe.mark()
    try await Task.sleep(for: spell)
    let quiet = try harness.probe.spell(since: before)
    let size = try harness.daemon.residentSize()
    try harness.daemon.resetPeakResidentSize()
    let mark = harness.probe.mark()
    let begin = ContinuousClock.now
    var (seen, count) = ("", 0)
    repeat {
      seen = try await attack(count)
      count += 1
    } while repeats && begin.duration(to: .now) < spell
    let rest = spell - begin.duration(to: .now)
    if rest > .zero { try await Task.sleep(for: rest) }
    return Measurement(
      seen: seen, count: count, quiet: quiet, disturbed: try harness.probe.spell(since: mark),
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
