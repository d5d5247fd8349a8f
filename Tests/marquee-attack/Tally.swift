import Foundation
import ServerProcess

/// Makes attacks, says what came of each, and counts.
struct Tally {
  private(set) var passedCount = 0
  private(set) var failedCount = 0

  /// Prints a line at once, since whoever waits for it wants to know.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  /// Makes those attacks together that wait for the server to act.
  mutating func wait(_ rows: [Row], _ siege: Siege) async {
    let waiting = rows.compactMap { row in
      if case .waiting(let attack) = row.way { (row, attack) } else { nil }
    }
    guard let growthMax = waiting.map(\.0.growthMax).max() else { return }
    var outcomes: [Int: Result<String, any Error>] = [:]
    let measured = await Self.outcome {
      try await Measurement.of(siege, growthMax: growthMax, repeats: false, trialCountMax: 1) { _ in
        outcomes = await withTaskGroup(of: (Int, Result<String, any Error>).self) { group in
          for (row, attack) in waiting {
            group.addTask { (row.number, await Self.outcome { try await attack(siege) }) }
          }
          return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return "all of these at once"
      }.words
    }
    for (row, _) in waiting {
      let result = await Self.outcome {
        let seen = try outcomes[row.number]?.get() ?? ""
        let counted = try await Self.counted(row, siege)
        try require(row.count == nil || counted > 0, "not counted")
        return "\(seen), \(counted) counted; \(try measured.get())"
      }
      await report(row, result, siege)
    }
  }

  /// Makes an attack again and again.
  mutating func attack(_ row: Row, _ siege: Siege) async {
    guard case .again(let attack) = row.way else { return }
    let result = await Self.outcome {
      let before = try await Self.counted(row, siege)
      var count = 0
      let measurement = try await Measurement.of(siege, growthMax: row.growthMax, repeats: true) { trial in
        count += 1
        return try await attack(siege, trial % 2 == 0 ? siege.unix : siege.tcp)
      }
      let counted = try await Self.counted(row, siege) - before
      try require(row.count == nil || counted >= count, "\(counted) counted of \(count)")
      return (row.count == nil ? "" : "\(counted) counted; ") + measurement.words
    }
    await report(row, result, siege)
  }

  /// Makes an attack that has servers of its own, or says where it is made.
  mutating func tryAlone(_ row: Row) async {
    switch row.way {
    case .alone(let attack): await report(row, await Self.outcome(attack), nil)
    case .elsewhere(let command): Self.say("row \(row.number): \(row.deed): not here but by \(command)")
    case .again, .waiting: preconditionFailure("row \(row.number) shares a server")
    }
  }

  private mutating func report(_ row: Row, _ result: Result<String, any Error>, _ siege: Siege?) async {
    switch result {
    case .success(let words):
      passedCount += 1
      Self.say("row \(row.number) passed: \(row.deed): \(words)")
    case .failure(let error):
      failedCount += 1
      let log = siege.map { "; the server says at last: \($0.daemon.log.text.suffix(500))" } ?? ""
      Self.say("row \(row.number) FAILED: \(row.deed): \(error)\(log)")
    }
  }

  private static func counted(_ row: Row, _ siege: Siege) async throws -> Int {
    guard let count = row.count else { return 0 }
    return try await siege.metric(count.metric, "\"\(count.reason)\"")
  }

  private static func outcome(_ body: () async throws -> String) async -> Result<String, any Error> {
    do {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}
