import Foundation
import ServerProcess

/// Runs attacks, prints their results, and counts them.
struct AttackTotals {
  private(set) var passedCount = 0
  private(set) var failedCount = 0

  /// Prints a line without buffering.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  /// Runs the attacks that wait for the server's time-outs concurrently.
  mutating func wait(_ rows: [AttackCase], _ harness: AttackHarness) async {
    let waiting = rows.compactMap { row in
      if case .waiting(let attack) = row.way { (row, attack) } else { nil }
    }
    guard let growthMax = waiting.map(\.0.growthMax).max() else { return }
    var outcomes: [Int: Result<String, any Error>] = [:]
    let measured = await Self.outcome {
      try await Measurement.of(harness, growthMax: growthMax, repeats: false, trialCountMax: 1) { _ in
        outcomes = await withTaskGroup(of: (Int, Result<String, any Error>).self) { group in
          for (row, attack) in waiting {
            group.addTask { (row.number, await Self.outcome { try await attack(harness) }) }
          }
          return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return "all of these concurrently"
      }.words
    }
    for (row, _) in waiting {
      let result = await Self.outcome {
        let seen = try outcomes[row.number]?.get() ?? ""
        let counted = try await Self.counted(row, harness)
        try require(row.count == nil || counted > 0, "not counted")
        return "\(seen), \(counted) counted; \(try measured.get())"
      }
      await report(row, result, harness)
    }
  }

  /// Runs an attack repeatedly.
  mutating func attack(_ row: AttackCase, _ harness: AttackHarness) async {
    guard case .again(let attack) = row.way else { return }
    let result = await Self.outcome {
      let before = try await Self.counted(row, harness)
      var count = 0
      let measurement = try await Measurement.of(harness, growthMax: row.growthMax, repeats: true) { trial in
        count += 1
        return try await attack(harness, trial % 2 == 0 ? harness.unix : harness.tcp)
      }
      let counted = try await Self.counted(row, harness) - before
      try require(row.count == nil || counted >= count, "\(counted) counted of \(count)")
      return (row.count == nil ? "" : "\(counted) counted; ") + measurement.words
    }
    await report(row, result, harness)
  }

  /// Runs an attack that has its own servers, or prints the command that runs it.
  mutating func tryAlone(_ row: AttackCase) async {
    switch row.way {
    case .alone(let attack): await report(row, await Self.outcome(attack), nil)
    case .elsewhere(let command): Self.say("row \(row.number): \(row.summary): covered by \(command)")
    case .again, .waiting: preconditionFailure("row \(row.number) shares a server")
    }
  }

  private mutating func report(
    _ row: AttackCase, _ result: Result<String, any Error>, _ harness: AttackHarness?
  ) async {
    switch result {
    case .success(let words):
      passedCount += 1
      Self.say("row \(row.number) passed: \(row.summary): \(words)")
    case .failure(let error):
      failedCount += 1
      let log = harness.map { "; last output of the server: \($0.daemon.log.text.suffix(500))" } ?? ""
      Self.say("row \(row.number) FAILED: \(row.summary): \(error)\(log)")
    }
  }

  private static func counted(_ row: AttackCase, _ harness: AttackHarness) async throws -> Int {
    guard let count = row.count else { return 0 }
    return try await harness.metric(count.metric, "\"\(count.reason)\"")
  }

  private static func outcome(_ body: () async throws -> String) async -> Result<String, any Error> {
    do {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}
