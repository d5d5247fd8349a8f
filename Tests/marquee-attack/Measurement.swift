import Foundation
import ServerProcess

/// What an attack did to the server that could be measured.
struct Measurement: Sendable {
  /// The bystander's reads may take so long in any case. Where server, attacker and bystander share two processors with
  /// others, 99 of 100 reads that nobody disturbs are answered within anything from 0.1 to 46 ms, and an attack that
  /// takes all it gets adds a few turns of the system's scheduler.
  static let floor = Duration.milliseconds(20)
  /// The bystander is measured undisturbed for so long, and disturbed at least as long.
  private static let spell = Duration.milliseconds(800)

  let seen: String
  /// How many times the attack was made.
  let count: Int
  let quiet: Bystander.Spell
  let disturbed: Bystander.Spell
  /// In KiB.
  let residentSizes: (before: Int, greatest: Int, after: Int)

  /// Whether the bystander hardly noticed.
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
  /// Makes an attack again and again for a while, or once, and throws what must not be: more memory than `growthMax`
  /// MiB beyond what was, a disturbed bystander, or a server that is gone. When the bystander was disturbed, all is
  /// done again, up to `trialCountMax` times: others use the machine too.
  static func of(
    _ siege: Siege, growthMax: Int, repeats: Bool, trialCountMax: Int = 3, _ attack: (Int) async throws -> String
  ) async throws -> Measurement {
    var trial = 1
    while true {
      let measurement = try await once(siege, repeats: repeats, attack)
      let growth = measurement.residentSizes.greatest - measurement.residentSizes.before
      try require(
        growth <= growthMax * 1_024, "\(growth) KiB more than before, at most \(growthMax) MiB: \(measurement.words)")
      if measurement.isPeaceful { return measurement }
      try require(trial < trialCountMax, "the bystander was disturbed: \(measurement.words)")
      trial += 1
    }
  }

  private static func once(
    _ siege: Siege, repeats: Bool, _ attack: (Int) async throws -> String
  ) async throws -> Measurement {
    let before = siege.bystander.mark()
    try await Task.sleep(for: spell)
    let quiet = try siege.bystander.spell(since: before)
    let size = try siege.daemon.residentSize()
    try siege.daemon.forgetGreatestResidentSize()
    let mark = siege.bystander.mark()
    let begin = ContinuousClock.now
    var (seen, count) = ("", 0)
    repeat {
      seen = try await attack(count)
      count += 1
    } while repeats && begin.duration(to: .now) < spell
    let rest = spell - begin.duration(to: .now)
    if rest > .zero { try await Task.sleep(for: rest) }
    return Measurement(
      seen: seen, count: count, quiet: quiet, disturbed: try siege.bystander.spell(since: mark),
      residentSizes: (size, try siege.daemon.greatestResidentSize(), try siege.daemon.residentSize()))
  }
}

extension Duration {
  /// In milliseconds or seconds.
  var words: String {
    let milliseconds = self / .milliseconds(1)
    return milliseconds < 1_000
      ? String(format: milliseconds < 10 ? "%.2f ms" : "%.0f ms", milliseconds)
      : String(format: "%.2f s", milliseconds / 1_000)
  }
}
