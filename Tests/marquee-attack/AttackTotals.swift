import Foundation
import MarqueeTestSupport

/// Runs attacks, prints their results, and counts them.
struct AttackTotals {
  private(set) var passedCount = 0
  private(set) var failedCount = 0

  /// Prints a line without buffering.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  /// Runs the attacks that wait for the server's time-outs concurrently.
  mutating func wait(_ cases: [AttackCase], _ harness: AttackHarness) async {
    let waiting = cases.compactMap { attackCase in
      if case .waiting(let attack) = attackCase.way { (attackCase, attack) } else { nil }
    }
    guard let growthMax = waiting.map(\.0.growthMax).max() else { return }
    var outcomes: [Int: Result<String, any Error>] = [:]
    let measured = await Self.outcome {
      try await Measurement.of(harness, growthMax: growthMax, repeats: false, trialCountMax: 1) { _ in
        outcomes = await withTaskGroup(of: (Int, Result<String, any Error>).self) { group in
          for (attackCase, attack) in waiting {
            group.addTask { (attackCase.number, await Self.outcome { try await attack(harness) }) }
          }
          return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return "all of these concurrently"
      }.words
    }
    for (attackCase, _) in waiting {
      let result = await Self.outcome {
        let seen = try outcomes[attackCase.number]?.get() ?? ""
        let counted = try await Self.counted(attackCase, harness)
        try require(attackCase.count == nil || counted > 0, "not counted")
        return "\(seen), \(counted) counted; \(try measured.get())"
      }
      await report(attackCase, result, harness)
    }
  }

  /// Runs an attack repeatedly.
  mutating func attack(_ attackCase: AttackCase, _ harness: AttackHarness) async {
    guard case .again(let attack) = attackCase.way else { return }
    let result = await Self.outcome {
      let before = try await Self.counted(attackCase, harness)
      var count = 0
      let measurement = try await Measurement.of(harness, growthMax: attackCase.growthMax, repeats: true) { trial in
        count += 1
        return try await attack(harness, trial % 2 == 0 ? harness.unix : harness.tcp)
      }
      let counted = try await Self.counted(attackCase, harness) - before
      try require(attackCase.count == nil || counted >= count, "\(counted) counted of \(count)")
      return (attackCase.count == nil ? "" : "\(counted) counted; ") + measurement.words
    }
    await report(attackCase, result, harness)
  }

  /// Runs the attacks that have their own servers and mostly wait concurrently, and those that affect the probe again
  /// one at a time, since their neighbors use the processors, too.
  mutating func waitAlone(_ cases: [AttackCase]) async {
    let outcomes = await withTaskGroup(of: (AttackCase, Result<String, any Error>).self) { group in
      for attackCase in cases {
        guard case .waitingAlone(let attack) = attackCase.way else { continue }
        group.addTask { (attackCase, await Self.outcome(attack)) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for (attackCase, outcome) in outcomes.sorted(by: { $0.0.number < $1.0.number }) {
      guard Self.affectedProbe(outcome), case .waitingAlone(let attack) = attackCase.way else {
        await report(attackCase, outcome, nil)
        continue
      }
      await report(attackCase, await Self.repeatedOutcome(attack), nil)
    }
  }

  /// Runs an attack that has its own servers, or prints the command that runs it.
  mutating func tryAlone(_ attackCase: AttackCase) async {
    switch attackCase.way {
    case .alone(let attack): await report(attackCase, await Self.repeatedOutcome(attack), nil)
    case .elsewhere(let command): Self.say("attack \(attackCase.number): \(attackCase.summary): covered by \(command)")
    case .waitingAlone: break
    case .again, .waiting: preconditionFailure("attack \(attackCase.number) shares a server")
    }
  }

  private mutating func report(
    _ attackCase: AttackCase, _ result: Result<String, any Error>, _ harness: AttackHarness?
  ) async {
    switch result {
    case .success(let words):
      passedCount += 1
      Self.say("attack \(attackCase.number) passed: \(attackCase.summary): \(words)")
    case .failure(let error):
      failedCount += 1
      let log = harness.map { "; last output of the server: \($0.daemon.log.text.suffix(500))" } ?? ""
      Self.say("attack \(attackCase.number) FAILED: \(attackCase.summary): \(error)\(log)")
    }
  }

  private static func counted(_ attackCase: AttackCase, _ harness: AttackHarness) async throws -> Int {
    guard let count = attackCase.count else { return 0 }
    return try await harness.metric(count.metric, "\"\(count.reason)\"")
  }

  /// Runs an attack, and again if it affects the probe, since others use the processors, too.
  private static func repeatedOutcome(_ attack: () async throws -> String) async -> Result<String, any Error> {
    for _ in 1..<3 {
      let result = await outcome(attack)
      guard affectedProbe(result) else { return result }
    }
    return await outcome(attack)
  }

  private static func affectedProbe(_ outcome: Result<String, any Error>) -> Bool {
    guard case .failure(let error) = outcome else { return false }
    return "\(error)".contains("the latency probe was affected")
  }

  private static func outcome(_ body: () async throws -> String) async -> Result<String, any Error> {
    do {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}
